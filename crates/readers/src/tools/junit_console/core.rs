//! JUnit 4's own runner, `java org.junit.runner.JUnitCore`:
//!
//! ```text
//! JUnit version 4.13.2
//! ..E.
//! There was 1 failure:
//! 1) addsWrong(demo.CalcTest)
//! java.lang.AssertionError: expected:<4> but was:<3>
//!
//! FAILURES!!!
//! Tests run: 3,  Failures: 1
//! ```
//!
//! The runner does not count ignored tests.

use crate::prelude::*;
use crate::shapes::jvm::JVM;
use crate::test_rows::{TestRows, failed, heading, sum};

pub(super) const FORMAT: LineFormat = LineFormat::tests(&["JUnit version 4"], &TEXT);

static TEXT: TestRows = TestRows::new("junit", "core").rule("junit-console/core").joint(".").details(&JVM, 0).rows(&[
    heading(r"^JUnit version 4").enters("run"),
    sum(r"^(?:OK \((?<total>\d+) tests?\)|Tests run: (?<total2>\d+),  Failures: (?<failed>\d+))$")
        .inside("run")
        .enters(""),
    failed(r"^\d+\) (?<name>\S.*)\((?<suite>[\w.$]+)\)$").inside("run"),
    failed(r"^\d+\) (?<broken>[\w.$]+)$").inside("run"),
    heading(r"^FAILURES!!!$"),
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    #[test]
    fn failures_and_counts_are_read() {
        let text = "JUnit version 4.13.2\n..E.\nTime: 0.01\nThere was 1 failure:\n1) addsWrong(demo.CalcTest)\njava.lang.AssertionError: expected:<4> but was:<3>\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat demo.CalcTest.addsWrong(CalcTest.java:7)\n\nFAILURES!!!\nTests run: 3,  Failures: 1\n";
        let tests = claimed(TEXT.reader(false), text).and_then(|candidate| candidate.tests).unwrap();
        assert_eq!(tests.counts, results::counts(2, 1, 0));
        let failure = &tests.failures[0];
        assert_eq!((failure.name.as_str(), failure.line), ("demo.CalcTest.addsWrong", Some(7)));
        assert_eq!(failure.message, "expected:<4> but was:<3>");
    }
}
