//! Reads assertions on a response beside its status.

use crate::form::http as keys;
use referee_model::plan::http::{Assertion, JsonExpectation, JsonType, TextExpectation};
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Member, Node};

use super::{json_path, json_value, regex, vacuous};
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Reads a mapping of JSON paths to assertions.
pub(crate) fn json_assertions(written: &[Entry], findings: &mut Findings) -> Vec<Assertion> {
    let mut assertions = Vec::new();
    for entry in written {
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
        // An invalid number is a complaint about the shape.
        Kind::Float { value, .. } if !value.is_finite() => None,
        Kind::Text(word) => match word.as_str() {
            "exists" => Some(JsonExpectation::Exists(true)),
            "absent" => Some(JsonExpectation::Exists(false)),
            word => match JsonType::parse(word) {
                Some(json_type) => Some(JsonExpectation::Type(json_type)),
                None => equal(node, findings),
            },
        },
        _ => equal(node, findings),
    }
}

fn equal(node: &Node, findings: &mut Findings) -> Option<JsonExpectation> {
    json_value(node, findings).map(|value| JsonExpectation::Equals(value.to_string()))
}

/// Reads a mapping with exactly one assertion; `min` and `max` together count as one.
fn json_mapping(entry: &Entry, findings: &mut Findings) -> Option<JsonExpectation> {
    let written = keys::JsonExpectation::of(&entry.value);
    let keys::JsonExpectation { json_type: of_type, equals, contains, matches, exists, length: size, min, max } =
        written;
    let given = [of_type, equals, contains, matches, exists, size, min, max];
    let given: Vec<&Entry> = given.into_iter().filter_map(Member::entry).collect();
    let Some(named) = given.first() else {
        // Any other key is a complaint about the shape.
        if entry.value.entries().iter().all(|entry| entry.key.starts_with("x-")) {
            vacuous(entry.key_span, "this expects nothing of what the path finds", findings);
        }
        return None;
    };
    let bounds = [min, max].into_iter().filter(|bound| bound.is_given()).count();
    if given.len() > 1 && bounds < given.len() {
        let keys: Vec<String> = given.iter().map(|entry| quote(&entry.key)).collect();
        let message = format!("exactly one expectation is needed for a path, and here are {}", keys.join(", "));
        let help = "write the path again in another form, such as `$['a']` beside `$.a`, to expect two things of it";
        findings.push(Finding::error(Code::Contradiction, given[1].key_span, message).help(help));
        return None;
    }
    let value = &named.value;
    if bounds > 0 {
        range(min, max, named.key_span, findings)
    } else if of_type.is_given() {
        value.text().and_then(JsonType::parse).map(JsonExpectation::Type)
    } else if equals.is_given() {
        equal(value, findings)
    } else if contains.is_given() {
        needle(value, findings).map(JsonExpectation::Contains)
    } else if matches.is_given() {
        regex(value, findings).map(JsonExpectation::Matches)
    } else if exists.is_given() {
        value.boolean().map(JsonExpectation::Exists)
    } else {
        length(named, findings)
    }
}

fn range(min: Member<'_>, max: Member<'_>, place: Span, findings: &mut Findings) -> Option<JsonExpectation> {
    let bound = |member: Member<'_>| member.node().and_then(Node::number).filter(|bound| bound.is_finite());
    let (min, max) = (bound(min), bound(max));
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
    let written = keys::Length::of(&entry.value);
    let (min, max) = (written.min.node().and_then(count), written.max.node().and_then(count));
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

/// Reads a string that must occur.
fn needle(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = node.text()?;
    if text.is_empty() {
        vacuous(node.span, "every text contains the empty text", findings);
        return None;
    }
    Some(text.to_owned())
}

/// Reads a mapping of headers to assertions.
pub(crate) fn header_assertions(written: &[Entry], findings: &mut Findings) -> Vec<Assertion> {
    let mut assertions = Vec::new();
    for entry in written {
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
    // Several keys are a complaint about the shape; the first one is read.
    let written = keys::HeaderExpectation::of(node);
    if let Some(value) = written.equals.node() {
        value.text().map(|text| TextExpectation::Equals(text.to_owned()))
    } else if let Some(value) = written.contains.node() {
        needle(value, findings).map(TextExpectation::Contains)
    } else if let Some(value) = written.matches.node() {
        regex(value, findings).map(TextExpectation::Matches)
    } else {
        written.exists.boolean().map(TextExpectation::Exists)
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
            let found = json_assertions(node(&format!("{{ $.a: {written} }}")).entries(), &mut findings);
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
            let found = header_assertions(node(&format!("{{ Cache-Control: {written} }}")).entries(), &mut findings);
            let expected =
                expected.map(|expectation| Assertion::Header { name: "Cache-Control".to_owned(), expectation });
            assert_eq!(findings.has_errors(), expected.is_none(), "{written}");
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{written}");
        }
    }
}
