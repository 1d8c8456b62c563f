//! Compares the expectations of HTTP responses.

use referee_model::plan::HttpRequest;
use referee_model::plan::http::{Assertion, JsonExpectation, JsonType, StatusRange, TextExpectation};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::file::schema;
use super::weaker::Weaker;

/// Compares a request with its former version.
pub(super) fn compare(name: &str, before: &HttpRequest, after: &HttpRequest, weaker: &mut Weaker) {
    let asked = |request: &HttpRequest| format!("{} {}", request.method.as_str(), request.url);
    if asked(before) != asked(after) {
        weaker.add(Kind::CheckReplaced, name, asked(before), asked(after));
    }
    let body = |request: &HttpRequest| request.body.as_ref().map_or(String::new(), |body| body.content.to_string());
    if body(before) != body(after) {
        weaker.add(Kind::CommandChanged, name, body(before), body(after));
    }
    if let Some(status) = (100..=599).find(|status| accepts(after, *status) && !accepts(before, *status)) {
        weaker.add(Kind::AnswerLoosened, name, statuses(before), format!("{} (now also {status})", statuses(after)));
    }
    for old in before.assertions.iter().filter(|old| !after.assertions.iter().any(|new| implies(new, old))) {
        weaker.add(Kind::AnswerLoosened, name, shown(old), "not asked for");
    }
    if before.verify_tls && !after.verify_tls {
        weaker.add(Kind::TlsLoosened, name, "certificates are checked", "they are not");
    }
    if after.ca_file.is_some() && after.ca_file != before.ca_file {
        let file = |request: &HttpRequest| {
            request.ca_file.as_ref().map_or("well-known authorities".to_owned(), |file| file.as_str().to_owned())
        };
        weaker.add(Kind::TlsLoosened, name, file(before), file(after));
    }
}

/// Returns whether a status is expected.
fn accepts(request: &HttpRequest, status: u16) -> bool {
    if request.expected_statuses.is_empty() {
        return (200..400).contains(&status);
    }
    request.expected_statuses.iter().any(|range| (range.from..=range.to).contains(&status))
}

fn statuses(request: &HttpRequest) -> String {
    let shown = |range: &StatusRange| {
        if range.from == range.to { range.from.to_string() } else { format!("{}-{}", range.from, range.to) }
    };
    let all: Vec<String> = request.expected_statuses.iter().map(shown).collect();
    if all.is_empty() { "200-399".to_owned() } else { all.join(", ") }
}

/// Returns whether every answer that satisfies the new assertion satisfies the old one, too.
fn implies(new: &Assertion, old: &Assertion) -> bool {
    match (new, old) {
        (Assertion::MaxDuration { milliseconds: new }, Assertion::MaxDuration { milliseconds: old }) => new <= old,
        (
            Assertion::JsonPath { path: new_path, expectation: new },
            Assertion::JsonPath { path: old_path, expectation: old },
        ) => new_path == old_path && value_implies(new, old),
        (
            Assertion::Header { name: new_name, expectation: new },
            Assertion::Header { name: old_name, expectation: old },
        ) => {
            let exists = *old == TextExpectation::Exists(true) && *new != TextExpectation::Exists(false);
            new_name.eq_ignore_ascii_case(old_name) && (new == old || exists)
        }
        _ => new == old,
    }
}

fn value_implies(new: &JsonExpectation, old: &JsonExpectation) -> bool {
    match (new, old) {
        (JsonExpectation::Exists(false), JsonExpectation::Exists(true)) => false,
        // If nothing is found, only an assertion of absence is satisfied.
        (_, JsonExpectation::Exists(true)) => true,
        (JsonExpectation::Equals(value), JsonExpectation::Type(kind)) => is_of_type(value, *kind),
        (JsonExpectation::Length { min, max }, JsonExpectation::Length { min: old_min, max: old_max }) => {
            min.unwrap_or(0) >= old_min.unwrap_or(0) && max.unwrap_or(u64::MAX) <= old_max.unwrap_or(u64::MAX)
        }
        (JsonExpectation::Range { min, max }, JsonExpectation::Range { min: old_min, max: old_max }) => {
            let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
            min.unwrap_or(least) >= old_min.unwrap_or(least) && max.unwrap_or(most) <= old_max.unwrap_or(most)
        }
        _ => new == old,
    }
}

/// Returns whether a JSON text is a value of this type.
fn is_of_type(value: &str, kind: JsonType) -> bool {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(value) else { return false };
    match kind {
        JsonType::String => value.is_string(),
        JsonType::Number => value.is_number(),
        JsonType::Integer => value.is_i64() || value.is_u64(),
        JsonType::Boolean => value.is_boolean(),
        JsonType::Array => value.is_array(),
        JsonType::Object => value.is_object(),
        JsonType::Null => value.is_null(),
    }
}

fn shown(assertion: &Assertion) -> String {
    match assertion {
        Assertion::JsonSchema(source) => schema(Some(source)),
        Assertion::ContainsText(text) => format!("contains {text}"),
        Assertion::MatchesRegex(pattern) => format!("matches {pattern}"),
        Assertion::JsonPath { path, expectation } => format!("{path}: {}", value_shown(expectation)),
        Assertion::Header { name, expectation } => format!("header {name}: {}", header_shown(expectation)),
        Assertion::MaxDuration { milliseconds } => format!("within {milliseconds} ms"),
    }
}

fn header_shown(expectation: &TextExpectation) -> String {
    match expectation {
        TextExpectation::Exists(exists) => exists_shown(*exists),
        TextExpectation::Equals(text) => text.clone(),
        TextExpectation::Contains(text) => format!("contains {text}"),
        TextExpectation::Matches(pattern) => format!("matches {pattern}"),
    }
}

fn value_shown(expectation: &JsonExpectation) -> String {
    let bound = |bound: Option<String>| bound.unwrap_or_default();
    match expectation {
        JsonExpectation::Exists(exists) => exists_shown(*exists),
        JsonExpectation::Type(kind) => format!("of type {kind:?}").to_lowercase(),
        JsonExpectation::Equals(value) => value.clone(),
        JsonExpectation::Contains(text) => format!("contains {text}"),
        JsonExpectation::Matches(pattern) => format!("matches {pattern}"),
        JsonExpectation::Length { min, max } => {
            format!("length {}..{}", bound(min.map(|min| min.to_string())), bound(max.map(|max| max.to_string())))
        }
        JsonExpectation::Range { min, max } => {
            format!("from {} to {}", bound(min.map(|min| min.to_string())), bound(max.map(|max| max.to_string())))
        }
    }
}

fn exists_shown(exists: bool) -> String {
    if exists { "there" } else { "not there" }.to_owned()
}
