//! `dart test`, compact and expanded: `00:01 +3 ~1 -1: group adds [E]` with the failure indented below, and
//! `00:01 +3 ~1 -1: Some tests failed.` at the end.

use crate::prelude::*;
use crate::test_rows::{TestRows, failed, frame, heading, part, sum};

pub(super) static TEXT: TestRows = TestRows::new("dart-test", "text").details(Language::PLAIN, 2).trimmed().skips_blank_lines().rows(&[
    sum(
        r"^\d\d:\d\d \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: (?:All tests passed!|Some tests failed\.|All tests skipped\.)$",
    )
    .last(),
    // The last line of the `github` reporter.
    sum(r"^🎉 (?<passed>\d+) tests? passed(?:, (?<skipped>\d+) skipped)?\.$").last(),
    // `00:01 +3 ~1 -1: group adds [E]`.
    failed(
        r"^\d\d:\d\d \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: (?:loading (?<broken>(?<file>\S.*?))|(?:(?<file2>\S+_test\.dart): )?(?<name>\S.*?)) \[E\]$",
    )
    .names_tool(),
    heading(r"^\d\d:\d\d \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: \S").names_tool(),
    // `  test/a_test.dart 5:7  main.<fn>`.
    frame(r"^ +(?<file>[^\s:]+\.dart) (?<line>\d+)(?::(?<column>\d+))? +\S"),
    frame(r"^ +(?:package|dart):"),
    part(r"^ +(?<message>Expected: (?<expected>.*))$"),
    part(r"^ +(?<message>Actual: (?<received>.*))$"),
]);

#[cfg(test)]
mod unit {
    use super::*;
    use crate::trial::claimed;

    #[test]
    fn failures_have_values_and_places() {
        let text = "00:00 +0: loading test/a_test.dart\n00:00 +0: adds\n00:00 +0 -1: test/a_test.dart: adds [E]\n  Expected: <4>\n    Actual: <3>\n  \n  package:matcher               expect\n  test/a_test.dart 5:7          main.<fn>\n  \n00:00 +1 ~1 -1: Some tests failed.\n";
        let tests = claimed(TEXT.reader(false), text).and_then(|candidate| candidate.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed, tests.counts.skipped), (1, 1, 1));
        let failure = &tests.failures[0];
        assert_eq!(
            (failure.line, failure.expected.as_deref(), failure.received.as_deref()),
            (Some(5), Some("<4>"), Some("<3>"))
        );
    }
}
