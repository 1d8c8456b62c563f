//! Assertions about a response, and captures from it, observed on its bytes as received.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;

use memchr::memmem;
use referee_model::plan::http::{Assertion, CaptureSource, TextExpectation};
use referee_model::plan::{CaptureName, HttpRequest, SchemaSource};
use referee_model::record::SchemaObservation;
use referee_model::record::http::AssertionObservation;
use referee_syntax::percent;
use serde_json::Value;
use ureq::http::HeaderMap;

use crate::excerpt;
use crate::file::data;
use crate::file::flaw::Flaw;
use crate::file::schema::Schema;

use super::json;
use super::observation::{compile, observation};
use super::request;
use super::transfer::Received;

/// Longest value that is captured, in bytes.
const CAPTURE_BYTES: usize = 1024 * 1024;

/// Maximum number of spellings of a captured value that are registered as secrets.
const SPELLINGS: usize = 16;

/// Maximum number of schema errors that a sentence repeats.
const COMPLAINTS_TOLD: usize = 3;

/// Observations of a response.
#[derive(Debug)]
pub(super) struct Observed {
    pub(super) assertions: Vec<AssertionObservation>,
    pub(super) captures: Vec<Captured>,
}

/// Result of a capture.
#[derive(Debug)]
pub(super) struct Captured {
    pub(super) name: CaptureName,
    pub(super) value: Option<String>,
    pub(super) secret: bool,
}

/// Observes all assertions and captures of a request on its response, which took `total_ms` milliseconds.
///
/// `known` are values that earlier actions captured and that may be secret.
pub(super) fn observe(
    request: &HttpRequest,
    workspace: &Path,
    received: &Received,
    total_ms: u64,
    known: &[String],
) -> Observed {
    let content = Content { received, value: OnceCell::new() };
    let captures: Vec<Captured> = request
        .captures
        .iter()
        .map(|capture| Captured {
            name: capture.name.clone(),
            value: content.captured(&capture.from).filter(|value| value.len() <= CAPTURE_BYTES),
            secret: capture.secret,
        })
        .collect();
    let fresh = captures.iter().filter_map(|captured| captured.value.as_deref());
    let known: Vec<&str> = known.iter().map(String::as_str).chain(fresh).collect();
    let assertions = request
        .assertions
        .iter()
        .map(|assertion| match assertion {
            Assertion::JsonSchema(source) => content.schema(workspace, source),
            Assertion::ContainsText(text) => content.contains(text),
            Assertion::MatchesRegex(pattern) => content.matches(pattern, &known),
            Assertion::JsonPath { path, expectation } => match content.json() {
                Ok(value) => json::observe(value, path, expectation, &known),
                Err(flaw) => observation(whether(flaw), no_json(flaw)),
            },
            Assertion::Header { name, expectation } => header(&received.headers, name, expectation, &known),
            Assertion::MaxDuration { milliseconds } => {
                observation(Some(total_ms <= *milliseconds), format!("{total_ms} ms"))
            }
        })
        .collect();
    Observed { assertions, captures }
}

/// Returns whether an assertion about JSON holds for content that could not be parsed: it does not if the
/// content is malformed. None: unknown, because the content is too large.
fn whether(flaw: &Flaw) -> Option<bool> {
    match flaw {
        Flaw::Malformed(_) => Some(false),
        Flaw::TooLarge | Flaw::Ended(_) => None,
    }
}

fn no_json(flaw: &Flaw) -> String {
    match flaw {
        Flaw::Malformed(message) | Flaw::Ended(message) => format!("the body is not JSON: {message}"),
        Flaw::TooLarge => "the body is too large to be parsed".to_owned(),
    }
}

/// A response, and its body as JSON, parsed on first use.
struct Content<'answer> {
    received: &'answer Received,
    value: OnceCell<Result<Value, Flaw>>,
}

impl Content<'_> {
    fn body(&self) -> &[u8] {
        &self.received.body
    }

    fn json(&self) -> Result<&Value, &Flaw> {
        self.value.get_or_init(|| data::json(self.body())).as_ref()
    }

    fn schema(&self, workspace: &Path, source: &SchemaSource) -> AssertionObservation {
        let (holds, found, schema) = match (Schema::load(workspace, source), self.json()) {
            (Err(message), _) => {
                (None, format!("the schema cannot be used: {message}"), SchemaObservation::Unusable { message })
            }
            (Ok(_), Err(flaw)) => {
                let schema = match flaw {
                    Flaw::Malformed(message) | Flaw::Ended(message) => {
                        SchemaObservation::Malformed { message: message.clone() }
                    }
                    Flaw::TooLarge => SchemaObservation::TooLarge,
                };
                (whether(flaw), no_json(flaw), schema)
            }
            (Ok(schema), Ok(value)) => {
                let held = schema.hold(std::slice::from_ref(value));
                (Some(held == SchemaObservation::Valid), held_text(&held), held)
            }
        };
        AssertionObservation { holds, found, schema: Some(schema) }
    }

    fn contains(&self, text: &str) -> AssertionObservation {
        let holds = memmem::find(self.body(), text.as_bytes()).is_some();
        let found = if holds { "the text occurs" } else { "the text does not occur" };
        observation(Some(holds), format!("{found} in the {} bytes of the body", self.body().len()))
    }

    fn matches(&self, pattern: &str, known: &[&str]) -> AssertionObservation {
        let pattern = match compile(pattern) {
            Ok(pattern) => pattern,
            Err(message) => return observation(None, message),
        };
        match pattern.find(self.body()) {
            Some(found) => {
                let text = String::from_utf8_lossy(found.as_bytes());
                observation(Some(true), format!("it matches {}", excerpt::of_value(&text, known)))
            }
            None => observation(Some(false), format!("nothing in the {} bytes of the body matches", self.body().len())),
        }
    }

    /// Returns the captured value. A value that is not text could not be used later, so it counts as missing.
    fn captured(&self, source: &CaptureSource) -> Option<String> {
        match source {
            CaptureSource::JsonPath(path) => json::first(self.json().ok()?, path).map(json::text),
            CaptureSource::Header(name) => joined(&self.received.headers, name)?.ok(),
            CaptureSource::Regex(pattern) => {
                let found = compile(pattern).ok()?.captures(self.body())?;
                let group = if found.len() > 1 { found.get(1) } else { found.get(0) };
                String::from_utf8(group?.as_bytes().to_owned()).ok()
            }
        }
    }
}

/// Returns all spellings of a value in the body that it was captured from, or where it will be used: literal,
/// within JSON, within a URL. Redaction looks for bytes, so each spelling is a secret of its own.
pub(super) fn spellings(value: &str, body: &[u8]) -> BTreeSet<String> {
    let known = [value.to_owned(), request::within_json_text(value), percent::address(value)];
    let mut spellings = BTreeSet::from(known);
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', &body[at..]).map(|quote| at + quote + 1) {
        let Some(end) = closing_quote(body, start) else { break };
        at = end + 1;
        let written = std::str::from_utf8(&body[start - 1..at]).ok();
        let is_it = |text: &&str| serde_json::from_str::<String>(text).is_ok_and(|text| text == value);
        if let Some(written) = written.filter(is_it)
            && spellings.len() < SPELLINGS
        {
            spellings.insert(written[1..written.len() - 1].to_owned());
        }
    }
    spellings
}

/// Returns the offset of the closing quote of the JSON string that begins here.
fn closing_quote(body: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let found = at + memchr::memchr2(b'"', b'\\', body.get(at..)?)?;
        if body[found] == b'"' {
            return Some(found);
        }
        at = found + 2;
    }
}

fn held_text(held: &SchemaObservation) -> String {
    match held {
        SchemaObservation::Invalid { errors, error_count } => {
            let told: Vec<&str> = errors.iter().take(COMPLAINTS_TOLD).map(String::as_str).collect();
            let rest = error_count.saturating_sub(told.len() as u64);
            let rest = if rest > 0 { format!("; and {rest} more") } else { String::new() };
            format!("{}{rest}", told.join("; "))
        }
        _ => "the body matches the schema".to_owned(),
    }
}

/// Returns the values of a header, joined if it is repeated; an `Err` is a value that is not text. None: there
/// is no such header.
fn joined(headers: &HeaderMap, name: &str) -> Option<Result<String, String>> {
    let values: Vec<&[u8]> = headers.get_all(name).iter().map(ureq::http::HeaderValue::as_bytes).collect();
    if values.is_empty() {
        return None;
    }
    let joined = String::from_utf8(values.join(&b", "[..]));
    Some(joined.map_err(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn header(headers: &HeaderMap, name: &str, expectation: &TextExpectation, known: &[&str]) -> AssertionObservation {
    let Some(value) = joined(headers, name) else {
        return observation(Some(*expectation == TextExpectation::Exists(false)), "there is no such header");
    };
    let found = format!("it is {}", excerpt::of_value(value.as_ref().unwrap_or_else(|lossy| lossy), known));
    let text = value.as_deref().unwrap_or_default();
    let holds = match expectation {
        TextExpectation::Exists(wanted) => *wanted,
        // A value that is not text equals no text, and contains none that can be determined.
        _ if value.is_err() => false,
        TextExpectation::Equals(wanted) => text == wanted,
        TextExpectation::Contains(wanted) => text.contains(wanted.as_str()),
        TextExpectation::Matches(pattern) => match compile(pattern) {
            Ok(pattern) => pattern.is_match(text.as_bytes()),
            Err(message) => return observation(None, message),
        },
    };
    observation(Some(holds), found)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use referee_model::plan::http::{Capture, JsonExpectation};
    use ureq::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn a_value_is_known_in_every_spelling_of_its_body_and_of_its_uses() {
        let body = br#"{"a": "x\/ y", "b": "x\u002f y", "c": "x/ y", "d": "other", "e": "x\"", "f": 1"#;
        let found: Vec<String> = spellings("x/ y", body).into_iter().collect();
        assert_eq!(found, ["x/ y", "x/%20y", "x\\/ y", "x\\u002f y"]);
        let found: Vec<String> = spellings("a\"", b"\"half \\").into_iter().collect();
        assert_eq!(found, ["a\"", "a%22", "a\\\""]);
    }

    fn received(headers: &[(&'static str, &[u8])], body: &[u8]) -> Received {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_bytes(value).unwrap()));
        Received { status: 200, headers: headers.collect(), body: body.to_owned(), head_at: Instant::now() }
    }

    fn asking(assertions: Vec<Assertion>, captures: Vec<Capture>) -> HttpRequest {
        HttpRequest { assertions, captures, body_limit_bytes: 1_000, ..HttpRequest::get("http://a/") }
    }

    fn observed(received: &Received, assertion: Assertion) -> (Option<bool>, String) {
        let workspace = Path::new("/nowhere/at/all");
        let mut observed = observe(&asking(vec![assertion], Vec::new()), workspace, received, 70, &[]);
        let observation = observed.assertions.remove(0);
        (observation.holds, observation.found)
    }

    #[test]
    fn text_and_patterns_are_held_against_the_bytes() {
        let answer = received(&[], b"one\ntw\xffo\n");
        for (assertion, holds, found) in [
            (Assertion::ContainsText("one".into()), Some(true), "the text occurs in the 9 bytes"),
            (Assertion::ContainsText("three".into()), Some(false), "the text does not occur in the 9 bytes"),
            (Assertion::MatchesRegex("(?-u)^tw.o$".into()), Some(true), "it matches tw"),
            (Assertion::MatchesRegex("^wo".into()), Some(false), "nothing in the 9 bytes"),
            (Assertion::MatchesRegex("(".into()), None, "the pattern cannot be used"),
            (Assertion::MaxDuration { milliseconds: 70 }, Some(true), "70 ms"),
            (Assertion::MaxDuration { milliseconds: 69 }, Some(false), "70 ms"),
        ] {
            let (is, text) = observed(&answer, assertion.clone());
            assert_eq!(is, holds, "{assertion:?}");
            assert!(text.starts_with(found), "{assertion:?}: {text}");
        }
    }

    #[test]
    fn headers_are_compared_without_regard_to_case_and_joined() {
        let answer = received(&[("x-a", b"1"), ("x-b", b"b"), ("x-a", b"2"), ("x-raw", b"\xff")], b"");
        let expect = |name: &str, expectation| Assertion::Header { name: name.into(), expectation };
        for (assertion, holds, found) in [
            (expect("X-A", TextExpectation::Equals("1, 2".into())), Some(true), "it is 1, 2"),
            (expect("X-B", TextExpectation::Equals("B".into())), Some(false), "it is b"),
            (expect("X-B", TextExpectation::Exists(true)), Some(true), "it is b"),
            (expect("X-B", TextExpectation::Exists(false)), Some(false), "it is b"),
            (expect("X-C", TextExpectation::Exists(false)), Some(true), "there is no such header"),
            (expect("X-C", TextExpectation::Contains(String::new())), Some(false), "there is no such header"),
            (expect("X-A", TextExpectation::Contains(", ".into())), Some(true), "it is 1, 2"),
            (expect("X-A", TextExpectation::Matches("^1".into())), Some(true), "it is 1, 2"),
            (expect("X-A", TextExpectation::Matches("[".into())), None, "the pattern cannot be used"),
            (expect("X-Raw", TextExpectation::Contains(String::new())), Some(false), "it is \u{fffd}"),
            (expect("not a name", TextExpectation::Exists(true)), Some(false), "there is no such header"),
        ] {
            let (is, text) = observed(&answer, assertion.clone());
            assert_eq!(is, holds, "{assertion:?}");
            assert!(text.starts_with(found), "{assertion:?}: {text}");
        }
    }

    #[test]
    fn a_body_that_is_no_json_is_not_as_asserted_and_a_schema_that_is_none_tells_nothing() {
        let answer = received(&[], b"<html>");
        let path = Assertion::JsonPath { path: "$.a".into(), expectation: JsonExpectation::Exists(false) };
        assert_eq!(
            observed(&answer, path),
            (Some(false), "the body is not JSON: line 1, column 1: expected value".to_owned())
        );
        let schema = |text: &str| Assertion::JsonSchema(SchemaSource::Inline(text.to_owned()));
        assert_eq!(observed(&answer, schema(r#"{"type":"object"}"#)).0, Some(false));
        assert!(observed(&received(&[], b"{}"), schema("{}")).0.is_none(), "a schema that asks nothing tells nothing");
        let (holds, found) = observed(&received(&[], b"{}"), schema("{"));
        assert!(holds.is_none() && found.starts_with("the schema cannot be used: the schema is not well-formed"));
        let strict = schema(r#"{"type":"object","required":["id"]}"#);
        assert_eq!(observed(&received(&[], b"{}"), strict.clone()).0, Some(false));
        assert_eq!(observed(&received(&[], b"{\"id\":1}"), strict).0, Some(true));
    }

    #[test]
    fn captures_take_texts_as_they_are_and_what_is_not_there_as_nothing() {
        let answer = received(
            &[("x-token", b"abc"), ("x-raw", b"\xff")],
            b"{\"id\": 7, \"name\": \"a\\\"b\", \"o\": {\"k\": [1]}}",
        );
        for (from, expected) in [
            (CaptureSource::JsonPath("$.name".into()), Some("a\"b")),
            (CaptureSource::JsonPath("$.id".into()), Some("7")),
            (CaptureSource::JsonPath("$.o".into()), Some("{\"k\":[1]}")),
            (CaptureSource::JsonPath("$.gone".into()), None),
            (CaptureSource::JsonPath("$[".into()), None),
            (CaptureSource::Header("X-Token".into()), Some("abc")),
            (CaptureSource::Header("X-Gone".into()), None),
            (CaptureSource::Header("X-Raw".into()), None),
            (CaptureSource::Regex("\"id\": (\\d+)".into()), Some("7")),
            (CaptureSource::Regex("i.\"".into()), Some("id\"")),
            (CaptureSource::Regex("nothing".into()), None),
            (CaptureSource::Regex("(x)?id".into()), None),
        ] {
            let capture = Capture { name: CaptureName::parse("it").unwrap(), from: from.clone(), secret: true };
            let observed = observe(&asking(Vec::new(), vec![capture]), Path::new("/"), &answer, 0, &[]);
            assert_eq!(observed.captures[0].value.as_deref(), expected, "{from:?}");
            assert!(observed.captures[0].secret);
        }
    }
}
