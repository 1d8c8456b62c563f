//! Findings recognized by a letter code after their location, as printed by flake8, pycodestyle and ruff:
//!
//! ```text
//! src/app.py:1:8: F401 'os' imported but unused
//! ```
//!
//! The line shows which kind of tool printed it, but not which one: ruff marks fixable findings and prints a
//! closing count. So consecutive findings are collected, and the text after them identifies the tool.

use referee_model::reading::{Diagnostic, Level};

use crate::candidate::Findings;
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::text;

/// A finding with its location; the pylint format has the code in brackets and no column.
static LOCATED: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*?):(?:cell \d+:)?(?<line>\d+):(?:(?<column>\d+):)? (?:(?<code>[A-Z]{1,6}\d{1,5})|(?<name>invalid-syntax|unformatted|io-error|[a-z]+(?:-[a-z]+)+)|\[(?<bracketed>[A-Z]{1,6}\d{1,5}|invalid-syntax)\]):? (?<fix>\[\*\] )?(?<message>\S.*)$",
);

/// A finding, and whether it shows that ruff printed it.
pub(crate) struct Coded {
    pub(crate) diagnostic: Diagnostic,
    pub(crate) is_of_ruff: bool,
}

pub(crate) fn finding(tool: &str, rule: &str, line: &Line<'_>) -> Option<Coded> {
    let first = line.text.bytes().next()?;
    let bytes = line.text.as_bytes();
    let is_before_digit = |at: usize| bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    if matches!(first, b' ' | b'\t') || !memchr::memchr_iter(b':', bytes).any(is_before_digit) {
        return None;
    }
    let found = LOCATED.find(&line.text)?;
    let mut diagnostic = found.diagnostic(tool, rule, line, Level::Error);
    let named = found.get("name");
    let code = found.get("code").or(found.get("bracketed")).or(named)?;
    diagnostic.code = Some(code.to_owned());
    let is_of_ruff = diagnostic.fixable || named.is_some() || code == "invalid-syntax";
    // Of lowercase names, ruff prints only these; any other is that of some other tool.
    let is_known = named.is_none_or(|name| matches!(name, "invalid-syntax" | "unformatted" | "io-error"));
    is_known.then_some(Coded { diagnostic, is_of_ruff })
}

/// Consecutive findings whose tool is not identified yet.
#[derive(Default)]
pub(crate) struct Sequence {
    pub(crate) findings: Findings,
    pub(crate) is_of_ruff: bool,
}

impl Sequence {
    pub(crate) fn add(&mut self, found: Coded) {
        self.is_of_ruff |= found.is_of_ruff;
        self.findings.add(found.diagnostic);
    }

    /// Returns the number of findings.
    pub(crate) fn len(&self) -> u64 {
        self.findings.counts.total()
    }
}

/// Parses ruff's closing count: `Found 21 errors.`, or with `--fix` `Found 3 errors (1 fixed, 2 remaining).`
pub(crate) fn ruff_closing(line: &str) -> Option<u64> {
    let count = line.strip_prefix("Found ")?.strip_suffix('.')?;
    let (number, rest) = count.split_once(' ')?;
    let number = text::count(number)?;
    match rest.split_once(" (") {
        None => matches!(rest, "error" | "errors").then_some(number),
        Some(("error" | "errors", fixed)) => {
            let remaining = fixed.strip_suffix(')')?.rsplit(", ").next()?.strip_suffix(" remaining")?;
            text::count(remaining)
        }
        Some(_) => None,
    }
}

/// Returns whether a line is ruff's note on fixable findings: `[*] 10 fixable with the `--fix` option.`
pub(crate) fn is_ruff_fixable(line: &str) -> bool {
    let is_mark = line.starts_with("[*] ") && line.contains(" fixable with ");
    is_mark || line.starts_with("No fixes available (")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_counts_are_read_in_their_forms() {
        for (line, count) in [
            ("Found 21 errors.", Some(21)),
            ("Found 1 error.", Some(1)),
            ("Found 3 errors (1 fixed, 2 remaining).", Some(2)),
            ("Found 2 errors in 1 file (checked 1 source file)", None),
            ("Found 3 warnings.", None),
        ] {
            assert_eq!(ruff_closing(line), count, "{line}");
        }
    }
}
