//! The console launcher of the JUnit platform: failures with their stacks, then counts of containers and tests.
//!
//! ```text
//! Failures (1):
//!   JUnit Jupiter:CalcTest:addsWrong()
//!     MethodSource [className = 'demo.CalcTest', methodName = 'addsWrong', methodParameterTypes = '']
//!     => org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
//!        demo.CalcTest.addsWrong(CalcTest.java:7)
//!
//! Test run finished after 64 ms
//! [         9 tests found           ]
//! [         1 tests skipped         ]
//! [         5 tests successful      ]
//! [         3 tests failed          ]
//! ```

mod core;

use crate::prelude::*;
use crate::shapes::jvm::JVM;
use crate::test_rows::{Progress, TestRows, failed, heading, more, part, sum, within};

pub(crate) static TOOL: Tool =
    Tool::new("junit-console", &["junit-platform-console", "junit-console-launcher", "junitcore"], Role::Test)
        .lines(&[
            LineFormat::tests(&["Test run finished after ", "Failures (", "MethodSource [", "ClassSource ["], &TEXT),
            core::FORMAT,
        ])
        .merge(candidate::together);

static TEXT: TestRows = TestRows::new("junit", "text").rule("junit-console/text").details(&JVM, 0).rows(&[
    heading(r"^Failures \(\d+\):$").enters("failures"),
    sum(r"^Test run finished after ").counts(|_, _| Some(TestCounts::default())).enters("sum"),
    more(
        r"^\[ *(?:(?<passed>\d+) tests +successful|(?<failed>\d+) tests +failed|(?<skipped>\d+) tests +(?:skipped|aborted)) *\]$",
    ),
    within(r"^\[ *(?<failed>[1-9]\d*) containers +failed *\]$")
        .then(|at, found| at.runs.sum_up_suites(results::counts(0, found.number("failed"), 0))),
    within(r"^\[ *\d+ (?:tests|containers) +[a-z]+ *\]$").inside("sum"),
    // Further lines of a message have only the indentation of the test.
    failed(r"^  (?<name>\S.*)$").inside("failures").check(is_past_message),
    heading(r"^ ?\S").inside("failures").check(is_past_message).enters(""),
    part(r"^    (?:Method|Class)Source \[className = '(?<suite>[^']*)'(?:, methodName = '(?<method>[^']*)')?.*\]$")
        .then(rename),
    part(r"^    => (?<message>.*)$"),
]);

/// Returns whether no message is being read.
fn is_past_message(at: &Progress, _: &Groups<'_, '_>) -> bool {
    at.runs.open.as_ref().is_none_or(|open| open.failure.message.is_empty() || open.has_stack())
}

/// Replaces the path of a test in the tree of tests by its class and method, and the invocation of a parameterized
/// test: `[2]`.
fn rename(at: &mut Progress, found: &Groups<'_, '_>) {
    let Some(open) = &mut at.runs.open else { return };
    let (class, method) = (found.text("suite"), found.text("method"));
    (open.class, open.method) = (class.to_owned(), method.to_owned());
    open.failure.suite = method.is_empty();
    let index = open.failure.name.rsplit_once(":[").and_then(|(_, rest)| rest.split_once(']'));
    let index = index.map(|(index, _)| format!("[{index}]")).unwrap_or_default();
    open.failure.name = if method.is_empty() { name(class) } else { name(&format!("{class}.{method}{index}")) };
}
