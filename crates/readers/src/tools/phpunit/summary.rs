//! PHPUnit's final lines: `OK (1 test, 1 assertion)`, or a verdict and
//! `Tests: 10, Assertions: 6, Errors: 1, …`.

use crate::prelude::*;

static OK: Pattern = Pattern::new(r"^OK \((\d+) tests?, \d+ assertions?\)$");

/// Verdicts that precede the counts.
const VERDICTS: &[&str] = &["FAILURES!", "ERRORS!", "WARNINGS!", "OK, but"];

/// Whether a line is a verdict that precedes the counts.
pub(super) fn is_verdict(line: &str) -> bool {
    let is_known = VERDICTS.iter().any(|verdict| line.starts_with(verdict));
    is_known && (line.ends_with('!') || line.ends_with('.'))
}

/// Parses a final line. Up to version 9 a warning is a failed test; later it is only a remark about a test.
pub(super) fn counts(line: &str, warnings_fail: bool) -> Option<TestCounts> {
    if line.starts_with("OK (") {
        let total = text::count(OK.captures(line)?.get(1)?.as_str())?;
        return Some(results::counts(total, 0, 0));
    }
    let rest = line.strip_prefix("Tests: ")?.strip_suffix('.')?;
    let (mut total, mut failed, mut skipped, mut has_assertions) = (None, 0, 0, false);
    for (at, part) in rest.split(", ").enumerate() {
        let (name, number) = if at == 0 { ("Tests", part) } else { part.split_once(": ")? };
        let number = text::count(number)?;
        match name {
            "Tests" => total = Some(number),
            "Assertions" => has_assertions = true,
            "Errors" | "Failures" => failed += number,
            "Warnings" if warnings_fail => failed += number,
            "Skipped" | "Incomplete" => skipped += number,
            _ => {}
        }
    }
    // A class whose setup fails counts as an error in addition to its tests, none of which ran.
    Some(results::out_of(total.filter(|_| has_assertions)?, failed, skipped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_all_versions_are_read() {
        let read = |line, warnings_fail| {
            counts(line, warnings_fail).map(|counts| (counts.passed, counts.failed, counts.skipped, counts.total))
        };
        assert_eq!(read("OK (1 test, 1 assertion)", true), Some((1, 0, 0, 1)));
        let nine =
            "Tests: 10, Assertions: 6, Errors: 1, Failures: 3, Warnings: 1, Skipped: 1, Incomplete: 1, Risky: 1.";
        assert_eq!(read(nine, true), Some((3, 5, 2, 10)));
        assert_eq!(read(nine, false), Some((4, 4, 2, 10)));
        let eleven = "Tests: 4, Assertions: 3, PHPUnit Deprecations: 1, Deprecations: 2, Skipped: 1.";
        assert_eq!(read(eleven, false), Some((3, 0, 1, 4)));
        assert_eq!(read("Tests: 0, Assertions: 0, Errors: 1.", true), Some((0, 1, 0, 1)));
        for line in ["Tests: 3, Failures: 1.", "Tests: 3, Assertions: 4", "OK (many tests, 1 assertion)", "Tests: x."] {
            assert_eq!(read(line, true), None, "{line}");
        }
        assert!(is_verdict("OK, but incomplete, skipped, or risky tests!") && is_verdict("OK, but there were issues!"));
        assert!(!is_verdict("FAILURES of others"));
    }
}
