//! doctest, the testing framework for C++.
//!
//! ```text
//! TEST CASE:  bad
//!
//! dt.cpp:5: ERROR: CHECK( 1 == 2 ) is NOT correct!
//! [doctest] test cases: 3 | 1 passed | 2 failed | 1 skipped
//! ```

use crate::prelude::*;
use crate::test_rows::{TestRows, failed, heading, part, sum, within};

pub(crate) static TOOL: Tool =
    Tool::new("doctest", &[], Role::Test).lines(&[LineFormat::tests(&["[doctest] "], &TEXT)]);

static TEXT: TestRows = TestRows::new("doctest", "text").within_ctest().details(Language::PLAIN, 0).skips_blank_lines().rows(&[
    sum(
        r"^\[doctest\] test cases: +\d+ \| +(?<passed>\d+) passed \| +(?<failed>\d+) failed(?: \| +(?<skipped>\d+) skipped)?",
    )
    .last()
    .enters(""),
    within(r"^\[doctest\] "),
    within(r"^=======").enters(""),
    part(r"^(?:TEST SUITE: .*|.*:\d+:|.*\(\d+\):)$").inside(""),
    // A test case is printed again for each path through its subcases.
    heading(r"^TEST CASE:  (?<suite>\S.*)$").enters("test"),
    failed(
        r"^(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+): |\((?<line2>\d+)\): )(?:FATAL )?ERROR: (?<message>.*)$",
    )
    .inside("test")
    .once(),
    within(r"^").inside("test").check(|at, _| at.runs.open.is_none()),
]);
