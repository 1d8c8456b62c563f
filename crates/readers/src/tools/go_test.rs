//! `go test`: its text, verbose or not, and its JSON (`-json`, or text through `go tool test2json`).
//!
//! Go sums up nothing but a verdict for each package (`ok    example.com/demo  0.005s`), so tests are counted by their
//! own result lines, and suites, which are the packages, by the verdicts. What keeps a package from being built is a
//! finding of the compiler, and so is what stops a test binary outside of its tests.

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

/// Makes a test by its name, in which those around it stand before slashes.
pub(crate) fn case(package: Option<&str>, test: &str, status: TestStatus) -> TestCase {
    let mut names: Vec<&str> = package.into_iter().chain(test.split('/')).collect();
    let title = names.pop().unwrap_or(test);
    results::case(&names, title, None, status)
}

/// Makes a finding of a package that failed though none of its tests did: it panicked or exited outside of them.
fn package_failure(package: &str, printed: &printed::Printed, line: &Line<'_>, rule: &str) -> Diagnostic {
    let said = printed.panic().unwrap_or_else(|| "the package failed outside of its tests".to_owned());
    let mut found = diagnostic(FRAMEWORK, rule, line, Level::Error, &format!("{package}: {said}"));
    if let Some((file, at)) = printed.frame() {
        found.file = Some(name(&file));
        found.line = at;
    }
    found
}
