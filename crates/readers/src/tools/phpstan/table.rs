//! The table of a file, wrapped to the terminal's width, and the final count.

use crate::prelude::*;

/// `  Line   src/Account.php`, at the top of a table; findings without a file are below `Error`.
static HEAD: Pattern = Pattern::new(r"^  (?:Line   (?<file>\S.*?)(?: \(in context of .*\))?|   Error)\s*$");

/// `  12     Message`, with a colon before the number since version 2; a row without a number continues the
/// message.
static ROW: Pattern = Pattern::new(r"^ {2,4}:?(?<line>\d+|-) {2,}(?<message>\S.*)$");

/// ` [ERROR] Found 3 errors`, or ` [OK] No errors` if there are no findings.
static COUNT: Pattern = Pattern::new(r"^ ?\[(?:ERROR\] Found (?<errors>\d+) errors?|OK\] (?<ok>No errors))\s*$");

/// The subject of a table.
enum Of {
    File(String),
    /// Findings without a file.
    Nothing,
}

/// Reads one stream.
#[derive(Default)]
pub(super) struct Table {
    is_hinted: bool,
    findings: Findings,
    /// The subject of the table being read. `None` outside of tables.
    of: Option<Of>,
    open: Option<Diagnostic>,
    /// Number of horizontal rules since the top of the table.
    rules: u8,
    listed: u64,
    has_count: bool,
    is_clean: bool,
    notes: Vec<String>,
}

impl Table {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.listed += 1;
            self.findings.add(found);
        }
    }

    fn count(&mut self, text: &str) -> bool {
        let Some(captures) = COUNT.find(text) else { return false };
        self.close();
        self.of = None;
        self.is_clean |= captures.has("ok");
        if let Some(errors) = captures.count("errors") {
            let listed = std::mem::take(&mut self.listed);
            self.has_count = true;
            if listed < errors && self.notes.len() < 20 {
                self.notes.push(format!("phpstan sums up {errors} errors; {listed} were read one by one"));
            }
            self.findings.add_unlisted(Level::Error, errors.saturating_sub(listed));
        }
        true
    }

    fn row(&mut self, line: &Line<'_>) -> bool {
        let Some(of) = &self.of else { return false };
        let text = line.text.trim_end();
        let is_rule = text.trim_start().starts_with("--") && text.bytes().all(|byte| matches!(byte, b'-' | b' '));
        if is_rule {
            self.rules += 1;
            if 1 < self.rules {
                self.close();
                self.of = None;
            }
            return true;
        }
        if self.rules == 0 {
            self.of = None;
            return false;
        }
        if let (Some(captures), Of::File(file)) = (ROW.find(text), of) {
            let mut found = captures.diagnostic("phpstan", "phpstan/table", line, Level::Error);
            found.file = Some(file.clone());
            self.close();
            self.open = Some(found);
            return true;
        }
        let more = text.trim_start();
        if matches!(of, Of::Nothing) && !more.is_empty() {
            let found = diagnostic("phpstan", "phpstan/table", line, Level::Error, more);
            match &mut self.open {
                Some(open) => add(open, more),
                None => self.open = Some(found),
            }
            return true;
        }
        let Some(open) = &mut self.open else { return more.is_empty() };
        open.origin.end = line.end;
        if let Some(code) = more.strip_prefix("🪪") {
            open.code = Some(name(code.trim().split(' ').next().unwrap_or_default()));
        } else if let Some(tip) = more.strip_prefix("💡") {
            open.suggestion = Some(name(tip.trim()));
        } else if let Some(tip) = &mut open.suggestion {
            text::add_line(tip, more, limit::MESSAGE_BYTES);
        } else if !more.is_empty() && !more.starts_with('✏') && open.code.is_none() {
            add(open, more);
        }
        true
    }
}

/// Adds a wrapped line to the message.
fn add(open: &mut Diagnostic, more: &str) {
    if open.message.len() + more.len() < limit::MESSAGE_BYTES {
        open.message.push(' ');
        open.message.push_str(more);
    }
}

impl LineReader for Table {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.contains('[') && self.count(text) {
            return Use::Line;
        }
        if let Some(captures) = HEAD.find(text) {
            self.close();
            self.of = Some(captures.file("file").map_or(Of::Nothing, Of::File));
            self.rules = 0;
            return Use::WithPrevious;
        }
        if self.row(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_listed = !self.findings.counts.by_rule.is_empty();
        let is_recognized = has_listed || self.has_count || (self.is_clean && self.is_hinted);
        is_recognized.then(|| Candidate::of("table", self.findings).notes(self.notes))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn wrapped_messages_tips_and_identifiers_are_put_together() {
        let lines = [
            " ------ ---------------------------------------------",
            "  Line   src/Account.php (in context of class App\\A)",
            " ------ ---------------------------------------------",
            "  :12    Call to an undefined method",
            "         Account::missing().",
            "         🪪  method.notFound",
            "         💡 Learn more: https://phpstan.org/x",
            "  20     Second.",
            " ------ ---------------------------------------------",
            "",
            " -- ------------",
            "     Error",
            " -- ------------",
            "     Ignored error pattern was not matched.",
            " -- ------------",
            " [ERROR] Found 4 errors",
        ];
        let mut reader = Box::new(Table::default());
        for (at, text) in lines.iter().enumerate() {
            let (start, text) = (at as u64, *text);
            reader.line(&Line::new(text, Stream::Stdout, start..start + 1));
        }
        let candidate = reader.finish().unwrap();
        assert_eq!(candidate.findings.counts.errors, 4);
        let all = candidate.findings.kept.into_items();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].message, "Call to an undefined method Account::missing().");
        assert_eq!((all[0].file.as_deref(), all[0].line), (Some("src/Account.php"), Some(12)));
        assert_eq!(all[0].code.as_deref(), Some("method.notFound"));
        assert!(all[0].suggestion.is_some() && all[1].line == Some(20));
        assert_eq!((all[2].file.as_deref(), all[2].message.as_str()), (None, "Ignored error pattern was not matched."));
    }
}
