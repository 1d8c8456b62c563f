//! The default format: a file on a line of its own, below it a table of its findings, at the end the count of all.

use std::sync::LazyLock;

use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Claim, LineReader, NAME_BYTES, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;
use crate::tools::eslint::{Tally, Unfinished, fixable, is_rule, problems};

/// A row of the table: place, severity, message and, two spaces behind it, the rule.
static ROW: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ +(?<line>\d+):(?<column>\d+) +(?<level>error|warning)  +(?<rest>\S.*)$"));

/// Reads `stylish`.
pub(crate) struct Stylish {
    is_hinted: bool,
    tally: Tally,
    /// The line before, which may name the file; empty where it cannot.
    header: String,
    file: Option<String>,
    open: Option<Unfinished>,
}

impl Stylish {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::default(), header: String::new(), file: None, open: None }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.tally.add(open.diagnostic);
        }
    }

    fn row(&mut self, line: &Line<'_>) -> Option<Use> {
        if !line.text.trim_start_matches(' ').starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let captures = ROW.captures(&line.text)?;
        self.close();
        let used = if is_file(&self.header) {
            self.file = Some(text::path(&self.header));
            Use::WithPrevious
        } else {
            Use::Line
        };
        self.header.clear();
        let level = if &captures["level"] == "error" { Level::Error } else { Level::Warning };
        let (message, rule) = split_rule(&captures["rest"]);
        let mut found = diagnostic("eslint", "eslint/stylish", line, level, message);
        found.file.clone_from(&self.file);
        found.line = text::position(&captures["line"]);
        found.column = text::position(&captures["column"]).filter(|_| found.line.is_some());
        found.code = rule.map(name);
        if found.code.is_some() {
            self.tally.add(found);
        } else {
            self.open = Some(Unfinished::new(found));
        }
        Some(used)
    }

    /// Takes a line of a message of several: the rule stands behind its last one.
    fn continuation(&mut self, line: &Line<'_>) -> Use {
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        let (message, rule) = split_rule(&line.text);
        let goes_on = open.add(message, line);
        if let Some(rule) = rule {
            open.diagnostic.code = Some(name(rule));
        }
        if rule.is_some() || !goes_on {
            self.close();
        }
        Use::Line
    }
}

impl LineReader for Stylish {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            self.close();
            self.header.clear();
            return Use::None;
        }
        let text = &*line.text;
        if text.starts_with(' ') {
            if let Some(used) = self.row(line) {
                return used;
            }
            if let Some(fixable) = fixable(text)
                && 0 < self.tally.runs
            {
                self.tally.findings.counts.fixable += fixable;
                return Use::Line;
            }
        } else if let Some(sum) = problems(text) {
            self.close();
            self.tally.sum_up(sum);
            self.file = None;
            return Use::Line;
        }
        if self.open.is_some() {
            return self.continuation(line);
        }
        self.header.clear();
        if !text.starts_with(' ') {
            self.header.push_str(text::beginning(text, NAME_BYTES).trim_end());
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        self.tally.claim("stylish", self.is_hinted)
    }
}

/// Splits a message from the rule that stands two spaces or more behind it.
fn split_rule(text: &str) -> (&str, Option<&str>) {
    let trimmed = text.trim_end();
    match trimmed.rsplit_once("  ") {
        Some((message, rule)) if is_rule(rule) => (message.trim_end(), Some(rule)),
        _ => (trimmed, None),
    }
}

/// Returns whether a line could name a file.
fn is_file(text: &str) -> bool {
    text.contains(['/', '\\', '.', '<'])
}
