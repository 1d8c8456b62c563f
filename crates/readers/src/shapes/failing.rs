//! A failed test being read: its message, then its stack, and the location to look at first.

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin, TestFailure};
use referee_model::test_file::is_of_tests;

use crate::candidate;
use crate::pattern::Groups;
use crate::scan::Line;
use crate::shapes::locate::{self, Frame};
use crate::text;

/// Maximum number of stack frames that are considered.
const FRAMES: usize = 100;

/// Prefixes of code that is neither the project's nor in `node_modules`, as runners name it.
const FOREIGN: &[&str] =
    &["ext:", "native", "bun:", "deno:", "jsr:", "npm:", "http:", "https:", "<", "wrap-", "evalmachine"];

/// Converts a failure that belongs to no test, such as a rejection that no test handled, to an error. Returns
/// `None` if the failure has no origin.
pub(crate) fn error(failure: TestFailure, tool: &str, rule: &str) -> Option<Diagnostic> {
    let origin = Origin { rule: rule.to_owned(), ..failure.origin? };
    let mut error = candidate::diagnostic_at(tool, origin, Level::Error, &failure.message);
    error.file = failure.file;
    error.line = failure.line;
    error.column = failure.column;
    Some(error)
}

/// The format of failures in a language, for runners that print them in that format.
#[derive(Debug)]
pub(crate) struct Language {
    /// Maximum number of lines of a message; text with more lines is not a message.
    pub(crate) lines: usize,
    /// Adds a line of the stack; returns whether it is one.
    pub(crate) takes_frame: fn(&mut Failing, &str) -> bool,
    /// Completes a failure from its message and stack.
    pub(crate) complete: fn(&mut Failing),
}

impl Language {
    /// Treats all lines as message; the reader itself recognizes the stack.
    pub(crate) const PLAIN: &Self = &Self { lines: usize::MAX, takes_frame: |_, _| false, complete: |_| {} };

    /// Stacks as JavaScript prints them.
    pub(crate) const JAVASCRIPT: &Self =
        &Self { takes_frame: |failing, text| failing.takes_caret(text) || failing.takes_frame(text), ..*Self::PLAIN };
}

impl Default for &'static Language {
    fn default() -> Self {
        Language::PLAIN
    }
}

/// A failure being read.
#[derive(Debug, Default)]
pub(crate) struct Failing {
    pub(crate) failure: TestFailure,
    /// Whether the stack has begun, after which the message does not continue.
    pub(crate) is_past_message: bool,
    /// Class and method of the test, if its language has them.
    pub(crate) class: String,
    pub(crate) method: String,
    stack: String,
    frames: Vec<Frame>,
    /// Where the test begins: the location of last resort if the stack gives none.
    beginning: Option<Frame>,
    language: &'static Language,
    lines: usize,
}

impl Failing {
    /// Begins a failure at the line that names the test.
    pub(crate) fn new(name: &str, rule: &str, line: &Line<'_>) -> Self {
        Self::of(candidate::failure(name, rule, line))
    }

    /// Continues a failure whose name is known.
    pub(crate) fn of(failure: TestFailure) -> Self {
        Self { failure, ..Self::default() }
    }

    /// Sets the language of the lines.
    pub(crate) fn told_in(mut self, language: &'static Language) -> Self {
        self.language = language;
        self
    }

    /// Creates the failure of a file that did not run.
    pub(crate) fn suite(file: &str, rule: &str, line: &Line<'_>) -> Self {
        let mut failing = Self::new(file, rule, line).in_file(file);
        failing.failure.suite = true;
        failing
    }

    /// Sets the file of the test.
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        self.failure.file = Some(candidate::name(&text::path(file)));
        self
    }

    /// Splits the message, which a machine report gives as one text, into message and stack.
    pub(crate) fn with_body(self, language: &'static Language) -> Self {
        let mut failing = self.told_in(language);
        let body = std::mem::take(&mut failing.failure.message);
        body.lines().for_each(|line| failing.read(line));
        failing
    }

    /// Processes a line according to the language. Returns false if there are too many lines for a failure.
    pub(crate) fn add(&mut self, line: &Line<'_>, text: &str) -> bool {
        self.read(text);
        let is_one = self.lines <= self.language.lines;
        if is_one {
            self.extend(line);
        }
        is_one
    }

    fn read(&mut self, text: &str) {
        if !(self.language.takes_frame)(self, text) {
            self.lines += 1;
            if !self.has_stack() && !self.is_past_message {
                self.append(text);
            }
        }
    }

    /// Appends a line to the message unconditionally.
    pub(crate) fn append(&mut self, text: &str) {
        append(&mut self.failure.message, text.trim_end(), limit::MESSAGE_BYTES);
    }

    pub(crate) fn trace(&mut self, text: &str) {
        append(&mut self.stack, text.trim(), limit::MESSAGE_BYTES);
    }

    /// Returns whether the stack has begun.
    pub(crate) fn has_stack(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Appends a line to the message, unless the message is over.
    pub(crate) fn say(&mut self, text: &str) {
        if !self.takes_caret(text) && !self.is_past_message {
            self.append(text);
        }
    }

    /// Ends the message before the line of source that a caret marks; returns whether the text is a caret.
    fn takes_caret(&mut self, text: &str) -> bool {
        let before = (text.trim() == "^").then(|| self.failure.message.rfind('\n')).flatten();
        if let Some(before) = before {
            self.failure.message.truncate(before);
            self.is_past_message = true;
        }
        before.is_some()
    }

    /// Extends the failure's byte range to the end of a line, unless the line is blank.
    pub(crate) fn extend(&mut self, line: &Line<'_>) {
        if !line.is_blank {
            self.reach(line);
        }
    }

    /// Extends the failure's byte range to the end of a line.
    pub(crate) fn reach(&mut self, line: &Line<'_>) {
        if let Some(origin) = &mut self.failure.origin {
            origin.end = line.end;
        }
    }

    /// Processes a line of a JavaScript stack; returns whether it is one.
    pub(crate) fn takes_frame(&mut self, text: &str) -> bool {
        if !locate::is_stack_line(text) {
            return false;
        }
        match locate::frame(text) {
            Some(frame) => self.frame(frame, text),
            // Lines such as `at <anonymous>` belong to a stack; in a message they are rare.
            None if self.is_past_message || text.contains('<') => self.is_past_message = true,
            None => return false,
        }
        true
    }

    /// Adds a frame parsed from a runner's own format.
    pub(crate) fn frame(&mut self, frame: Frame, text: &str) {
        self.is_past_message = true;
        self.trace(text);
        self.looks_at(frame);
    }

    /// Adds a location that may be the one to look at.
    pub(crate) fn looks_at(&mut self, frame: Frame) {
        if self.frames.len() < FRAMES {
            self.frames.push(frame);
        }
    }

    /// Sets where the test begins, used if the stack gives no location.
    pub(crate) fn begins_at(&mut self, place: Frame) {
        self.beginning.get_or_insert(place);
    }

    /// Forgets the locations: they belong to an exception that caused another.
    pub(crate) fn forget_places(&mut self) {
        self.frames.clear();
        self.beginning = None;
    }

    /// Completes the failure with its location.
    pub(crate) fn finish(mut self) -> TestFailure {
        let message = self.failure.message.trim_end().len();
        self.failure.message.truncate(message);
        if self.failure.line.is_none()
            && let Some(place) = place(&self.frames, self.failure.file.as_deref())
                .or(self.beginning.as_ref().filter(|_| !self.failure.suite))
        {
            self.failure.line = place.line;
            self.failure.column = place.column;
            self.failure.file.get_or_insert_with(|| candidate::name(&place.file));
        }
        let stack = std::mem::take(&mut self.stack);
        self.failure.stack = (!stack.is_empty()).then_some(stack);
        (self.language.complete)(&mut self);
        self.failure
    }
}

/// Returns the location of a failure: in the test's own file if it is known, otherwise in the first test file,
/// otherwise in the first file of the project.
fn place<'a>(frames: &'a [Frame], file: Option<&str>) -> Option<&'a Frame> {
    let mut of_project = frames.iter().filter(|frame| is_in_project(&frame.file));
    match file {
        Some(file) => of_project.find(|frame| locate::is_same_file(&frame.file, file)),
        None => of_project.clone().find(|frame| is_of_tests(&frame.file)).or_else(|| of_project.next()),
    }
}

/// Returns whether a file belongs neither to a dependency nor to the runtime.
pub(crate) fn is_in_project(file: &str) -> bool {
    locate::is_in_project(file) && !FOREIGN.iter().any(|foreign| file.starts_with(foreign))
}

/// Appends a line to a text that may be empty; leading blank lines are left out.
fn append(text: &mut String, line: &str, bytes: usize) {
    if !text.is_empty() || !line.trim().is_empty() {
        text::append_line(text, line, bytes);
    }
}

impl Groups<'_, '_> {
    /// Begins a failed test from its `name`, location and `message`.
    pub(crate) fn failing(&self, rule: &str, line: &Line<'_>) -> Failing {
        Failing::of(self.failure(rule, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: Option<&str>, body: &str) -> TestFailure {
        let mut failing = Failing::of(TestFailure { file: file.map(str::to_owned), ..TestFailure::default() });
        for line in body.lines() {
            if !failing.takes_frame(line) {
                failing.say(line);
            }
        }
        failing.finish()
    }

    #[test]
    fn a_person_looks_into_the_test_first() {
        let stack = "Error: one\n two\n    at parse (src/calc.js:4:5)\n    at node:internal/x:1:1\n    at Context.<anonymous> (test/calc.js:9:2)\nlater";
        let found = read(None, stack);
        assert_eq!((found.file.as_deref(), found.line, found.column), (Some("test/calc.js"), Some(9), Some(2)));
        assert_eq!((found.message.as_str(), found.stack.unwrap().lines().count()), ("Error: one\n two", 3));
        assert_eq!(read(Some("calc.js"), stack).line, Some(4), "where the file is known, only it counts");
        assert_eq!(read(Some("other.js"), stack).line, None);
        assert_eq!(
            read(None, "    at a (/x/node_modules/y/test/z.js:1:1)\n    at ext:cli/40_test.js:300:11").line,
            None
        );
    }

    #[test]
    fn a_message_may_speak_of_a_place() {
        let found = read(None, "\nwe meet\n  at noon\n    at src/a.js:1:2");
        assert_eq!(found.message, "we meet\n  at noon");
        assert_eq!(found.line, Some(1));
    }

    #[test]
    fn files_of_tests_are_told_by_their_names() {
        for (file, is) in [
            ("a.test.ts", true),
            ("src/__tests__/a.js", true),
            ("test.js", true),
            ("test-util.js", true),
            ("a_test.ts", true),
            ("spec/a.js", true),
            ("src/testing.js", false),
            ("src/latest/a.js", false),
        ] {
            assert_eq!(is_of_tests(file), is, "{file}");
        }
    }
}
