//! A failed test while its lines are read: what it says, then its stack, and with it where a person looks first.

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin, TestFailure};
use referee_model::test_file::is_of_tests;

use crate::candidate;
use crate::pattern::Groups;
use crate::scan::Line;
use crate::shapes::locate::{self, Frame};
use crate::text;

/// Frames of one stack that are looked at.
const FRAMES: usize = 100;

/// What runners call the code that is not the project's and not in `node_modules`.
const FOREIGN: &[&str] =
    &["ext:", "native", "bun:", "deno:", "jsr:", "npm:", "http:", "https:", "<", "wrap-", "evalmachine"];

/// Makes an error of what was read like a failed test and is none, such as a rejection that no test handled. None: nothing
/// tells where it was read.
pub(crate) fn error(failure: TestFailure, tool: &str, rule: &str) -> Option<Diagnostic> {
    let origin = Origin { rule: rule.to_owned(), ..failure.origin? };
    let mut error = candidate::diagnostic_at(tool, origin, Level::Error, &failure.message);
    error.file = failure.file;
    error.line = failure.line;
    error.column = failure.column;
    Some(error)
}

/// How the failures of a language are worded, where a runner prints them as that does.
#[derive(Debug)]
pub(crate) struct Language {
    /// Lines of one message, beyond which it is none.
    pub(crate) lines: usize,
    /// Whether a line is one of a stack; the second says whether one has begun.
    pub(crate) is_stack: fn(&str, bool) -> bool,
    /// Completes a failure by what its message and its stack say.
    pub(crate) complete: fn(&mut Failing),
}

impl Language {
    /// Lines are those of a message; which are of a stack the reader knows.
    pub(crate) const PLAIN: &Self = &Self { lines: usize::MAX, is_stack: |_, _| false, complete: |_| {} };
}

/// A failure that is being read.
#[derive(Debug)]
pub(crate) struct Failing {
    pub(crate) failure: TestFailure,
    /// Whether the stack has begun, behind which no more of the message comes.
    pub(crate) is_past_message: bool,
    /// The class and the method that the test is, where its language has such.
    pub(crate) class: String,
    pub(crate) method: String,
    stack: String,
    frames: Vec<Frame>,
    /// Where the test begins, which is told where the stack says no more.
    beginning: Option<Frame>,
    language: &'static Language,
    lines: usize,
}

impl Failing {
    /// Begins a failure at the line that names it.
    pub(crate) fn new(name: &str, rule: &str, line: &Line<'_>) -> Self {
        let failure = TestFailure {
            name: candidate::name(name.trim()),
            origin: Some(candidate::origin(rule, line)),
            ..TestFailure::default()
        };
        Self::of(failure)
    }

    /// Goes on with a failure whose name is known.
    pub(crate) fn of(failure: TestFailure) -> Self {
        Self {
            failure,
            is_past_message: false,
            class: String::new(),
            method: String::new(),
            stack: String::new(),
            frames: Vec::new(),
            beginning: None,
            language: Language::PLAIN,
            lines: 0,
        }
    }

    /// Says in which language the lines of the body are.
    pub(crate) fn told_in(mut self, language: &'static Language) -> Self {
        self.language = language;
        self
    }

    /// Makes the failure of a file that did not run.
    pub(crate) fn suite(file: &str, rule: &str, line: &Line<'_>) -> Self {
        let mut failing = Self::new(file, rule, line);
        failing.failure.suite = true;
        failing.failure.file = Some(candidate::name(&text::path(file)));
        failing
    }

    /// Says the file that the test is in.
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        self.failure.file = Some(candidate::name(&text::path(file)));
        self
    }

    /// Takes the message apart that a machine report gives as one text: message and stack.
    pub(crate) fn with_body(mut self) -> Self {
        let body = std::mem::take(&mut self.failure.message);
        for line in body.lines() {
            if !self.takes_frame(line) {
                self.say(line);
            }
        }
        self
    }

    /// Takes a line of the body: one of the stack, or one of the message before it.
    pub(crate) fn line(&mut self, line: &Line<'_>, text: &str) {
        if self.takes_frame(text) {
            self.extend(line);
        } else {
            self.say(text);
            self.extend(line);
        }
    }

    /// Takes a line of the body, as its language words it. False: there is too much of it to be one.
    pub(crate) fn add(&mut self, line: &Line<'_>, text: &str) -> bool {
        if (self.language.is_stack)(text, self.has_stack()) {
            self.trace(text);
        } else {
            self.lines += 1;
            if !self.has_stack() {
                self.append(text);
            }
        }
        let is_one = self.lines <= self.language.lines;
        if is_one {
            self.extend(line);
        }
        is_one
    }

    /// Adds a line to the message, whatever it says.
    pub(crate) fn append(&mut self, text: &str) {
        append(&mut self.failure.message, text.trim_end(), limit::MESSAGE_BYTES);
    }

    pub(crate) fn trace(&mut self, text: &str) {
        append(&mut self.stack, text.trim(), limit::MESSAGE_BYTES);
    }

    /// Whether the stack has begun.
    pub(crate) fn has_stack(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Adds a line to the message.
    pub(crate) fn say(&mut self, text: &str) {
        let text = text.trim_end();
        let message = &mut self.failure.message;
        if text.trim_start() == "^"
            && let Some((before, _)) = message.rsplit_once('\n')
        {
            // A caret stands below a line of source, behind the message.
            let before = before.len();
            message.truncate(before);
            self.is_past_message = true;
        }
        if !self.is_past_message {
            self.append(text);
        }
    }

    /// Lets the failure's bytes go up to a line's end, unless that is blank.
    pub(crate) fn extend(&mut self, line: &Line<'_>) {
        if !line.is_blank() {
            self.reach(line);
        }
    }

    /// Lets the failure's bytes go up to a line's end.
    pub(crate) fn reach(&mut self, line: &Line<'_>) {
        if let Some(origin) = &mut self.failure.origin {
            origin.end = line.end;
        }
    }

    /// Takes a line of a JavaScript stack; returns whether it is one.
    pub(crate) fn takes_frame(&mut self, text: &str) -> bool {
        if !locate::is_stack_line(text) {
            return false;
        }
        match locate::frame(text) {
            Some(frame) => self.frame(frame, text),
            // `at <anonymous>` and the like stand in a stack, and in no message but one that speaks so.
            None if self.is_past_message || text.contains('<') => self.is_past_message = true,
            None => return false,
        }
        true
    }

    /// Takes a frame that a runner writes in its own way.
    pub(crate) fn frame(&mut self, frame: Frame, text: &str) {
        self.is_past_message = true;
        self.trace(text);
        if self.frames.len() < FRAMES {
            self.frames.push(frame);
        }
    }

    /// Says where the test begins, which is told where its stack says no more.
    pub(crate) fn begins_at(&mut self, place: Frame) {
        self.beginning.get_or_insert(place);
    }

    /// Completes the failure with the place where it shows.
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

/// Returns where a failure shows: in the test's own file where that is known, else in the first file of tests, else in
/// the first of the project.
fn place<'a>(frames: &'a [Frame], file: Option<&str>) -> Option<&'a Frame> {
    let mut of_project = frames.iter().filter(|frame| is_in_project(&frame.file));
    match file {
        Some(file) => of_project.find(|frame| locate::is_same_file(&frame.file, file)),
        None => of_project.clone().find(|frame| is_of_tests(&frame.file)).or_else(|| of_project.next()),
    }
}

/// Whether a file is neither of a dependency nor of what runs the script.
pub(crate) fn is_in_project(file: &str) -> bool {
    locate::is_in_project(file) && !FOREIGN.iter().any(|foreign| file.starts_with(foreign))
}

/// Adds a line to a text that may be empty; blank lines before the first are left out.
fn append(text: &mut String, line: &str, bytes: usize) {
    if !text.is_empty() || !line.trim().is_empty() {
        text::append_line(text, line, bytes);
    }
}

impl Groups<'_, '_> {
    /// Begins a failed test by its `name`, place and `message`.
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
