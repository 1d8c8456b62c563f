//! Findings recognized by a letter code after their location, as printed by flake8, pycodestyle and ruff:
//!
//! ```text
//! src/app.py:1:8: F401 'os' imported but unused
//! ```
//!
//! The line shows which kind of tool printed it, but not which one: ruff marks fixable findings and prints a
//! closing count.

use referee_model::reading::Diagnostic;

use crate::pattern::Groups;

/// A finding with its location; the pylint format has the code in brackets and no column.
pub(crate) const LOCATED: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*?):(?:cell \d+:)?(?<line>\d+):(?:(?<column>\d+):)? (?:(?<code>[A-Z]{1,6}\d{1,5})|(?<code2>invalid-syntax|unformatted|io-error|[a-z]+(?:-[a-z]+)+)|\[(?<code3>[A-Z]{1,6}\d{1,5}|invalid-syntax)\]):? (?<fix>\[\*\] )?(?<message>\S.*)$";

/// Ruff's closing count: `Found 21 errors.`, or with `--fix` `Found 3 errors (1 fixed, 2 remaining).`
pub(crate) const RUFF_CLOSING: &str =
    r"^Found (?:(?<errors>\d+) errors?|\d+ errors? \((?:.*, )?(?<errors2>\d+) remaining\))\.$";

/// Whether a finding may be one of these tools: of lowercase names, ruff prints only some as codes.
pub(crate) fn is_coded(made: &Diagnostic) -> bool {
    made.code.as_deref().is_some_and(|code| is_name(code) || !code.contains('-'))
}

/// Whether only ruff prints such a finding.
pub(crate) fn is_of_ruff(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    is_coded(made) && (found.has("fix") || made.code.as_deref().is_some_and(is_name))
}

fn is_name(code: &str) -> bool {
    matches!(code, "invalid-syntax" | "unformatted" | "io-error")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;

    #[test]
    fn closing_counts_are_read_in_their_forms() {
        static CLOSING: Pattern = Pattern::new(RUFF_CLOSING);
        for (line, count) in [
            ("Found 21 errors.", Some(21)),
            ("Found 1 error.", Some(1)),
            ("Found 3 errors (1 fixed, 2 remaining).", Some(2)),
            ("Found 2 errors in 1 file (checked 1 source file)", None),
            ("Found 3 warnings.", None),
        ] {
            assert_eq!(CLOSING.find(line).and_then(|found| found.count("errors")), count, "{line}");
        }
    }
}
