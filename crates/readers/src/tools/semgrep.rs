//! Semgrep's text: below each file the matching rules, their messages, and the matching lines.
//!
//! ```text
//!     src/a.py
//!    ❯❯❱ python.lang.security.audit.eval-detected
//!           Detected the use of eval().
//!           Details: https://sg.run/x
//!
//!            12┆ eval(x)
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("semgrep", &["opengrep"], Role::Lint)
    .lines(&[LineFormat::new(&["❯", "❱ "], |_| Box::new(Semgrep::default()))]);

static FILE: Pattern = Pattern::new(r"^ {2,4}(?<file>\S+)$");

static RULE: Pattern = Pattern::new(r"^ {2,6}(?<mark>❯{0,2}❱) (?<code>\S+)$");

static MATCH: Pattern = Pattern::new(r"^ +(?<line>\d+)┆ ?(?<source>.*)$");

#[derive(Default)]
struct Semgrep {
    file: Option<String>,
    open: Option<Diagnostic>,
    /// Whether the last line belonged to a match.
    is_in_match: bool,
    findings: Findings,
}

impl Semgrep {
    /// Reads a matching line: only the first of consecutive lines makes a finding.
    fn matched(&mut self, line: &Line<'_>, number: &str, source: &str) -> bool {
        let Some(open) = &self.open else { return false };
        if !self.is_in_match {
            let mut found = open.clone();
            found.line = text::position(number);
            found.source = Some(name(source));
            found.origin.end = line.end;
            found.message = text::trimmed(&found.message);
            self.findings.add(found);
        }
        self.is_in_match = true;
        true
    }
}

impl LineReader for Semgrep {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(captures) = RULE.find(text) {
            let level = match captures.text("mark") {
                "❯❯❱" => Level::Error,
                "❯❱" => Level::Warning,
                _ => Level::Info,
            };
            let mut found = diagnostic("semgrep", "semgrep/text", line, level, "");
            found.file.clone_from(&self.file);
            found.code = Some(name(captures.text("code")));
            (self.open, self.is_in_match) = (Some(found), false);
            return Use::WithPrevious;
        }
        if let Some(captures) = MATCH.find(text) {
            let is_own = self.matched(line, captures.text("line"), captures.text("source"));
            return if is_own { Use::Line } else { Use::None };
        }
        self.is_in_match = false;
        if let Some(captures) = FILE.find(text) {
            self.file = captures.file("file");
            self.open = None;
            return Use::None;
        }
        let trimmed = text.trim();
        let Some(open) = self.open.as_mut().filter(|_| text.starts_with("      ")) else { return Use::None };
        let is_frame = trimmed.starts_with("❰❰") || trimmed.starts_with("Details: ") || trimmed.starts_with("⋮┆");
        if !is_frame && open.message.len() + trimmed.len() < limit::MESSAGE_BYTES {
            open.message.push_str(trimmed);
            open.message.push(' ');
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.findings.candidate("text")
    }
}
