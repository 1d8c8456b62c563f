//! One failure in Jest's format: message, code frame, stack.

use crate::prelude::*;
use crate::shapes::locate::{self, Frame};

/// A line of a code frame: `> 8 | source`, and the caret below it.
static CODE: Pattern = Pattern::new(r"^ +(?:> *)?(?:\d+ )?\|(?: |$)|^ *> *\d+ \|");

/// `Expected: 4`, `Received array: [1]`, `Snapshot: 3`.
static VALUE: Pattern = Pattern::new(r"^(?<label>Snapshot|(?:Expected|Received)(?: [a-z ]+)?): *(?<value>.*)$");

/// The location of a syntax error, as Babel (0-based columns) and as the TypeScript compiler print it.
static SYNTAX: Pattern = Pattern::new(
    r"(?m)^\w*Error: (?<file>\S[^:\n]*): .* \((?<line>\d+):(?<column0>\d+)\)$|^(?<file2>\S[^:\n]*):(?<line2>\d+):(?<column>\d+) - error ",
);

/// Failures as Jest prints them, without the indentation common to the whole body.
pub(super) const JEST: &Language = &Language { takes_frame, complete, ..*Language::PLAIN };

fn takes_frame(failing: &mut Failing, line: &str) -> bool {
    let line = line.trim_end();
    let is_stack = text::indent(line) >= 2 && locate::is_stack_line(line);
    failing.is_past_message |= is_stack || CODE.is_match(line);
    if is_stack {
        failing.trace(line);
        if let Some(frame) = locate::frame(line) {
            failing.looks_at(frame);
        }
    }
    is_stack
}

fn complete(Failing { failure, .. }: &mut Failing) {
    // Jest's text leaves out the class of a plain `Error`; its JSON does not.
    if let Some(said) = failure.message.strip_prefix("Error: ") {
        failure.message = said.to_owned();
    }
    failure.expected = value(&failure.message, &["Expected", "Snapshot"]);
    failure.received = value(&failure.message, &["Received"]);
    let file = failure.file.as_deref().filter(|_| failure.line.is_none());
    if let Some(place) = file.and_then(|file| syntax_error(&failure.message, file)) {
        (failure.line, failure.column) = (place.line, place.column);
    }
}

/// Returns the location in a file that does not compile.
fn syntax_error(message: &str, file: &str) -> Option<Frame> {
    let found = SYNTAX.find(message)?;
    let named = text::path(found.get("file")?);
    let column = found.successor("column0").or_else(|| found.position("column"));
    locate::is_same_file(&named, file).then_some(Frame { file: named, line: found.position("line"), column })
}

/// Returns the value after one of the labels, including its continuation lines.
fn value(message: &str, labels: &[&str]) -> Option<String> {
    let has_label = |line: &str| {
        VALUE.find(line).is_some_and(|found| labels.iter().any(|label| found.text("label").starts_with(label)))
    };
    let mut lines = message.lines().skip_while(|line| !has_label(line));
    let mut value = VALUE.find(lines.next()?)?.text("value").to_owned();
    for line in lines.take_while(|line| !line.is_empty() && !VALUE.is_match(line)) {
        text::append_line(&mut value, line, limit::MESSAGE_BYTES);
    }
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> TestFailure {
        let (file, message) = (Some("src/sum.test.js".to_owned()), text.to_owned());
        Failing::of(TestFailure { file, message, ..TestFailure::default() }).with_body(JEST).finish()
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
