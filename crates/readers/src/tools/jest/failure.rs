//! One failure in Jest's format: message, code frame, stack.

use crate::prelude::*;
use crate::shapes::locate::{self, Frame};

/// A line of a code frame: `> 8 | source`, and the caret below it.
static CODE: Pattern = Pattern::new(r"^ +(?:> *)?(?:\d+ )?\|(?: |$)|^ *> *\d+ \|");

/// `Expected: 4`, `Received array: [1]`, `Snapshot: 3`.
static VALUE: Pattern = Pattern::new(r"^(?<label>Snapshot|(?:Expected|Received)(?: [a-z ]+)?): *(?<value>.*)$");

/// The location of a syntax error, as Babel (0-based columns) and as the TypeScript compiler print it.
static SYNTAX: Pattern = Pattern::new(
    r"(?m)^\w*Error: (?<file>\S[^:\n]*): .* \((?<line>\d+):(?<column>\d+)\)$|^(?<file2>\S[^:\n]*):(?<line2>\d+):(?<column2>\d+) - error ",
);

/// Maximum length of a stack, in bytes.
const STACK_BYTES: usize = limit::MESSAGE_BYTES;

/// Collects the lines below a failure's heading.
#[derive(Debug, Default)]
pub(super) struct Body {
    message: String,
    stack: String,
    is_past_message: bool,
}

impl Body {
    /// Collects all lines of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut body = Self::default();
        text.lines().for_each(|line| body.line(line));
        body
    }

    /// Adds a line, without the indentation common to the whole body.
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim_end();
        let is_stack = text::indent(line) >= 2 && locate::is_stack_line(line);
        self.is_past_message |= is_stack || CODE.is_match(line);
        if is_stack {
            text::append_line(&mut self.stack, line.trim_start(), STACK_BYTES);
        } else if !self.is_past_message && (!self.message.is_empty() || !line.is_empty()) {
            text::append_line(&mut self.message, line, limit::MESSAGE_BYTES);
        }
    }

    /// Returns the first file in the stack that belongs to the project.
    pub(super) fn file(&self) -> Option<String> {
        let frames = self.stack.lines().filter_map(locate::frame);
        frames.map(|frame| frame.file).find(|file| locate::is_in_project(file))
    }

    /// Fills in a failure of a test in `file`.
    pub(super) fn fill(self, failure: &mut TestFailure) {
        // Jest's text leaves out the class of a plain `Error`; its JSON does not.
        let message = self.message.trim_end();
        let message = message.strip_prefix("Error: ").unwrap_or(message);
        failure.expected = value(message, &["Expected", "Snapshot"]);
        failure.received = value(message, &["Received"]);
        message.clone_into(&mut failure.message);
        let place = failure
            .file
            .as_deref()
            .and_then(|file| locate::in_file(self.stack.lines(), file).or_else(|| syntax_error(message, file)));
        if let Some(place) = place {
            failure.line = place.line;
            failure.column = place.column;
        }
        failure.stack = (!self.stack.is_empty()).then_some(self.stack);
    }
}

/// Returns the location in a file that does not compile.
fn syntax_error(message: &str, file: &str) -> Option<Frame> {
    let captures = SYNTAX.captures(message)?;
    let group = |group: &str| captures.name(group).map(|found| found.as_str());
    let named = text::path(group("file").or_else(|| group("file2"))?);
    let line = group("line").or_else(|| group("line2")).and_then(text::position);
    let column = match group("column") {
        Some(from_zero) => from_zero.parse::<u32>().ok().and_then(|column| column.checked_add(1)),
        None => group("column2").and_then(text::position),
    };
    locate::is_same_file(&named, file).then_some(Frame { file: named, line, column })
}

/// Returns the value after one of the labels, including its continuation lines.
fn value(message: &str, labels: &[&str]) -> Option<String> {
    let has_label = |line: &str| {
        VALUE.captures(line).is_some_and(|captures| labels.iter().any(|label| captures["label"].starts_with(label)))
    };
    let mut lines = message.lines().skip_while(|line| !has_label(line));
    let mut value = VALUE.captures(lines.next()?)?["value"].to_owned();
    for line in lines.take_while(|line| !line.is_empty() && !VALUE.is_match(line)) {
        text::append_line(&mut value, line, limit::MESSAGE_BYTES);
    }
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> TestFailure {
        let mut failure = TestFailure { file: Some("src/sum.test.js".to_owned()), ..TestFailure::default() };
        Body::of(text).fill(&mut failure);
        failure
    }

    #[test]
    fn message_values_and_place_are_told_apart() {
        let failure = failure(
            "expect(received).toBe(expected) // Object.is equality\n\nExpected: 4\nReceived: 3\n\n  2 | a\n> 4 | b\n    | ^\n\n  at helper (src/helper.js:1:2)\n  at Object.toBe (src/sum.test.js:4:54)\n",
        );
        assert!(failure.message.ends_with("Expected: 4\nReceived: 3"));
        assert_eq!((failure.expected.as_deref(), failure.received.as_deref()), (Some("4"), Some("3")));
        assert_eq!((failure.line, failure.column), (Some(4), Some(54)));
        assert_eq!(failure.stack.unwrap().lines().count(), 2);
    }

    #[test]
    fn values_have_many_labels_and_may_span_lines() {
        for (text, expected, received) in [
            ("Expected length: 3\nReceived length: 4\nReceived string: \"abcd\"", Some("3"), Some("4")),
            ("Expected substring: \"x\"\nReceived message:   \"y\"", Some("\"x\""), Some("\"y\"")),
            ("Snapshot: 3\nReceived: 2", Some("3"), Some("2")),
            ("Snapshot name: `a 1`\n\nReceived:\n{\n  \"a\": 1\n}\n\nmore", None, Some("{\n  \"a\": 1\n}")),
            ("- Expected  - 1\n+ Received  + 1\n\n  Object {", None, None),
            ("boom", None, None),
        ] {
            let failure = failure(text);
            assert_eq!((failure.expected.as_deref(), failure.received.as_deref()), (expected, received), "{text}");
        }
    }

    #[test]
    fn a_file_that_does_not_compile_has_its_place() {
        for text in [
            "Details:\n\nSyntaxError: /project/src/sum.test.js: Unexpected token (1:10)\n\n> 1 | const x = ;",
            "src/sum.test.js:1:11 - error TS1109: Expression expected.\n\n1 const x = ;",
        ] {
            let failure = failure(text);
            assert_eq!((failure.line, failure.column), (Some(1), Some(11)), "{text}");
        }
        assert_eq!(failure("SyntaxError: /project/src/other.js: Unexpected token (1:10)").line, None);
    }

    #[test]
    fn a_place_in_another_file_is_no_place_in_the_test() {
        let failure = failure("Error: no such thing\n    at fail (src/sum.js:9:9)\n    at node:internal/x:1:1");
        assert_eq!((failure.message.as_str(), failure.line), ("no such thing", None));
    }
}
