//! Expectations on an HTTP answer and on the rows of a query, in words. Every text about an assertion is made here.

use referee_model::plan::SchemaSource;
use referee_model::plan::http::{Assertion, JsonExpectation, JsonType, StatusRange, TextExpectation};
use referee_model::plan::interaction::RowExpectation;
use referee_syntax::count::count;

/// Statuses that are expected by default.
const STATUSES: &str = "200-399";

/// Returns each expected status, or range of statuses, as written: `200`, `200-299`.
pub fn statuses(expected: &[StatusRange]) -> Vec<String> {
    if expected.is_empty() {
        return vec![STATUSES.to_owned()];
    }
    let words = |range: &StatusRange| match (range.from, range.to) {
        (from, to) if from == to => from.to_string(),
        (from, to) => format!("{from}-{to}"),
    };
    expected.iter().map(words).collect()
}

/// Returns the text of an assertion: `$.items is an array`, `header Content-Type contains "json"`.
pub fn assertion(assertion: &Assertion) -> String {
    match assertion {
        Assertion::JsonSchema(SchemaSource::Inline(_)) => "body matches the schema of the specification".to_owned(),
        Assertion::JsonSchema(SchemaSource::File(file)) => format!("body matches the schema {file}"),
        Assertion::ContainsText(text) => format!("body contains {}", quoted(text)),
        Assertion::MatchesRegex(pattern) => format!("body matches /{pattern}/"),
        Assertion::JsonPath { path, expectation } => format!("{path} {}", of_json(expectation)),
        Assertion::Header { name, expectation } => format!("header {name} {}", of_text(expectation)),
        Assertion::MaxDuration { milliseconds } => format!("answer within {milliseconds} ms"),
    }
}

/// Returns the text of an expectation for the rows of a query: `exactly 2 rows`, `a row contains {"id": 7}`.
pub fn rows(wanted: &RowExpectation) -> String {
    match wanted {
        RowExpectation::Count(rows) => format!("exactly {}", count(*rows, "row")),
        RowExpectation::Schema(SchemaSource::Inline(_)) => {
            "each row matches the schema of the specification".to_owned()
        }
        RowExpectation::Schema(SchemaSource::File(file)) => format!("each row matches the schema {file}"),
        RowExpectation::Contains(value) => format!("a row contains {value}"),
    }
}

fn of_json(expectation: &JsonExpectation) -> String {
    match expectation {
        JsonExpectation::Exists(true) => "exists".to_owned(),
        JsonExpectation::Exists(false) => "does not exist".to_owned(),
        JsonExpectation::Type(of_type) => format!("is {}", type_words(*of_type)),
        JsonExpectation::Equals(value) => format!("is {value}"),
        JsonExpectation::Contains(text) => format!("contains {}", quoted(text)),
        JsonExpectation::Matches(pattern) => format!("matches /{pattern}/"),
        JsonExpectation::Length { min, max } => format!("has a length of {}", bounds(min.as_ref(), max.as_ref())),
        JsonExpectation::Range { min, max } => format!("is {}", bounds(min.as_ref(), max.as_ref())),
    }
}

fn of_text(expectation: &TextExpectation) -> String {
    match expectation {
        TextExpectation::Exists(true) => "is there".to_owned(),
        TextExpectation::Exists(false) => "is not there".to_owned(),
        TextExpectation::Equals(text) => format!("is {}", quoted(text)),
        TextExpectation::Contains(text) => format!("contains {}", quoted(text)),
        TextExpectation::Matches(pattern) => format!("matches /{pattern}/"),
    }
}

fn type_words(of_type: JsonType) -> &'static str {
    match of_type {
        JsonType::String => "a string",
        JsonType::Number => "a number",
        JsonType::Integer => "an integer",
        JsonType::Boolean => "a boolean",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
        JsonType::Null => "null",
    }
}

fn bounds<Number: ToString + PartialEq>(min: Option<&Number>, max: Option<&Number>) -> String {
    match (min, max) {
        (Some(min), Some(max)) if min == max => min.to_string(),
        (Some(min), Some(max)) => format!("{} to {}", min.to_string(), max.to_string()),
        (Some(min), None) => format!("at least {}", min.to_string()),
        (None, Some(max)) => format!("at most {}", max.to_string()),
        (None, None) => "any size".to_owned(),
    }
}

/// Returns a text in quotation marks, with quotation marks and line ends escaped.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_written_as_they_are_specified() {
        let range = |from, to| StatusRange { from, to };
        assert_eq!(statuses(&[]), ["200-399"]);
        assert_eq!(statuses(&[range(200, 200), range(300, 399)]), ["200", "300-399"]);
    }

    #[test]
    fn assertions_read_as_sentences() {
        let path = |expectation| Assertion::JsonPath { path: "$.items".to_owned(), expectation };
        let header = |expectation| Assertion::Header { name: "ETag".to_owned(), expectation };
        for (asked, words) in [
            (
                Assertion::JsonSchema(SchemaSource::Inline("{}".to_owned())),
                "body matches the schema of the specification",
            ),
            (Assertion::ContainsText("a \"b\"\n".to_owned()), r#"body contains "a \"b\"\n""#),
            (Assertion::MatchesRegex("^ok$".to_owned()), "body matches /^ok$/"),
            (path(JsonExpectation::Exists(false)), "$.items does not exist"),
            (path(JsonExpectation::Type(JsonType::Array)), "$.items is an array"),
            (path(JsonExpectation::Equals("[1]".to_owned())), "$.items is [1]"),
            (path(JsonExpectation::Length { min: Some(1), max: None }), "$.items has a length of at least 1"),
            (path(JsonExpectation::Length { min: Some(2), max: Some(2) }), "$.items has a length of 2"),
            (path(JsonExpectation::Range { min: Some(0.5), max: Some(2.0) }), "$.items is 0.5 to 2"),
            (header(TextExpectation::Exists(true)), "header ETag is there"),
            (header(TextExpectation::Equals("x".to_owned())), r#"header ETag is "x""#),
            (Assertion::MaxDuration { milliseconds: 500 }, "answer within 500 ms"),
        ] {
            assert_eq!(assertion(&asked), words);
        }
    }
}
