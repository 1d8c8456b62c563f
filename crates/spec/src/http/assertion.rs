//! What an answer must hold to beside its status.

use referee_model::plan::http::{Assertion, JsonExpectation, JsonType, TextExpectation};
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Node};

use super::{json_path, json_value, regex, vacuous};
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Keys that say what is expected of a JSON value.
const EXPECTATIONS: [&str; 8] = ["type", "equals", "contains", "matches", "exists", "length", "min", "max"];

/// Reads a mapping of JSON paths to what is expected there.
pub(crate) fn json_assertions(node: &Node, findings: &mut Findings) -> Vec<Assertion> {
    let mut assertions = Vec::new();
    for entry in node.entries() {
        let path = json_path(&entry.key, entry.key_span, findings);
        let expectation = json_expectation(entry, findings);
        assertions.extend(path.zip(expectation).map(|(path, expectation)| Assertion::JsonPath { path, expectation }));
    }
    assertions
}

fn json_expectation(entry: &Entry, findings: &mut Findings) -> Option<JsonExpectation> {
    let node = &entry.value;
    match &node.kind {
        Kind::Map(_) => json_mapping(entry, findings),
        // A number that is none is a complaint about the shape.
        Kind::Float { value, .. } if !value.is_finite() => None,
        Kind::Text(word) => match word.as_str() {
            "exists" => Some(JsonExpectation::Exists(true)),
            "absent" => Some(JsonExpectation::Exists(false)),
            word => match json_type(word) {
                Some(json_type) => Some(JsonExpectation::Type(json_type)),
                None => equal(node, findings),
            },
        },
        _ => equal(node, findings),
    }
}

fn json_type(word: &str) -> Option<JsonType> {
    Some(match word {
        "string" => JsonType::String,
        "number" => JsonType::Number,
        "integer" => JsonType::Integer,
        "boolean" => JsonType::Boolean,
        "array" => JsonType::Array,
        "object" => JsonType::Object,
        "null" => JsonType::Null,
        _ => return None,
    })
}

fn equal(node: &Node, findings: &mut Findings) -> Option<JsonExpectation> {
    json_value(node, findings).map(|value| JsonExpectation::Equals(value.to_string()))
}

/// Reads a mapping with exactly one expectation; `min` and `max` are one.
fn json_mapping(entry: &Entry, findings: &mut Findings) -> Option<JsonExpectation> {
    let node = &entry.value;
    let given: Vec<&Entry> = EXPECTATIONS.iter().filter_map(|key| node.entry(key)).collect();
    let is_bound = |entry: &&Entry| matches!(entry.key.as_str(), "min" | "max");
    let (bounds, others): (Vec<&Entry>, Vec<&Entry>) = given.iter().copied().partition(is_bound);
    let Some(named) = given.first() else {
        // Any other key is a complaint about the shape.
        if node.entries().iter().all(|entry| entry.key.starts_with("x-")) {
            vacuous(entry.key_span, "this expects nothing of what the path finds", findings);
        }
        return None;
    };
    if given.len() > 1 && !others.is_empty() {
        let keys: Vec<String> = given.iter().map(|entry| quote(&entry.key)).collect();
        let message = format!("exactly one expectation is needed for a path, and here are {}", keys.join(", "));
        let help = "write the path again in another form, such as `$['a']` beside `$.a`, to expect two things of it";
        findings.push(Finding::error(Code::Contradiction, given[1].key_span, message).help(help));
        return None;
    }
    if !bounds.is_empty() {
        return range(node, named.key_span, findings);
    }
    let value = &named.value;
    match named.key.as_str() {
        "type" => value.text().and_then(json_type).map(JsonExpectation::Type),
        "equals" => equal(value, findings),
        "contains" => needle(value, findings).map(JsonExpectation::Contains),
        "matches" => regex(value, findings).map(JsonExpectation::Matches),
        "exists" => value.boolean().map(JsonExpectation::Exists),
        _ => length(named, findings),
    }
}

fn range(node: &Node, place: Span, findings: &mut Findings) -> Option<JsonExpectation> {
    let bound = |key: &str| node.get(key).and_then(Node::number).filter(|bound| bound.is_finite());
    let (min, max) = (bound("min"), bound("max"));
    if let (Some(least), Some(most)) = (min, max)
        && least > most
    {
        let message = format!("no number is at least {least} and at most {most}");
        findings.push(Finding::error(Code::Contradiction, place, message));
        return None;
    }
    (min.is_some() || max.is_some()).then_some(JsonExpectation::Range { min, max })
}

fn length(entry: &Entry, findings: &mut Findings) -> Option<JsonExpectation> {
    let count = |node: &Node| node.integer().and_then(|count| u64::try_from(count).ok());
    if let Some(exact) = count(&entry.value) {
        return Some(JsonExpectation::Length { min: Some(exact), max: Some(exact) });
    }
    if !matches!(entry.value.kind, Kind::Map(_)) {
        return None;
    }
    let (min, max) = (entry.value.get("min").and_then(count), entry.value.get("max").and_then(count));
    if max.is_none() && min.unwrap_or(0) == 0 {
        vacuous(entry.key_span, "every text, list and mapping has such a length", findings);
        return None;
    }
    if let (Some(least), Some(most)) = (min, max)
        && least > most
    {
        let message = format!("no length is at least {least} and at most {most}");
        findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        return None;
    }
    Some(JsonExpectation::Length { min, max })
}

/// Reads a text that must occur.
fn needle(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = node.text()?;
    if text.is_empty() {
        vacuous(node.span, "every text contains the empty text", findings);
        return None;
    }
    Some(text.to_owned())
}

/// Reads a mapping of headers to what is expected of them.
pub(crate) fn header_assertions(node: &Node, findings: &mut Findings) -> Vec<Assertion> {
    let mut assertions = Vec::new();
    for entry in node.entries() {
        let expectation = header_expectation(&entry.value, findings);
        let name = entry.key.clone();
        assertions.extend(expectation.map(|expectation| Assertion::Header { name, expectation }));
    }
    assertions
}

fn header_expectation(node: &Node, findings: &mut Findings) -> Option<TextExpectation> {
    match &node.kind {
        Kind::Text(text) => return Some(TextExpectation::Equals(text.clone())),
        Kind::Integer { literal, .. } | Kind::Float { literal, .. } => {
            return Some(TextExpectation::Equals(literal.clone()));
        }
        _ => {}
    }
    // Of several keys, which is a complaint about the shape, the first is read.
    let entry = ["equals", "contains", "matches", "exists"].into_iter().find_map(|key| node.entry(key))?;
    let value = &entry.value;
    match entry.key.as_str() {
        "equals" => value.text().map(|text| TextExpectation::Equals(text.to_owned())),
        "contains" => needle(value, findings).map(TextExpectation::Contains),
        "matches" => regex(value, findings).map(TextExpectation::Matches),
        _ => value.boolean().map(TextExpectation::Exists),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::value::tests::node;

    #[test]
    fn each_way_to_say_what_is_expected_is_read() {
        use JsonExpectation as J;
        for (written, expected) in [
            ("array", Some(J::Type(JsonType::Array))),
            ("integer", Some(J::Type(JsonType::Integer))),
            ("exists", Some(J::Exists(true))),
            ("absent", Some(J::Exists(false))),
            ("paid", Some(J::Equals("\"paid\"".to_owned()))),
            ("null", Some(J::Equals("null".to_owned()))),
            ("'null'", Some(J::Type(JsonType::Null))),
            ("3", Some(J::Equals("3".to_owned()))),
            ("[]", Some(J::Equals("[]".to_owned()))),
            ("{ equals: { b: 1, a: 2 } }", Some(J::Equals(r#"{"a":2,"b":1}"#.to_owned()))),
            ("{ equals: array }", Some(J::Equals("\"array\"".to_owned()))),
            ("{ contains: x }", Some(J::Contains("x".to_owned()))),
            ("{ matches: '^a' }", Some(J::Matches("^a".to_owned()))),
            ("{ exists: false }", Some(J::Exists(false))),
            ("{ length: 0 }", Some(J::Length { min: Some(0), max: Some(0) })),
            ("{ length: { min: 1 } }", Some(J::Length { min: Some(1), max: None })),
            ("{ min: 1, max: 2.5 }", Some(J::Range { min: Some(1.0), max: Some(2.5) })),
            ("{ max: 0 }", Some(J::Range { min: None, max: Some(0.0) })),
            ("{ contains: '' }", None),
            ("{ matches: '.*' }", None),
            ("{ matches: '(' }", None),
            ("{ length: { min: 0 } }", None),
            ("{ length: {} }", None),
            ("{}", None),
            ("{ x-note: 1 }", None),
            ("{ length: { min: 2, max: 1 } }", None),
            ("{ min: 2, max: 1 }", None),
            ("{ type: array, length: 1 }", None),
            ("{ min: 1, equals: 1 }", None),
            ("{ equals: .inf }", None),
        ] {
            let mut findings = Findings::default();
            let found = json_assertions(&node(&format!("{{ $.a: {written} }}")), &mut findings);
            let expected = expected.map(|expectation| Assertion::JsonPath { path: "$.a".to_owned(), expectation });
            assert_eq!(findings.has_errors(), expected.is_none(), "{written}");
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{written}");
        }
    }

    #[test]
    fn headers_are_texts_or_say_what_is_expected() {
        use TextExpectation as T;
        for (written, expected) in [
            ("no-store", Some(T::Equals("no-store".to_owned()))),
            ("010", Some(T::Equals("010".to_owned()))),
            ("{ equals: '' }", Some(T::Equals(String::new()))),
            ("{ contains: json }", Some(T::Contains("json".to_owned()))),
            ("{ matches: '^a' }", Some(T::Matches("^a".to_owned()))),
            ("{ exists: false }", Some(T::Exists(false))),
            ("{ contains: '' }", None),
            ("{ matches: '' }", None),
        ] {
            let mut findings = Findings::default();
            let found = header_assertions(&node(&format!("{{ Cache-Control: {written} }}")), &mut findings);
            let expected =
                expected.map(|expectation| Assertion::Header { name: "Cache-Control".to_owned(), expectation });
            assert_eq!(findings.has_errors(), expected.is_none(), "{written}");
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{written}");
        }
    }
}
