//! `go test`: its text, verbose or not, and its JSON (from `-json`, or from the text by `go tool test2json`).
//!
//! Go prints no summary except a verdict for each package (`ok    example.com/demo  0.005s`), so tests are
//! counted by their own result lines, and suites (the packages) by the verdicts. An error that keeps a package
//! from being built is a finding of the compiler, and an abort of a test binary outside of its tests is a
//! finding too.

pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod printed;

use referee_model::reading::TestCase;

use super::go_build;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("go-test", &["gotest", "go-test-json"], Role::Test)
    .lines(&[
        LineFormat::new(lines::PREFILTER, |_| Box::new(lines::Text::default())),
        LineFormat::new(&["\"Action\":\""], |_| Box::new(json::Events::default())),
        go_build::BESIDE_TESTS,
    ])
    .merge(crate::candidate::together);

const FRAMEWORK: &str = "go-test";

/// Makes a test case from a name in which parent tests are separated by slashes.
pub(crate) fn case(package: Option<&str>, test: &str, status: TestStatus) -> TestCase {
    let mut names: Vec<&str> = package.into_iter().chain(test.split('/')).collect();
    let title = names.pop().unwrap_or(test);
    results::case(&names, title, None, status)
}

/// Makes a finding for a package that failed although none of its tests did: it panicked or exited outside of
/// them.
fn package_failure(package: &str, printed: &printed::Printed, line: &Line<'_>, rule: &str) -> Diagnostic {
    let said = printed.panic().unwrap_or_else(|| "the package failed outside of its tests".to_owned());
    let mut found = diagnostic(FRAMEWORK, rule, line, Level::Error, &format!("{package}: {said}"));
    if let Some((file, at)) = printed.frame() {
        found.file = Some(name(&file));
        found.line = at;
    }
    found
}
