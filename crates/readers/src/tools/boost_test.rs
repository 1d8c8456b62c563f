//! Boost.Test.
//!
//! ```text
//! Running 3 test cases...
//! t.cpp(10): error: in "suite/adds": check add(1, 2) == 4 has failed [3 != 4]
//!
//! *** 1 failure is detected in the test module "Adding"
//! ```
//!
//! The summary counts failed checks rather than failed tests: those are taken from the names in the failures.

use crate::prelude::*;
use crate::test_rows::{TestRows, failed, run, sum};

pub(crate) static TOOL: Tool =
    Tool::new("boost-test", &["boost.test", "boost"], Role::Test).lines(&[LineFormat::tests(
        &[" test cases...", " test case...", "in the test module \"", "*** No errors detected"],
        &TEXT,
    )]);

static TEXT: TestRows = TestRows::new("boost-test", "text").rows(&[
    run(r"^Running (?<total>\d+) test cases?\.\.\.$"),
    // Failures that were not printed count as one failed test, because their tests are unknown.
    sum(
        r#"^\*\*\* (?:(?<errors>\d+) failures? (?:is|are) detected|No errors detected|Errors where detected)(?: \(.*\))?(?: in (?:the )?test (?:module|suite) "[^"]*")?;?.*$"#,
    )
    .counts(|at, sum| {
        let failed = at.runs.seen.failed.max(sum.errors.map_or(0, |_| 1));
        Some(results::out_of(sum.total?, failed, 0))
    })
    .last(),
    failed(
        r#"^(?:unknown location(?:\(0\)|:0): |(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]*)(?:\((?<line>\d+)\)|:(?<line2>\d+)): )(?:fatal )?error: in "(?<name>[^"]+)": (?<message>.*)$"#,
    )
    .check(|at, _| at.numbers.total.is_some())
    .once()
    .names_tool(),
]);
