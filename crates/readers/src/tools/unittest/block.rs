//! One failure: its heading between rules of `=` and `-`, and the traceback below.

use crate::prelude::*;
use crate::shapes::locate;
use crate::shapes::python::{Frame, TRACEBACK, frame, is_chained, is_in_project};
use crate::tools::unittest::RULE;

/// `FAIL: test_sub (test_unit.OrderTests.test_sub) (i=1)`. The text after the first brackets names a subtest.
static HEADING: Pattern =
    Pattern::new(r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?<test>.+?)(?: \((?<place>[\w.<>]+)\)(?<sub>(?: [\[(].*)?))?$");

/// Names of setup and teardown functions, which are not tests.
const FIXTURES: &[&str] = &["setUpClass", "tearDownClass", "setUpModule", "tearDownModule"];

/// A traceback, whose message follows its stack.
const TRACE: &Language = &Language { takes_frame, ..*Language::PLAIN };

fn takes_frame(failing: &mut Failing, text: &str) -> bool {
    let found = frame(text);
    if is_chained(text) {
        failing.forget_places();
    }
    if found.is_some() || text == TRACEBACK || is_chained(text) {
        failing.failure.message.clear();
    } else if !text.starts_with(' ') || !failing.failure.message.is_empty() {
        // Neither a source line nor marks below it.
        failing.append(text);
    }
    let Some(Frame { file, line, function }) = found else { return true };
    failing.trace(text);
    if is_in_project(&file) {
        let place = locate::Frame { file, line, column: None };
        if function.as_ref() == Some(&failing.method) {
            failing.looks_at(place.clone());
        }
        // Otherwise the outermost frame in the project counts.
        failing.begins_at(place);
    }
    true
}

/// A failure that is being read.
pub(super) struct Block {
    /// The test, with the dotted name in parentheses as its class.
    failing: Failing,
    /// False for a test that passed although it was expected to fail.
    pub(super) has_failed: bool,
    subtest: String,
}

impl Block {
    pub(super) fn new(line: &Line<'_>) -> Option<Self> {
        let text = line.text.trim_end();
        let found = HEADING.find(text)?;
        let mut failing = Failing::new(found.text("test"), RULE, line).told_in(TRACE);
        failing.class = name(found.text("place"));
        failing.method.clone_from(&failing.failure.name);
        let has_failed = !text.starts_with("UNEXPECTED SUCCESS");
        Some(Self { failing, has_failed, subtest: name(found.text("sub").trim()) })
    }

    /// Reads a line of the traceback, up to captured output of the test.
    pub(super) fn line(&mut self, line: &Line<'_>, text: &str) {
        self.failing.is_past_message |= matches!(text, "Stdout:" | "Stderr:");
        if !self.failing.is_past_message && !text.is_empty() {
            self.failing.add(line, text);
        }
    }

    /// Returns the failed test, without the subtest, or `None` if the failure is not one of a test.
    pub(super) fn counted(&self) -> Option<(String, String)> {
        let Failing { method, class, .. } = &self.failing;
        (self.has_failed && !FIXTURES.contains(&method.as_str())).then(|| (method.clone(), class.clone()))
    }

    pub(super) fn failure(self) -> TestFailure {
        let Failing { method: test, class: place, .. } = &self.failing;
        let is_import = place.contains("_FailedTest");
        let mut full = if is_import || place.is_empty() {
            test.clone()
        } else if place.ends_with(&format!(".{test}")) {
            place.clone()
        } else {
            format!("{place}.{test}")
        };
        if !self.subtest.is_empty() {
            full = format!("{full} {}", self.subtest);
        }
        TestFailure { name: full, suite: is_import, ..self.failing.finish() }
    }
}
