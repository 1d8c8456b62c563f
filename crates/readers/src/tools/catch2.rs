//! Catch2's console reporter, versions 2 and 3.
//!
//! ```text
//! vectors can be sized
//!   resizing bigger
//! -------------------------------------------------------------------------------
//! c2.cpp:6
//! ...............................................................................
//!
//! c2.cpp:6: FAILED:
//!   REQUIRE( v.size() == 11 )
//! ===============================================================================
//! test cases: 3 | 1 passed | 2 failed
//! ```

use crate::prelude::*;
use crate::test_rows::{TestRows, failed, sum, within};

pub(crate) static TOOL: Tool = Tool::new("catch2", &["catch"], Role::Test).lines(&[LineFormat::tests(
    &[
        "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "test cases: ",
        "All tests passed (",
        " is a Catch",
        "-----------------------------------------------------------",
    ],
    &TEXT,
)]);

static TEXT: TestRows = TestRows::new("catch2", "text").within_ctest().details(Language::PLAIN, 0).skips_blank_lines().rows(&[
    // Below a rule: the name of a test case, then those of its sections, indented; and below another its output.
    within(r"^(?:-{70,}|\.{70,})$").inside("names").enters("output"),
    within(r"^\.{70,}$").enters("output"),
    within(r"^-{70,}$").enters("names").then(|at, _| {
        at.suite.clear();
        at.intro.clear();
    }),
    within(r"^={70,}$").enters(""),
    within(r"^~{70,}$"),
    within(r"^(?<suite>\S.*)$").inside("names").check(|at, _| at.suite.is_empty()).then(|at, found| {
        at.suite = name(found.text("suite"));
    }),
    within(r"^\s*(?<section>\S.*)$").inside("names").then(|at, found| {
        let joint = if at.intro.is_empty() { "" } else { " / " };
        at.intro = name(&format!("{}{joint}{}", at.intro, found.text("section")));
    }),
    // Both count test cases, not assertions.
    sum(r"^All tests passed \((?:\d+ assertions?|no assertions) in (?<passed>\d+) test cases?\)$").below("").last(),
    sum(
        r"^test cases: +\d+(?: \| +(?<passed>\d+) passed)?(?: \| +(?<skipped>\d+) skipped)?(?: \| +(?<failed>\d+) failed)?(?: \| +(?<pending>\d+) failed as expected)?(?: \| +(?<skipped2>\d+) skipped)?$",
    )
    .below("")
    .counts(|_, sum| Some(results::counts(sum.passed.unwrap_or_default(), sum.failed(), sum.skipped())))
    .last(),
    within(r"^assertions: ").inside(""),
    failed(r"^(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+)|\((?<line2>\d+)\)): FAILED:$")
        .check(|at, _| matches!(at.section, "output" | "failure"))
        .once()
        .names_tool()
        .enters("failure"),
    within(r"^").inside("output"),
]);
