//! Swift: the compiler (`Sources/A/a.swift:3:5: error: cannot find 'x' in scope`), and `swift test` with XCTest
//! (`Test Case 'ATests.testX' failed (0.1 seconds)`) and Swift Testing (`✘ Test adds() failed after 0.001 seconds`).

mod tests;

use crate::prelude::*;

pub(crate) static COMPILER: Tool =
    Tool::new("swiftc", &["swift", "swift-build"], Role::Compile).lines(&[LineFormat::rows(PREFILTER, &COMPILER_TEXT)]);

pub(crate) static TEST: Tool = Tool::new("swift-test", &["xctest", "swift-testing"], Role::Test)
    .lines(&[
        LineFormat::tests(&["Test Case '", "Test run ", "Test Suite '"], &tests::TEXT),
        LineFormat::hinted(PREFILTER, |_| COMPILER_TEXT.reader(false)),
    ])
    .merge(candidate::together);

/// Texts one of which is in the first line of every finding.
const PREFILTER: &[&str] = &[".swift:"];

// Compiling the module and compiling the file print the same findings.
static COMPILER_TEXT: Rows = Rows::new("swiftc", "text").once().rows(&[
    related(r"^(?<file>(?:[A-Za-z]:)?[^:\s][^:]*\.swift):(?<line>\d+):(?<column>\d+): note: (?<message>\S.*?)$")
        .enters("below"),
    head(
        r"^(?<file>(?:[A-Za-z]:)?[^:\s][^:]*\.swift):(?<line>\d+):(?<column>\d+): (?<level>error|warning|remark|fatal error): (?<message>\S.*?)(?: \[#(?<code>\w+)\])?$",
    )
    .enters("below"),
    part(r"\^|`- |\|- | \| ").enters("marks"),
    part("^(?<source>.*)$").inside("below").enters("marks").tentative().check(|made, _| made.source.is_none()),
    part("").inside("below").enters("marks").tentative(),
]);
