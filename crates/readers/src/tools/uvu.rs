//! uvu: dots for tests, the failures, and a summary of four lines.
//!
//! ```text
//! calc.js
//! • ✘   (1 / 2)
//!
//!    FAIL  math  "throws"
//!     boom
//!     at Object.handler (/project/calc.js:8:30)
//!
//!   Total:     2
//!   Passed:    1
//!   Skipped:   1
//!   Duration:  1.87ms
//! ```

use crate::prelude::*;
use crate::test_rows::{TestRows, count, failed, heading, sum};

pub(crate) static TOOL: Tool = Tool::new("uvu", &[], Role::Test)
    .lines(&[LineFormat::tests(&["   FAIL  ", "  Total:     ", "• "], &TEXT)])
    .merge(runs::one_run);

static TEXT: TestRows = TestRows::new("uvu", "text").details(Language::JAVASCRIPT, 4).rows(&[
    failed(r#"^ +FAIL  (?:(?<suite>[^"].*?)  )?"(?<name>.*)"$"#).listed(),
    count(r"^  Total:  +(?<ran>\d+)$").first(),
    count(r"^  (?:Passed:  +(?<passed>\d+)|Skipped:  +(?<skipped>\d+))$"),
    sum(r"^  Duration:  \S+$").check(|at, _| at.numbers.skipped.is_some()),
    heading(r"^(?<file>[^\s:()]+\.[cm]?[jt]sx?)$"),
    // ` math  • ✘   (1 / 2)`.
    heading(r"^(?: \S.*?  )?(?:[•✘] ?)* {2,}\((?<ran>\d+) / (?<total>\d+)\)$").then(|at, found| {
        at.runs.go_on();
        let (passed, total) = (found.number("ran"), found.number("total"));
        at.runs.count(TestStatus::Passed, passed);
        at.runs.count(TestStatus::Failed, total.saturating_sub(passed));
    }),
]);

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn skipped_tests_are_beside_the_total() {
        for (text, expected) in [
            (
                "a.js\n• • ✘   (2 / 3)\n\n  Total:     3\n  Passed:    2\n  Skipped:   1\n  Duration:  1.87ms\n",
                Some((2, 1, 1)),
            ),
            ("  Total:     3\n  Passed:    9\n  Skipped:   1\n  Duration:  1.87ms\n", None),
            ("  Total:     3\n  Passed:    1\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
