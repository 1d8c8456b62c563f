//! Busted, a Lua test runner: `plainTerminal`, `utfTerminal` and, in its own file, `gtest`.
//!
//! ```text
//! 1 success / 2 failures / 1 error / 1 pending : 0.001092 seconds
//!
//! Failure -> spec/a_spec.lua @ 3
//! calc fails
//! spec/a_spec.lua:4: Expected objects to be equal.
//! ```

use crate::prelude::*;
use crate::test_rows::{TestRows, failed, heading, more, part, started, sum, test, within};

pub(crate) static TOOL: Tool = Tool::new("busted", &[], Role::Test).lines(&[
    LineFormat::tests(
        &[" successes / ", " success / ", "Failure -> ", "Failure \u{2192} ", "Error -> ", "Error \u{2192} "],
        &TEXT,
    ),
    LineFormat::tests(&[" @ ", " from scanned files."], &GTEST),
]);

/// A line of a message, which begins with a location.
const PLACE: &str = r"^(?<message>(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): .*)$";

static TEXT: TestRows = TestRows::new("busted", "text").details(Language::PLAIN, 0).skips_blank_lines().rows(&[
    sum(
        r"^(?<passed>\d+) success(?:es)? / (?<failed>\d+) failures? / (?<errors>\d+) errors? / (?<pending>\d+) pending : [\d.]+ seconds$",
    )
    .enters("failures"),
    failed(r"^(?:Failure|Error) (?:->|\x{2192}) (?<file>\S.*?)(?: @ (?<line>\d+))?$").enters("failures"),
    heading(r"^Pending (?:->|\x{2192}) \S").enters("pending"),
    within(r"^").inside("pending"),
    part(r"^(?<name>.+)$"),
    part(PLACE),
]);

/// Much like GoogleTest.
///
/// ```text
/// [ RUN      ] spec/a_spec.lua @ 3: calc fails
/// spec/a_spec.lua:4: Expected objects to be equal.
/// [  FAILED  ] spec/a_spec.lua @ 3: calc fails (0.65 ms)
/// [==========] 5 tests from 1 test file ran. (2.86 ms total)
/// [  PASSED  ] 1 test.
/// ```
static GTEST: TestRows = TestRows::new("busted", "gtest").details(Language::PLAIN, 0).skips_blank_lines().rows(&[
    started(r"^\[ *RUN *\] (?<file>\S.*?) @ (?<line>\d+): (?<name>.*)$").names_tool(),
    test(r"^\[ *(?<status>OK|FAILED|ERROR|SKIPPED) *\] (?<file>\S.*?) @ \d+: (?<name>.*?)(?: \((?<ms>[\d.]+) ms\))?$"),
    sum(r"^\[==========\] (?<total>\d+) tests? from \d+ test files? ran\. \([\d.]+ ms total\)$")
        .counts(|_, _| Some(TestCounts::default()))
        .enters("sum"),
    more(r"^\[ *PASSED *\] (?<passed>\d+) tests?\.$").inside("sum"),
    more(r"^\[ *SKIPPED *\] (?<skipped>\d+) tests?[.,]").inside("sum"),
    more(r"^\[ *(?:FAILED|ERROR) *\] (?<failed>\d+) (?:test|error)s?[.,]").inside("sum"),
    part(PLACE),
]);
