//! The end of a run: `Ran 8 tests in 0.001s`, and below it `OK` or `FAILED (failures=1, skipped=2)`.

use crate::prelude::*;

static RAN: Pattern = Pattern::new(r"^Ran (?<tests>\d+) tests? in \d+(?:\.\d+)?s$");

static VERDICT: Pattern = Pattern::new(
    r"^(?<word>OK|FAILED|NO TESTS RAN)(?: \((?<counts>[a-z]+(?: [a-z]+)?=\d+(?:, ?[a-z]+(?: [a-z]+)?=\d+)*)\))?$",
);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) failed: u64,
    /// Number of tests that were skipped, or failed as expected.
    pub(super) skipped: u64,
    pub(super) unexpected_successes: u64,
    pub(super) has_failed: bool,
}

pub(super) fn ran(line: &str) -> Option<u64> {
    RAN.find(line)?.count("tests")
}

pub(super) fn verdict(line: &str) -> Option<Verdict> {
    if !["OK", "FAILED", "NO TESTS RAN"].iter().any(|word| line.starts_with(word)) {
        return None;
    }
    let captures = VERDICT.find(line)?;
    let mut verdict = Verdict { has_failed: captures.text("word") == "FAILED", ..Verdict::default() };
    let counts = captures.text("counts");
    for (what, number) in counts.split(',').filter_map(|item| item.trim().split_once('=')) {
        let number = text::count(number)?;
        match what {
            "failures" | "errors" => verdict.failed += number,
            "skipped" | "skips" | "todos" | "expected failures" => verdict.skipped += number,
            "unexpected successes" => verdict.unexpected_successes = number,
            // A count by a plugin, such as `successes`.
            _ => {}
        }
    }
    Some(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_in_their_forms() {
        let facts = |line| verdict(line).map(|it: Verdict| (it.failed, it.skipped, it.has_failed));
        assert_eq!(facts("OK"), Some((0, 0, false)));
        assert_eq!(facts("OK (skipped=3)"), Some((0, 3, false)));
        assert_eq!(facts("FAILED (failures=1, errors=2, skipped=1, expected failures=1)"), Some((3, 2, true)));
        assert_eq!(facts("NO TESTS RAN (skipped=2)"), Some((0, 2, false)));
        assert_eq!(facts("OK then"), None);
        assert_eq!(facts("FAILED (failures=99999999999)"), None);
        assert_eq!(ran("Ran 1 test in 0.000s"), Some(1));
        assert_eq!(ran("Ran 8 tests in a minute"), None);
    }
}
