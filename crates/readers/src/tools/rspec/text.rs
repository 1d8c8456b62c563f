//! RSpec's text report: pending examples, failures, a summary, and the list of failed examples.

use crate::prelude::*;
use crate::tools::rspec::{FRAMEWORK, locate, place};

const RULE: &str = "rspec/text";

/// `10 examples, 4 failures, 3 pending, 1 error occurred outside of examples`.
static SUMMARY: Pattern = Pattern::new(
    r"^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<pending>\d+) pending)?(?:, (?<errors>\d+) errors? occurred outside of examples)?$",
);

/// The heading of a failure or a pending example: `  1) Calc raises`.
static ENTRY: Pattern = Pattern::new(r"^ {1,4}\d+\) (?<title>\S.*)$");

/// `rspec ./spec/calc_spec.rb:22 # Calc raises`, in the list of failed examples; an id in brackets may replace
/// the line.
static FAILED: Pattern = Pattern::new(r"^rspec (?<file>'?[^:\[]+?)(?::(?<line>\d+)|\[[\d:,]+\])'? # (?<name>.*)$");

/// The section of the report that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Output of the formatter and of the tests.
    Run,
    Pending,
    Failures,
    /// Below `Finished in`; the summary follows.
    Finished,
    /// The list of failed examples, one per line.
    Failed,
    /// An error outside of examples.
    Outside,
}

pub(super) struct Report {
    is_hinted: bool,
    part: Part,
    results: Results,
    open: Option<TestFailure>,
    /// Number of errors outside of examples: read individually, and according to the summary.
    outside: (u64, u64),
    has_sign: bool,
}

impl Report {
    pub(super) fn new(is_hinted: bool) -> Self {
        let results = Results::default();
        Self { is_hinted, part: Part::Run, results, open: None, outside: (0, 0), has_sign: false }
    }

    fn close(&mut self) {
        let Some(mut failure) = self.open.take() else { return };
        complete(&mut failure);
        if let Some(name) = failure.name.strip_suffix(" FIXED")
            && failure.message.starts_with("Expected pending ")
        {
            failure.name = candidate::name(name);
        }
        if failure.suite {
            let file = text::has_extension(&failure.name, &["rb"]).then(|| failure.name.clone());
            locate(&mut failure, file.as_deref());
            failure.file = file.or(failure.file);
        } else {
            self.results.count(TestStatus::Failed, 1);
            locate(&mut failure, None);
        }
        self.results.failure(failure);
    }

    /// Reads a heading, and returns whether the line is one.
    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let part = match text {
            "Failures:" => Part::Failures,
            "Failed examples:" => Part::Failed,
            _ if text.starts_with("Pending: (Failures listed here") || text == "Pending:" => Part::Pending,
            _ if text.starts_with("Finished in ") && (text.contains(" second") || text.contains("(files took ")) => {
                self.has_sign |= text.contains("(files took ");
                Part::Finished
            }
            _ => match suite_that_failed(text) {
                Some(suite) => {
                    self.close();
                    self.outside.0 += 1;
                    self.open = Some(failure(suite, true, line));
                    Part::Outside
                }
                None => return false,
            },
        };
        if part != Part::Outside {
            self.close();
        }
        self.part = part;
        true
    }

    /// Reads the summary, directly below `Finished in`.
    fn sum_up(&mut self, text: &str) -> bool {
        if !text.contains(" example") {
            return false;
        }
        let Some(captures) = SUMMARY.find(text) else { return false };
        let number = |group| if captures.has(group) { captures.count(group) } else { Some(0) };
        let (Some(total), Some(failed), Some(pending), Some(errors)) =
            (number("total"), number("failed"), number("pending"), number("errors"))
        else {
            return false;
        };
        if self.part == Part::Finished {
            self.results.sum_up(results::out_of(total, failed, pending));
            self.outside.1 += errors;
            self.part = Part::Run;
            return true;
        }
        false
    }

    /// Reads a failed example in the list at the end, which gives its location.
    fn failed_example(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = FAILED.find(line.text.trim_end()) else { return false };
        let (file, title) = (captures.text("file").trim_matches('\'').to_owned(), name(captures.text("name")));
        let number = captures.position("line");
        let known = self.results.failures_mut().iter_mut().rev().find(|failure| failure.name == title);
        match known {
            Some(failure) => {
                locate(failure, Some(&file));
                if failure.file.is_none() {
                    (failure.file, failure.line) = (Some(file), number);
                }
            }
            None if self.has_sign => {
                let mut found = failure(&title, false, line);
                (found.file, found.line) = (Some(file), number);
                self.results.count(TestStatus::Failed, 1);
                self.results.failure(found);
            }
            None => {}
        }
        true
    }

    /// Reads a line of a failure.
    fn detail(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let is_indented = text.starts_with("     ") || text.is_empty();
        let is_outside = self.part == Part::Outside;
        let Some(open) = &mut self.open else { return is_indented && self.part == Part::Pending && !text.is_empty() };
        if !is_indented && !is_outside {
            self.close();
            self.part = Part::Run;
            return false;
        }
        let shown = text.strip_prefix("     ").unwrap_or(text);
        let trimmed = shown.trim_start();
        self.has_sign |= trimmed.starts_with("Failure/Error: ");
        if let Some(frame) = trimmed.strip_prefix("# ")
            && (place(frame).is_some() || frame.contains(":in `") || frame.contains(":in '"))
        {
            text::add_line(open.stack.get_or_insert_default(), frame, limit::MESSAGE_BYTES);
        } else if !(shown.is_empty() && open.message.is_empty()) {
            text::add_line(&mut open.message, shown, limit::MESSAGE_BYTES);
        }
        if let Some(origin) = &mut open.origin {
            origin.end = line.end;
        }
        true
    }
}

fn failure(title: &str, suite: bool, line: &Line<'_>) -> TestFailure {
    TestFailure { name: name(title), suite, origin: Some(origin(RULE, line)), ..TestFailure::default() }
}

/// Fills in the details that the message contains.
fn complete(failure: &mut TestFailure) {
    failure.message = text::trimmed(&failure.message);
    failure.stack = failure.stack.take().map(|stack| stack.trim().to_owned());
    let after = |key: &str| {
        let line = failure.message.lines().find_map(|line| line.trim_start().strip_prefix(key))?;
        Some(cut::head(line.trim(), crate::candidate::NAME_BYTES).to_owned())
    };
    (failure.expected, failure.received) = (after("expected: "), after("got: "));
}

/// Parses `An error occurred while loading ./spec/a_spec.rb.` and similar lines: returns the file, or the part
/// in which the error occurred.
pub(super) fn suite_that_failed(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("An error occurred ")?;
    match rest.strip_prefix("while loading ") {
        Some(file) => Some(file.split(" - Did you mean").next()?.trim_end().trim_end_matches('.')),
        None => rest.strip_prefix("in a").map(|rest| rest.trim_start_matches('n').trim().trim_end_matches('.')),
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if (text.starts_with(['F', 'P', 'A']) && self.heading(line)) || self.sum_up(text) {
            return Use::Line;
        }
        match self.part {
            Part::Failures | Part::Pending => {
                if let Some(captures) = ENTRY.find(text) {
                    self.close();
                    if self.part == Part::Failures {
                        self.open = Some(failure(captures.text("title"), false, line));
                    }
                    return Use::Line;
                }
                if self.detail(line) { Use::Line } else { Use::None }
            }
            Part::Outside => {
                if self.detail(line) {
                    Use::Line
                } else {
                    Use::None
                }
            }
            Part::Failed if !text.is_empty() => {
                if self.failed_example(line) {
                    return Use::Line;
                }
                self.part = Part::Run;
                Use::None
            }
            _ => {
                let is_own = text.starts_with("Randomized with seed ") || text == "No examples found.";
                if is_own && (self.has_sign || self.is_hinted) { Use::Line } else { Use::None }
            }
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let mut notes = Vec::new();
        let is_recognized = self.has_sign || (self.is_hinted && (!self.results.is_empty() || 0 < self.outside.0));
        if !is_recognized {
            return None;
        }
        let outside = self.outside.0.max(self.outside.1);
        if 0 < outside {
            self.results.suites = Some(results::counts(0, outside, 0));
        }
        if self.results.summary.is_none() {
            notes.push("the output of rspec is cut short: it sums up nothing".to_owned());
        }
        let tests = self.results.finish(FRAMEWORK, CountAuthority::Summary);
        Some(Candidate { format: "text", tests: Some(tests), notes, ..Candidate::default() })
    }
}
