//! The line that ends a run: `3 failed, 10 passed, 1 skipped, 2 warnings in 0.12s`.

use crate::prelude::*;

/// The final line, with or without bars. The counts precede the duration.
static CLOSING: Pattern = Pattern::new(
    r"^(?<bar>=+ )?(?<counts>(?:\d+ [a-z]+(?: [a-z]+)?, )*\d+ [a-z]+(?: [a-z]+)?|no tests ran) in \d+(?:\.\d+)? ?s(?:econds)?(?: \([^()]{1,60}\))?(?: =+)?$",
);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closing {
    pub(super) counts: TestCounts,
    /// Whether the line is between bars, as only pytest prints it.
    pub(super) is_in_bars: bool,
}

/// Words for numbers of something else than results.
pub(super) const REMARKS: &[&str] = &["deselected", "rerun", "reruns", "warning", "warnings"];

/// Returns the result that a word stands for, beside a test or behind a number of tests.
pub(super) fn status(word: &str) -> Option<TestStatus> {
    match word {
        "passed" | "xpassed" | "PASSED" | "XPASS" => Some(TestStatus::Passed),
        "failed" | "error" | "errors" | "FAILED" | "ERROR" | "subtests failed" | "subtest failed" => {
            Some(TestStatus::Failed)
        }
        "skipped" | "xfailed" | "SKIPPED" | "XFAIL" => Some(TestStatus::Skipped),
        _ => None,
    }
}

/// The line that ends a collection of tests, without running any.
static COLLECTION: Pattern = Pattern::new(r"^(?:=+ )?(?:\d+(?:/\d+)?|no) tests? collected\b.* in \d+\.\d+s(?: =+)?$");

/// Whether a line ends a collection of tests, without running any.
pub(super) fn is_collection(line: &str) -> bool {
    line.contains(" collected") && COLLECTION.is_match(line)
}

/// Parses the final line. Returns `None` if pytest only collected tests.
pub(super) fn closing(line: &str) -> Option<Closing> {
    let captures = CLOSING.find(line)?;
    let is_in_bars = captures.has("bar");
    let counts = captures.text("counts");
    if counts == "no tests ran" {
        return Some(Closing { counts: TestCounts::default(), is_in_bars });
    }
    let (mut sum, mut are_known) = (TestCounts::default(), false);
    for item in counts.split(", ") {
        let (number, word) = item.split_once(' ')?;
        let number = text::count(number)?;
        if let Some(status) = status(word) {
            results::add(&mut sum, status, number);
        }
        // A count by a plugin gives no number of tests unless they are counted beside it.
        are_known |= status(word).is_some() || REMARKS.contains(&word);
    }
    are_known.then_some(Closing { counts: sum, is_in_bars })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_read_in_their_forms() {
        for (line, counts) in [
            ("===== 1 failed, 1 passed, 1 skipped, 2 xfailed, 1 xpassed in 0.04s =====", Some((2, 1, 3))),
            ("3 failed, 2 errors in 1.5s", Some((0, 5, 0))),
            ("= 12 passed, 3 warnings in 75.31s (0:01:15) =", Some((12, 0, 0))),
            ("===== 5 passed in 0.12 seconds =====", Some((5, 0, 0))),
            ("2 passed, 1 rerun in 0.10s", Some((2, 0, 0))),
            ("2 passed, 4 subtests passed in 0.10s", Some((2, 0, 0))),
            ("==== no tests ran in 0.00s ====", Some((0, 0, 0))),
            ("==== 12 deselected in 0.01s ====", Some((0, 0, 0))),
            ("==== 3 tests collected in 0.01s ====", None),
            ("3 files changed in 2s", None),
            ("99999999999 passed in 2s", None),
            ("5 passed in total", None),
        ] {
            let found = closing(line).map(|it| (it.counts.passed, it.counts.failed, it.counts.skipped));
            assert_eq!(found, counts, "{line}");
        }
    }
}
