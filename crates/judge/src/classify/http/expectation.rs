//! Expectations of an answer in words.

use referee_model::plan::http::{
    Assertion, Capture, CaptureSource, JsonExpectation, JsonType, StatusRange, TextExpectation,
};
use referee_syntax::cut::first_line;
use referee_syntax::duration::exact;

/// Maximum length of a quoted expected text, in characters.
const QUOTED_CHARACTERS: usize = 80;

/// Describes statuses, such as `200`, `200 or 201`, `200 to 299`.
pub(crate) fn statuses(expected: &[StatusRange]) -> String {
    if expected.is_empty() {
        return "200 to 399".to_owned();
    }
    let said: Vec<String> =
        expected
            .iter()
            .map(|range| {
                if range.from == range.to { range.from.to_string() } else { format!("{} to {}", range.from, range.to) }
            })
            .collect();
    said.join(" or ")
}

/// Describes an assertion, such as `` `$.id` is a number ``, to follow "an assertion failed:".
pub(crate) fn assertion(assertion: &Assertion) -> String {
    match assertion {
        Assertion::JsonSchema(_) => "the body matches its schema".to_owned(),
        Assertion::ContainsText(text) => format!("the body contains {}", quoted(text)),
        Assertion::MatchesRegex(pattern) => format!("the body matches {}", quoted(pattern)),
        Assertion::JsonPath { path, expectation } => format!("{} {}", quoted(path), json(expectation)),
        Assertion::Header { name, expectation } => format!("the header {} {}", quoted(name), header(expectation)),
        Assertion::MaxDuration { milliseconds } => format!("the answer is there within {}", exact(*milliseconds)),
    }
}

/// Returns the sentence that nothing was captured.
pub(super) fn capture(capture: &Capture) -> String {
    let place = match &capture.from {
        CaptureSource::JsonPath(path) => format!("{} in the body", quoted(path)),
        CaptureSource::Header(name) => format!("the header {}", quoted(name)),
        CaptureSource::Regex(pattern) => format!("{} in the body", quoted(pattern)),
    };
    format!("there is nothing to capture as `{}`: {place} was not found", capture.name)
}

fn json(expectation: &JsonExpectation) -> String {
    match expectation {
        JsonExpectation::Exists(true) => "finds something".to_owned(),
        JsonExpectation::Exists(false) => "finds nothing".to_owned(),
        JsonExpectation::Type(kind) => format!("is {}", json_type(*kind)),
        JsonExpectation::Equals(value) => format!("is {}", quoted(value)),
        JsonExpectation::Contains(value) => format!("contains {}", quoted(value)),
        JsonExpectation::Matches(pattern) => format!("matches {}", quoted(pattern)),
        JsonExpectation::Length { min, max } => format!("has a length {}", bounds(min.as_ref(), max.as_ref())),
        JsonExpectation::Range { min, max } => format!("is a number {}", bounds(min.as_ref(), max.as_ref())),
    }
}

fn header(expectation: &TextExpectation) -> String {
    match expectation {
        TextExpectation::Exists(true) => "is there".to_owned(),
        TextExpectation::Exists(false) => "is not there".to_owned(),
        TextExpectation::Equals(text) => format!("is {}", quoted(text)),
        TextExpectation::Contains(text) => format!("contains {}", quoted(text)),
        TextExpectation::Matches(pattern) => format!("matches {}", quoted(pattern)),
    }
}

fn json_type(kind: JsonType) -> &'static str {
    match kind {
        JsonType::String => "a text",
        JsonType::Number => "a number",
        JsonType::Integer => "a whole number",
        JsonType::Boolean => "true or false",
        JsonType::Array => "a list",
        JsonType::Object => "an object",
        JsonType::Null => "null",
    }
}

fn bounds<N: std::fmt::Display>(min: Option<&N>, max: Option<&N>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("of at least {min}"),
        (None, Some(max)) => format!("of at most {max}"),
        (None, None) => "at all".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", first_line(text, QUOTED_CHARACTERS))
}
