//! The `string` format and `verbose`, which has the numbers of each rule below: `  1:3  ✖  Unexpected unit  length-zero-no-unit`.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, NAME_BYTES, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::tally::Tally;
use crate::text;
use crate::tools::stylelint::problems;

/// A row: place, mark, message and, two spaces behind it, the rule.
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ +(?<line>\d+):(?<column>\d+) +(?<mark>[✖×⚠‼ℹi])  +(?<message>\S.*?)(?:  +(?<code>[a-zA-Z@][\w@/-]*))?$",
    )
});

/// How much `--fix` would mend.
static FIXABLE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^ +(?:(?<errors>\d+) errors?)?(?: and )?(?:(?<warnings>\d+) warnings?)? potentially fixable with the "--fix" option\.$"#,
    )
});

/// What `verbose` says of all it looked at.
static CHECKED: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^\d+ sources? checked$"));

/// Reads the table.
pub(crate) struct Table {
    is_hinted: bool,
    tally: Tally,
    /// The line before, which may name the file; empty where it cannot.
    header: String,
    file: Option<String>,
    open: Option<Diagnostic>,
    was_checked: bool,
    /// Whether the lines come in which `verbose` lists files and rules.
    is_in_list: bool,
}

impl Table {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self {
            is_hinted,
            tally: Tally::new("stylelint"),
            header: String::new(),
            file: None,
            open: None,
            was_checked: false,
            is_in_list: false,
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.tally.add(open);
        }
    }

    fn row(&mut self, line: &Line<'_>) -> Option<Use> {
        if !line.text.starts_with(' ') || !line.text.contains("  ") {
            return None;
        }
        let captures = ROW.captures(line.text.trim_end())?;
        self.close();
        let used = if self.header.is_empty() {
            Use::Line
        } else {
            self.file = Some(text::path(&self.header));
            self.header.clear();
            Use::WithPrevious
        };
        let level = match &captures["mark"] {
            "✖" | "×" => Level::Error,
            "⚠" | "‼" => Level::Warning,
            _ => Level::Info,
        };
        let mut found = diagnostic("stylelint", "stylelint/string", line, level, &captures["message"]);
        found.file.clone_from(&self.file);
        found.line = text::position(&captures["line"]);
        found.column = text::position(&captures["column"]);
        found.code = captures.name("code").map(|code| name(code.as_str()));
        self.open = Some(found);
        Some(used)
    }

    /// Takes a line behind a row: the rest of a message that was broken to fit into the terminal.
    fn continuation(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        if text::indent(&line.text) < 8 {
            return false;
        }
        let rest = line.text.trim();
        if open.message.len() + rest.len() < limit::MESSAGE_BYTES {
            open.message.push(' ');
            open.message.push_str(rest);
        }
        open.origin.end = line.end;
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        if let Some(sum) = problems(text) {
            self.close();
            self.file = None;
            if 0 < self.tally.listed() || self.is_hinted {
                self.tally.sum_up(sum);
                return true;
            }
            return false;
        }
        if 0 < self.tally.sums
            && text.ends_with(" option.")
            && let Some(captures) = FIXABLE.captures(text)
        {
            let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str()));
            self.tally.findings.counts.fixable +=
                number("errors").unwrap_or_default() + number("warnings").unwrap_or_default();
            return true;
        }
        if text.contains(" checked") && CHECKED.is_match(text) {
            self.was_checked = true;
            self.is_in_list = true;
            return true;
        }
        self.is_in_list && (text.starts_with(' ') || text.ends_with(" found"))
    }
}

impl LineReader for Table {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            self.close();
            self.header.clear();
            return Use::None;
        }
        if let Some(used) = self.row(line) {
            return used;
        }
        if self.continuation(line) || self.closing(line.text.trim_end()) {
            return Use::Line;
        }
        self.close();
        self.header.clear();
        if line.text.contains(['/', '\\', '.', '<']) && !line.text.starts_with(' ') {
            self.header.push_str(cut::head(&line.text, NAME_BYTES).trim_end());
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let has_result = 0 < self.tally.read || (self.is_hinted && (0 < self.tally.sums || self.was_checked));
        // Without the count below, the marks alone could be those of others.
        let is_sure = self.is_hinted || 0 < self.tally.sums || self.was_checked;
        let standing = if is_sure { Standing::Certain } else { Standing::Likely };
        has_result.then(|| self.tally.claim("string", standing))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn claim(text: &str) -> Option<Claim> {
        let mut table = Box::new(Table::new(false));
        for text in text.lines() {
            let stream = Stream::Stdout;
            table.line(&Line { text: text.into(), text_start: None, stream, start: 0, end: 0, is_cut: false });
        }
        table.finish()
    }

    #[test]
    fn rows_are_taken_apart() {
        let text = "css/a.css\n  1:3   ✖  Expected \"a\"  to be \"b\"   some/rule-name\n  1:12  ⚠  Unclosed\n\n\
                    2 problems (1 error, 1 warning)\n";
        let claim = claim(text).unwrap();
        assert_eq!(claim.standing, Standing::Certain);
        let found = claim.findings.kept.into_items();
        let facts: Vec<_> =
            found.iter().map(|it| (it.file.as_deref(), it.column, it.code.as_deref(), it.message.as_str())).collect();
        let file = Some("css/a.css");
        assert_eq!(
            facts,
            [
                (file, Some(3), Some("some/rule-name"), "Expected \"a\"  to be \"b\""),
                (file, Some(12), None, "Unclosed")
            ]
        );
    }

    #[test]
    fn a_broken_message_is_put_together() {
        let text = "a.css\n 1:3  ✖  Expected modern       color-rule\n         notation\n\n✖ 1 problem (1 error, 0 warnings)\n";
        let found = claim(text).unwrap().findings.kept.into_items();
        assert_eq!(
            (found[0].message.as_str(), found[0].code.as_deref()),
            ("Expected modern notation", Some("color-rule"))
        );
    }

    #[test]
    fn marks_alone_are_no_findings() {
        assert!(claim("  ✖  npm run lint\n").is_none());
        assert!(claim("✖ 1 problem (1 error, 0 warnings)\n").is_none());
    }
}
