//! One failure: its heading between rules of `=` and `-`, and the traceback below.

use crate::prelude::*;
use crate::shapes::python::{Frame, TRACEBACK, frame, is_chained, is_in_project};

/// `FAIL: test_sub (test_unit.OrderTests.test_sub) (i=1)`. The text after the first brackets names a subtest.
static HEADING: Pattern =
    Pattern::new(r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?<test>.+?)(?: \((?<place>[\w.<>]+)\)(?<sub>(?: [\[(].*)?))?$");

/// Names of setup and teardown functions, which are not tests.
const FIXTURES: &[&str] = &["setUpClass", "tearDownClass", "setUpModule", "tearDownModule"];

/// A failure that is being read.
#[derive(Debug)]
pub(super) struct Block {
    test: String,
    /// False for a test that passed although it was expected to fail.
    pub(super) has_failed: bool,
    /// The dotted name in parentheses.
    place: String,
    subtest: String,
    origin: Origin,
    message: Option<String>,
    /// The outermost frame in the project.
    outermost: Option<Frame>,
    /// The frame of the test.
    own: Option<Frame>,
    stack: String,
    is_stack_line: bool,
    /// Whether captured output of the test follows.
    is_captured: bool,
}

impl Block {
    pub(super) fn new(heading: &str, origin: Origin) -> Option<Self> {
        let captures = HEADING.find(heading)?;
        Some(Self {
            test: name(captures.text("test").trim()),
            has_failed: !heading.starts_with("UNEXPECTED SUCCESS"),
            place: name(captures.text("place")),
            subtest: name(captures.text("sub").trim()),
            origin,
            message: None,
            outermost: None,
            own: None,
            stack: String::new(),
            is_stack_line: false,
            is_captured: false,
        })
    }

    /// Reads a line of the traceback.
    pub(super) fn line(&mut self, line: &str, end: u64) {
        let text = line.trim_end();
        if matches!(text, "Stdout:" | "Stderr:") {
            self.is_captured = true;
        }
        if self.is_captured || text.is_empty() {
            return;
        }
        self.origin.end = end;
        if text == TRACEBACK || is_chained(text) {
            if is_chained(text) {
                (self.own, self.outermost) = (None, None);
            }
            self.message = None;
            self.is_stack_line = true;
        } else if let Some(found) = frame(text) {
            self.is_stack_line = true;
            self.message = None;
            if is_in_project(&found.file) {
                if found.function.as_deref() == Some(self.test.as_str()) {
                    self.own.get_or_insert_with(|| found.clone());
                }
                self.outermost.get_or_insert(found);
            }
            text::add_line(&mut self.stack, text.trim(), limit::MESSAGE_BYTES / 2);
        } else if text.starts_with(' ') && self.is_stack_line {
            // A source line, or marks below it.
        } else {
            self.is_stack_line = false;
            match &mut self.message {
                Some(message) => text::add_line(message, text, limit::MESSAGE_BYTES / 2),
                None => self.message = Some(cut::head(text, limit::MESSAGE_BYTES / 2).to_owned()),
            }
        }
    }

    /// Returns the approximate memory use, in bytes.
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.stack.len() + self.message.as_ref().map_or(0, String::len)
    }

    /// Returns the failed test, without the subtest, or `None` if the failure is not one of a test.
    pub(super) fn counted(&self) -> Option<(&str, &str)> {
        (self.has_failed && !FIXTURES.contains(&self.test.as_str())).then_some((&self.test, &self.place))
    }

    pub(super) fn failure(self) -> TestFailure {
        let Self { test, place, subtest, origin, message, outermost, own, stack, .. } = self;
        let is_import = place.contains("_FailedTest");
        let qualified = place.ends_with(&format!(".{test}")) || is_import;
        let mut full = match (is_import, place.is_empty() || qualified) {
            (true, _) => test.clone(),
            (_, true) if place.is_empty() => test.clone(),
            (_, true) => place.clone(),
            (_, false) => format!("{place}.{test}"),
        };
        if !subtest.is_empty() {
            full.push(' ');
            full.push_str(&subtest);
        }
        let found = own.or(outermost);
        TestFailure {
            name: full,
            suite: is_import,
            file: found.as_ref().map(|frame| frame.file.clone()),
            line: found.and_then(|frame| frame.line),
            message: message.unwrap_or_default(),
            stack: Some(stack.trim_start().to_owned()).filter(|stack| !stack.is_empty()),
            origin: Some(origin),
            ..TestFailure::default()
        }
    }
}
