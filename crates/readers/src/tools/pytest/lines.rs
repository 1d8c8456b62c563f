//! The text report, read line by line.

use crate::prelude::*;
use crate::shapes::python_runs::{Log, letter_status};
use crate::tools::pytest::RULE;
use crate::tools::pytest::block::{Block, heading, place};
use crate::tools::pytest::counts::{Closing, closing, is_collection, status};
use crate::tools::pytest::run::{Run, Short, case};
use crate::tools::pytest::sugar;

/// A line between bars: `==== FAILURES ====`.
static BARS: Pattern = Pattern::new(r"^=+ (?<title>\S.*?) =+$");

/// A test listed with xdist: `[gw0] [  5%] PASSED test_a.py::test_b`.
static BY_WORKER: Pattern = Pattern::new(r"^\[gw\d+\] \[ *\d+%\] (?<word>[A-Z]+) (?<id>\S+?::.*)$");

/// What may follow the result of a test: ` (reason)  [ 5%]`.
static BEHIND_RESULT: Pattern = Pattern::new(r"^(?: \(.*\))?(?: *\[ *\d+(?:%|/\d+)\]| +[\d.]+(?:us|ms|s|m|h))?$");

/// The letters of tests, after the file or (with `-q`) alone: `test_a.py .F.s  [ 83%]`.
static LETTERS: Pattern =
    Pattern::new(r"^(?:(?<file>\S+\.\w+) )?(?<letters>[.FEsxXRu,]+)(?<progress> *\[ *\d+(?:%|/\d+)\])?$");

/// A line at the start of a run.
static BEGINNING: Pattern =
    Pattern::new(r"^(?:platform|rootdir:|plugins:|collected|collecting|cachedir:|configfile:|testpaths:) ");

/// A line of the short summary.
static SHORT: Pattern = Pattern::new(
    r"^(?<word>FAILED|ERROR|PASSED|XFAIL|XPASS|SUBFAILED|SUBFAIL)(?:\([^)]*\)|\[[^\]]*\])? (?<rest>\S.*)$",
);

/// The section that the next lines belong to.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Outside of a run.
    #[default]
    Outside,
    /// The start of a run, and its tests.
    Progress,
    /// `FAILURES` or `ERRORS`.
    Failures,
    Shorts,
    Section,
}

#[derive(Default)]
pub(super) struct Report {
    is_hinted: bool,
    run: Run,
    block: Option<Block>,
    part: Part,
    /// Whether the run began with a heading, unlike runs with `-q`.
    has_heading: bool,
    /// Number of runs started by a test and shown in its output; they end with the same lines as the run around
    /// them.
    nested: u32,
    /// The final line of such a run. If no other follows, it belongs to the outer run.
    nested_closing: Option<Closing>,
    /// The results of pytest-sugar while they are being read.
    sugar: Option<Closing>,
    log: Log,
    is_certain: bool,
}

impl Report {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        if let Some(block) = self.block.take() {
            self.run.block(block);
        }
    }

    /// Ends the run, and adds its results to those of earlier runs.
    fn end_run(&mut self) {
        self.close();
        self.run.closing = self.run.closing.or(self.sugar.take());
        let mut run = std::mem::take(&mut self.run);
        run.closing = run.closing.or(self.nested_closing.take().filter(|closing| run.may_close_with(closing)));
        self.nested = 0;
        self.has_heading = false;
        self.part = Part::Outside;
        if run.is_empty() {
            return;
        }
        self.is_certain |= run.is_certain;
        if run.closing.is_none() && !run.is_whole {
            self.log.note("a run of pytest has no closing line: its output is cut short");
        }
        self.log.add(run.finish());
    }

    /// Reads a line between bars, or the final line of a run with `-q`.
    fn bars(&mut self, line: &Line<'_>, text: &str) -> bool {
        if !text.starts_with(|first: char| matches!(first, '=' | 'n' | '0'..='9')) {
            return false;
        }
        if let Some(found) = closing(text) {
            return self.sum_up(line, found);
        }
        if self.nested == 0 && self.block.is_none() && is_collection(text) {
            // No test ran.
            self.run = Run::default();
            (self.part, self.has_heading) = (Part::Outside, false);
            return true;
        }
        if !text.starts_with('=') {
            return false;
        }
        let Some(title) = BARS.find(text).and_then(|captures| captures.get("title")) else { return false };
        let part = match title {
            // Output of a test is shown below its failure.
            "test session starts" if self.block.is_some() || 0 < self.nested => {
                self.nested += 1;
                return true;
            }
            _ if 0 < self.nested => return true,
            "test session starts" => {
                self.end_run();
                self.has_heading = true;
                Part::Progress
            }
            "FAILURES" | "ERRORS" => Part::Failures,
            "short test summary info" => Part::Shorts,
            _ if self.part != Part::Outside => Part::Section,
            _ => return false,
        };
        if self.run.closing.is_some() && self.has_heading {
            // The run continues: a test printed a line like the final one.
            self.run.closing = None;
        } else if self.run.closing.is_some() {
            self.end_run();
        }
        self.close();
        self.run.is_certain = true;
        self.part = part;
        true
    }

    /// Reads the final line of a run. In the output of a test it ends the run only if no other follows.
    fn sum_up(&mut self, line: &Line<'_>, found: Closing) -> bool {
        let is_printed = self.block.as_ref().is_some_and(|block| block.is_captured);
        if 0 < self.nested || is_printed {
            self.nested = self.nested.saturating_sub(1);
            self.nested_closing = Some(found);
            self.log.summary_end = Some(line.end);
            return true;
        }
        let has_failed = self.run.closing.is_some_and(|closing| 0 < closing.counts.failed);
        if self.run.closing.is_some() && (has_failed || !self.has_heading) {
            self.end_run();
        }
        self.close();
        self.run.is_certain |= found.is_in_bars;
        self.run.closing = Some(found);
        self.nested_closing = None;
        self.part = if self.has_heading { Part::Progress } else { Part::Outside };
        self.log.summary_end = Some(line.end);
        true
    }

    /// Reads a line of pytest-sugar.
    fn sugar(&mut self, line: &Line<'_>, text: &str) -> bool {
        if let Some(sum) = &mut self.sugar {
            if text.is_empty() || sugar::row(sum, text) {
                self.log.summary_end = Some(line.end);
                return true;
            }
            let sum = *sum;
            self.sugar = None;
            self.sum_up(line, sum);
            return false;
        }
        if text.starts_with(sugar::BEGINNING) {
            if self.block.is_some() || 0 < self.nested {
                self.nested += 1;
                return true;
            }
            self.end_run();
            (self.part, self.has_heading, self.run.is_certain) = (Part::Progress, true, true);
            return true;
        }
        if !self.has_heading {
            return false;
        }
        let found = sugar::results(text);
        if 0 < self.nested {
            self.nested -= u32::from(found.is_some());
            return found.is_some();
        }
        if sugar::heading(text).is_some() {
            self.part = Part::Failures;
        }
        self.sugar = found;
        if self.sugar.is_some() {
            self.close();
        }
        self.sugar.is_some()
    }

    /// Reads a line of `FAILURES` or `ERRORS`.
    fn failure(&mut self, line: &Line<'_>, text: &str) {
        if 0 < self.nested {
            return;
        }
        if let Some(title) = heading(text).or_else(|| sugar::heading(text)) {
            self.close();
            self.block = Some(Block::new(title, origin(RULE, line)));
        } else if let Some(block) = &mut self.block {
            block.line(text);
            if !block.is_captured {
                block.origin.end = line.end;
            }
        } else if let Some((_, rest)) = place(text)
            && !rest.is_empty()
        {
            let mut block = Block::new("", origin(RULE, line));
            block.line(text);
            self.run.block(block);
        }
    }

    fn short(&mut self, line: &Line<'_>, text: &str) {
        let Some(captures) = SHORT.find(text) else { return };
        let (word, rest) = (captures.text("word"), captures.text("rest"));
        // The other words are those of a subtest that failed.
        let status = status(word).unwrap_or(TestStatus::Failed);
        let (id, message) = id_and_message(rest);
        if status == TestStatus::Failed {
            let short = Short {
                id: name(&text::path(id)),
                is_error: word == "ERROR",
                message: message.map(name),
                origin: origin(RULE, line),
            };
            self.run.short(short);
        } else if !self.run.listed.are_named && id.contains("::") {
            self.run.listed.runs.case(case(id, status));
        }
    }

    /// Reads a line of a run's start or of its tests.
    fn progress(&mut self, text: &str) -> bool {
        if let Some((id, word)) = listed(text) {
            let id = id.trim_end();
            let Some(status) = status(word) else { return false };
            self.run.listed.are_named = true;
            if status == TestStatus::Failed {
                self.run.failed(id);
            }
            self.run.listed.runs.case_of(status, || case(id, status));
            return true;
        }
        let Some(captures) = LETTERS.find(text).filter(|it| it.has("file") || it.has("progress")) else {
            return false;
        };
        for letter in captures.text("letters").bytes() {
            if let Some(status) = letter_status(letter) {
                results::add(&mut self.run.listed.letters, status, 1);
            }
        }
        let is_end = captures.get("progress").is_some_and(is_all);
        self.run.is_whole = is_end && !captures.has("file") && !self.has_heading;
        true
    }
}

/// Parses a test listed with `-v` into its id and result: `test_a.py::test_b PASSED  [ 5%]`.
fn listed(text: &str) -> Option<(&str, &str)> {
    let (file, _) = text.split_once("::")?;
    if let Some(found) = BY_WORKER.find(text) {
        return Some((found.text("id"), found.text("word")));
    }
    if file.is_empty() || file.contains([':', '\t', '\n', '\x0b', '\x0c', '\r', ' ']) {
        return None;
    }
    memchr::memchr_iter(b' ', text.as_bytes()).skip_while(|at| *at < file.len() + 2).find_map(|at| {
        let result = &text[at + 1..];
        let words = ["PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS"];
        let word = words.into_iter().find(|word| result.starts_with(word))?;
        BEHIND_RESULT.is_match(&result[word.len()..]).then_some((&text[..at], word))
    })
}

/// Splits a line of the short summary into id and message; brackets of an id may contain the separator.
fn id_and_message(rest: &str) -> (&str, Option<&str>) {
    let split = |at: usize| (&rest[..at], rest.get(at + 3..));
    let is_balanced = |at: &usize| {
        let id = &rest[..*at];
        id.matches('[').count() <= id.matches(']').count()
    };
    let first = rest.match_indices(" - ").map(|(at, _)| at).find(is_balanced);
    match first.or_else(|| rest.find(" - ")) {
        Some(at) => split(at),
        None => (rest.trim_end(), None),
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if self.sugar(line, text) || self.bars(line, text) {
            return Use::Line;
        }
        if text.starts_with("INTERNALERROR> ") {
            self.run.is_certain = true;
            let note = "pytest broke down with an internal error";
            if self.log.notes.last().is_none_or(|last| last != note) {
                self.log.note(note);
            }
            return Use::Line;
        }
        match self.part {
            Part::Failures => self.failure(line, text),
            Part::Shorts if text.starts_with(['!', '=']) => {}
            Part::Shorts => self.short(line, text),
            Part::Section => {}
            Part::Progress => {
                return (self.progress(text) || BEGINNING.is_match(text)).into();
            }
            Part::Outside => {
                let may_be_quiet = self.is_hinted && self.run.closing.is_none();
                return (may_be_quiet && self.progress(text)).into();
            }
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end_run();
        // Without bars the line looks like the final line of other runners.
        self.log.candidate(self.is_certain || self.is_hinted)
    }
}

/// Whether a progress mark, such as ` [100%]` or `[4/4]`, is that of the last test.
fn is_all(progress: &str) -> bool {
    let inside = progress.trim().trim_matches(['[', ']']).trim();
    inside == "100%" || inside.split_once('/').is_some_and(|(done, of)| done.trim() == of)
}

#[cfg(test)]
mod tests;
