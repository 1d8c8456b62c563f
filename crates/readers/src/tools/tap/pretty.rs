//! Formatters of tape's TAP, used in a pipe: tap-spec, tap-dot and faucet. Each prints its own summary.
//!
//! ```text
//!     ✖ equals                  x equals               not ok 3 equals
//!   total:     3                2 tests                # tests 3
//!   passing:   2                2 passed               tests 3# pass  2
//!   failing:   1                1 failed               pass  2# fail  1
//!   duration:  54ms
//! ```

use crate::prelude::*;
use crate::shapes::locate::Frame;
use crate::test_rows::{Numbers, Progress, TestRows, count, failed, more, part, sum, within};

pub(super) const PREFILTER: &[&str] = &["  passing:  ", "  total:  ", " passed", "# pass ", "    ✖ ", "  not ok "];

/// `  at: Test.<anonymous> (/p/tape.cjs:1:126)`.
static AT: Pattern = Pattern::new(r"^ *at: .*?\(?(?<file>[^\s()]+):(?<line>\d+):(?<column>\d+)\)?$");

pub(super) static TEXT: TestRows = TestRows::new("tap", "pretty")
    .details(Language::JAVASCRIPT, 0)
    .trimmed()
    .ends_at_blank_lines()
    .needs_sum()
    .rows(&[
        count(r"^  total: +(?<total>\d+)").first().enters("tap-spec"),
        count(
            r"^  (?:passing: +(?<passed>\d+)|failing: +(?<failed>\d+)|skipped: +(?<skipped>\d+)|todo: +(?<pending>\d+))",
        )
        .inside("tap-spec"),
        sum(r"^  duration: +\d").inside("tap-spec").counts(whole),
        // The tests of tap-dot are groups; passed and failed are assertions, as for the other formatters.
        count(r"^  \d+ tests *$").first().enters("tap-dot"),
        sum(r"^  (?<passed>\d+) passed *$").inside("tap-dot"),
        more(r"^  (?<failed>\d+) failed *$").inside("tap-dot"),
        // Faucet overwrites the line before: `pass  2# fail  1`. Alone, such lines are from TAP itself, or from faucet if
        // carriage returns were resolved; the mark at its last line tells which.
        count(r"^(?:[a-z]+ +\d+)?# tests *(?<total>\d+)").first().enters("faucet"),
        sum(r"^(?:✓ (?:ok|pass +\d)|⨯ fail +\d)").inside("faucet").counts(whole).enters(""),
        sum(r"^[a-z]+ +\d+# (?:fail *(?<failed>\d+)|ok)").inside("faucet").counts(whole),
        count(r"^(?:[a-z]+ +\d+)?# (?:pass *(?<passed>\d+)|fail *(?<failed>\d+)|ok)").inside("faucet"),
        failed(r"^(?:    ✖ |  not ok \d+ |    x )(?<name>\S.*)$").inside("").listed(),
        // Faucet prints the test of a failed assertion below it.
        part(r"^⨯ (?<test>\S.*?)(?: {4}---)?$")
            .check(|at, _| at.runs.open.as_ref().is_some_and(|open| open.failure.message.is_empty()))
            .then(|at, found| {
                let Some(Failing { failure, .. }) = &mut at.runs.open else { return };
                failure.name = name(&format!("{} > {}", found.text("test"), failure.name));
            }),
        part(r"^ *(?<message>at: .*)$").then(|at, found| {
            let place = AT.find(found.matched()).map(|found| Frame::of(&found));
            if let (Some(open), Some(place)) = (&mut at.runs.open, place) {
                open.begins_at(place);
            }
        }),
        // Nothing stands between the lines of a summary.
        within(r"^").check(|at, _| at.runs.open.is_none()).tentative().enters(""),
    ]);

/// Returns the counts of a summary whose numbers add up to its total.
fn whole(_: &Progress, sum: &Numbers) -> Option<TestCounts> {
    let counts = results::counts(sum.passed.unwrap_or_default(), sum.failed(), sum.skipped());
    (sum.total == Some(counts.total)).then_some(counts)
}

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn each_formatter_sums_up_in_its_way() {
        for (text, expected) in [
            ("  total:     3\n  passing:   2\n  failing:   1\n  duration:  54ms\n", Some((2, 1, 0))),
            ("  total:     3\n  passing:   3\n  duration:  54ms\n", Some((3, 0, 0))),
            ("  2 tests\n  3 passed\n\n  Pass!\n", Some((3, 0, 0))),
            ("  2 tests\n  2 passed\n  1 failed\n", Some((2, 1, 0))),
            ("# tests 3\ntests 3# pass  3\npass  3# ok\n", Some((3, 0, 0))),
            ("# tests 3\ntests 3# pass  2\npass  2# fail  1\n", Some((2, 1, 0))),
            ("# tests 3\n# pass  3\n# ok\n✓ ok", Some((3, 0, 0))),
            ("# tests 3\n# pass  2\n# fail  1\n⨯ fail  1> next", Some((2, 1, 0))),
            ("# tests 2\n# pass  2\n✓ pass  2", Some((2, 0, 0))),
            ("# tests 3\n# pass  3\n\n# ok\n", None),
            ("# tests 3\n# pass  2\n# fail  1\n1..3\n✓ ok\n", None),
            ("# tests 3\n# pass  2\n✓ ok", None),
            ("  total:     3\n  passing:   2\n", None),
            ("  3 passed\n", None),
            ("  total:     3 files\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
