//! The full report, with one table per file, and the summary, which only counts.

use crate::prelude::*;
use crate::tools::phpcs::split_code;

/// `FOUND 1 ERROR AND 1 WARNING AFFECTING 2 LINES`, and for all files `A TOTAL OF … WERE FOUND IN 3 FILES`.
static FOUND: Pattern = Pattern::new(
    r"^(?:FOUND|A TOTAL OF) (?:(?<errors>\d+) ERRORS?)?(?: AND )?(?:(?<warnings>\d+) WARNINGS?)? (?:AFFECTING \d+ LINES?|(?:WERE|WAS) FOUND IN \d+ FILES?)$",
);

/// `A TOTAL OF 20 SNIFF VIOLATIONS WERE FOUND IN 18 SOURCES`, which does not separate errors from warnings.
static SOURCES: Pattern =
    Pattern::new(r"^A TOTAL OF (?<errors>\d+) SNIFF VIOLATIONS? (?:WERE|WAS) FOUND IN \d+ SOURCES?$");

/// ` 1 | ERROR | [x] Message`; a row without a line number continues the message.
static ROW: Pattern =
    Pattern::new(r"^ *(?<line>\d*) +\| (?<level>ERROR|WARNING| +) *\| (?:\[(?:(?<fix>x)| )\] )?(?<message>.*)$");

#[derive(Default)]
pub(super) struct Full {
    is_hinted: bool,
    findings: Findings,
    file: Option<String>,
    open: Option<Diagnostic>,
    /// Errors and warnings counted for the file but not listed yet.
    expected: (u64, u64),
    /// Total errors and warnings listed.
    listed: (u64, u64),
    has_counts: bool,
    notes: Vec<String>,
}

impl Full {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        let Some(mut found) = self.open.take() else { return };
        let (message, code) = split_code(&found.message);
        let (message, code) = (message.to_owned(), code.map(name));
        (found.message, found.code) = (message, code);
        let (listed, expected) = match found.level {
            Level::Error => (&mut self.listed.0, &mut self.expected.0),
            Level::Warning | Level::Info => (&mut self.listed.1, &mut self.expected.1),
        };
        *listed += 1;
        *expected = expected.saturating_sub(1);
        self.findings.add(found);
    }

    /// Ends the table of a file: findings that were counted but not listed are added.
    fn end_file(&mut self) {
        self.close();
        let (errors, warnings) = std::mem::take(&mut self.expected);
        self.add_unlisted(errors, warnings);
        self.file = None;
    }

    fn add_unlisted(&mut self, errors: u64, warnings: u64) {
        if 0 < errors + warnings && self.notes.len() < 20 {
            self.notes.push(format!("phpcs counts {errors} errors and {warnings} warnings more than were read"));
        }
        self.findings.add_unlisted(Level::Error, errors);
        self.findings.add_unlisted(Level::Warning, warnings);
        self.listed.0 += errors;
        self.listed.1 += warnings;
    }

    fn count(&mut self, text: &str) -> bool {
        if let Some(number) = SOURCES.find(text).and_then(|captures| captures.count("errors")) {
            self.add_unlisted(number, 0);
            self.has_counts = true;
            return true;
        }
        let Some(captures) = FOUND.find(text) else { return false };
        let (errors, warnings) = (captures.number("errors"), captures.number("warnings"));
        if text.starts_with("FOUND") {
            self.close();
            self.expected = (errors, warnings);
        } else {
            self.end_file();
            let (listed_errors, listed_warnings) = std::mem::take(&mut self.listed);
            self.add_unlisted(errors.saturating_sub(listed_errors), warnings.saturating_sub(listed_warnings));
            self.listed = (0, 0);
        }
        self.has_counts = true;
        true
    }

    fn row(&mut self, line: &Line<'_>) -> bool {
        let Some(file) = &self.file else { return false };
        let Some(captures) = ROW.find(line.text.trim_end()) else { return false };
        let message = captures.text("message").trim();
        let level = match captures.text("level").trim() {
            "ERROR" => Level::Error,
            "WARNING" => Level::Warning,
            _ => {
                if let Some(open) = &mut self.open
                    && open.message.len() + message.len() < limit::MESSAGE_BYTES
                {
                    open.message.push(' ');
                    open.message.push_str(message);
                    open.origin.end = line.end;
                }
                return true;
            }
        };
        let mut found = diagnostic("phpcs", "phpcs/full", line, level, message);
        found.file = Some(file.clone());
        found.line = captures.position("line");
        found.fixable = captures.has("fix");
        self.close();
        self.open = Some(found);
        true
    }
}

impl LineReader for Full {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(file) = text.strip_prefix("FILE: ") {
            self.end_file();
            self.file = Some(name(&text::path(file)));
            return Use::Line;
        }
        let is_own = ((text.starts_with("FOUND ") || text.starts_with("A TOTAL OF ")) && self.count(text))
            || (text.contains('|') && self.row(line))
            || text.starts_with("PHPCBF CAN FIX ")
            || text.starts_with("PHP CODE SNIFFER ");
        if is_own {
            return Use::Line;
        }
        let is_rule = 9 < text.len() && text.bytes().all(|byte| byte == b'-');
        let is_time = text.starts_with("Time: ") && text.contains("; Memory: ");
        self.has_counts |= is_time && self.is_hinted;
        if is_rule && (self.file.is_some() || self.has_counts) || is_time { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end_file();
        self.has_counts.then(|| Candidate::of("full", self.findings).notes(self.notes))
    }
}
