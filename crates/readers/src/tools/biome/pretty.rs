//! The default format. The summary format lists no findings, only counts.

use crate::prelude::*;
use crate::tools::biome::{checked, found, marked};

/// A heading: the location, the category, words in capitals, and a ruler to the end of the line.
static HEADING: Pattern = Pattern::new(
    r"^(?:(?<file>\S.*?)(?::(?<line>\d+)(?::(?<column>\d+))?)? )?(?<code>[A-Za-z][\w/-]*)(?<tags>(?: +[A-Z]{3,})*) +━{8,}$",
);

/// A line of the code: `> 1 │ source`.
static CODE: Pattern = Pattern::new(r"^ +(?<mark>> )? *(?<number>\d+)? +│(?: (?<source>.*))?$");

pub(crate) struct Pretty {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    /// Whether a line appeared that no other tool prints.
    is_known: bool,
    /// Whether this is the summary format, which lists no findings.
    is_summary: bool,
    /// Number of errors in a count without findings above it, which may be in the other stream.
    errors_summed_up: u64,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    part: Part,
}

/// Position within a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The message has not been read yet.
    Heading,
    Message,
    /// In the code; records whether the previous line was marked.
    Code {
        is_marked: bool,
    },
    /// In additional text: advice, other code, the changes of a fix.
    Advice,
}

impl Pretty {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self {
            is_hinted,
            tally: Tally::new("biome"),
            open: None,
            is_known: false,
            is_summary: false,
            errors_summed_up: 0,
        }
    }

    /// Ends the open finding. One without a file is not a finding but a message about the run.
    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && open.part != Part::Heading
        {
            if open.diagnostic.file.is_some() {
                self.tally.add(open.diagnostic);
            } else if !self.is_summary && !open.diagnostic.message.ends_with("were emitted while running checks.") {
                self.tally.note(format!("biome says: {}", open.diagnostic.message));
            }
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        if !line.text.contains("━━━━━━━━") {
            return false;
        }
        let Some(captures) = HEADING.find(line.text.trim_end()) else { return false };
        self.close();
        // A heading without a file also ends the machine-readable reports.
        let code = captures.get("code").unwrap_or_default();
        self.is_summary |= code.starts_with("reporter/") || code.starts_with("reports/");
        self.is_known |= captures.get("file").is_some() || self.is_summary;
        let mut found = diagnostic("biome", "biome/pretty", line, Level::Error, "");
        found.file = captures.get("file").map(|file| name(&text::path(file)));
        found.line = captures.get("line").and_then(text::position);
        found.column = captures.get("column").and_then(text::position);
        found.code = captures.get("code").map(name);
        found.fixable = captures.get("tags").is_some_and(|tags| tags.contains("FIXABLE"));
        self.open = Some(Open { diagnostic: found, part: Part::Heading });
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        if let Some(sum) = found(text) {
            self.close();
            if 0 < self.tally.read || self.is_summary {
                self.tally.sum_up(sum);
            } else {
                self.errors_summed_up += sum.errors.unwrap_or_default();
            }
            return self.is_known || self.is_hinted;
        }
        match checked(text) {
            Some(is_sure) => {
                self.close();
                self.is_known |= is_sure;
                is_sure || self.is_hinted
            }
            None => false,
        }
    }
}

impl LineReader for Pretty {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.heading(line) {
            return Use::Line;
        }
        let text = line.text.trim_end();
        if text.starts_with(|first: char| !first.is_whitespace()) {
            if self.closing(text) {
                return Use::Line;
            }
            // The rest of a heading that the terminal wrapped, or unrelated text.
            self.close();
            return Use::None;
        }
        match &mut self.open {
            Some(open) => {
                open.line(text);
                open.diagnostic.origin.end = if text.is_empty() { open.diagnostic.origin.end } else { line.end };
                if text.is_empty() { Use::None } else { Use::Line }
            }
            None => Use::None,
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let errors_summed_up = self.errors_summed_up;
        self.is_known.then(|| Candidate { errors_summed_up, ..self.tally.candidate("text", Confidence::Certain) })
    }
}

impl Open {
    fn line(&mut self, text: &str) {
        let trimmed = text.trim_start();
        if trimmed.is_empty() {
            if self.part == Part::Message {
                self.part = Part::Code { is_marked: false };
            }
            return;
        }
        let mark = trimmed.split_once(' ').and_then(|(mark, said)| Some((marked(sole(mark)?)?, said)));
        match (self.part, mark) {
            (Part::Heading, Some((level, said))) => {
                self.diagnostic.level = level;
                cut::head(said, limit::MESSAGE_BYTES).clone_into(&mut self.diagnostic.message);
                self.part = Part::Message;
            }
            (Part::Heading | Part::Advice, None) => {}
            (Part::Message, _) => text::add_line(&mut self.diagnostic.message, trimmed, limit::MESSAGE_BYTES),
            (Part::Code { .. } | Part::Advice, Some((_, said))) => {
                self.part = Part::Advice;
                self.advice(said);
            }
            (Part::Code { is_marked }, None) => self.code(text, is_marked),
        }
    }

    fn advice(&mut self, said: &str) {
        let fix = said.split_once(" fix: ").filter(|(kind, _)| matches!(*kind, "Safe" | "Unsafe" | "Suggested"));
        let fix = fix.map(|(_, fix)| fix).or_else(|| said.strip_prefix("Suggested fix: "));
        if let Some(fix) = fix
            && self.diagnostic.suggestion.is_none()
        {
            self.diagnostic.suggestion = Some(cut::head(fix, limit::MESSAGE_BYTES).to_owned());
        }
    }

    /// Handles a line of the code: a source line, or the marks below one.
    fn code(&mut self, text: &str, was_marked: bool) {
        let Some(captures) = CODE.find(text) else { return };
        let source = captures.text("source");
        let number = captures.position("number");
        let is_marked = captures.has("mark");
        let found = &mut self.diagnostic;
        if is_marked && found.source.is_none() {
            found.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
        }
        if is_marked && number.is_some() && found.line.is_some() {
            found.end_line = number;
        }
        let marks = source.trim();
        if was_marked && number.is_none() && !marks.is_empty() && marks.bytes().all(|byte| byte == b'^') {
            // Only the first line of a range over several lines is marked from its first column.
            let begins = if found.end_line == found.line { found.column } else { None };
            let length = u32::try_from(marks.len()).unwrap_or_default();
            found.end_column = begins.map(|column| column.saturating_add(length));
        }
        self.part = Part::Code { is_marked };
    }
}

/// Returns the only character of a word, which may be followed by an emoji variation selector.
fn sole(word: &str) -> Option<char> {
    let mut characters = word.chars().filter(|character| *character != '\u{fe0f}');
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}
