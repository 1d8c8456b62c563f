//! Checks the values that a JSON path (RFC 9535) selects against an expectation.

use referee_model::plan::http::{JsonExpectation, JsonType};
use referee_model::record::http::AssertionObservation;
use serde_json::Value;
use serde_json_path::JsonPath;

use crate::equality::is_same;
use crate::excerpt;

use super::observation::{compile, observation};

/// Observes whether all values that a path selects meet an expectation. If it selects none, only the
/// expectation that nothing exists holds.
pub(super) fn observe(
    value: &Value,
    path: &str,
    expectation: &JsonExpectation,
    known: &[&str],
) -> AssertionObservation {
    let path = match JsonPath::parse(path) {
        Ok(path) => path,
        Err(error) => return observation(None, format!("the JSON path cannot be used: {error}")),
    };
    let check = match Check::new(expectation) {
        Ok(check) => check,
        Err(message) => return observation(None, message),
    };
    let values = path.query(value).all();
    let Some(first) = values.first() else {
        return observation(Some(*expectation == JsonExpectation::Exists(false)), "nothing is found");
    };
    let other = values.iter().find(|value| !check.holds(value));
    let shown = excerpt::of_value(&other.unwrap_or(first).to_string(), known);
    let among = if values.len() > 1 { format!(", one of {} values", values.len()) } else { String::new() };
    observation(Some(other.is_none()), format!("{shown} is found{among}"))
}

/// Returns the first value that a path selects.
pub(super) fn first<'value>(value: &'value Value, path: &str) -> Option<&'value Value> {
    JsonPath::parse(path).ok()?.query(value).first()
}

/// Returns a value in the form that later actions use: a string as it is, anything else as JSON.
pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An expectation in the form that values are checked against.
enum Check<'expected> {
    Simple(&'expected JsonExpectation),
    Equals(Value),
    Matches(regex::bytes::Regex),
}

impl<'expected> Check<'expected> {
    fn new(expectation: &'expected JsonExpectation) -> Result<Self, String> {
        match expectation {
            JsonExpectation::Equals(text) => {
                let value = serde_json::from_str(text);
                value.map(Self::Equals).map_err(|error| format!("the expected value is not JSON: {error}"))
            }
            JsonExpectation::Matches(pattern) => compile(pattern).map(Self::Matches),
            simple => Ok(Self::Simple(simple)),
        }
    }

    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Equals(wanted) => is_same(value, wanted),
            Self::Matches(pattern) => value.as_str().is_some_and(|text| pattern.is_match(text.as_bytes())),
            Self::Simple(JsonExpectation::Exists(wanted)) => *wanted,
            Self::Simple(JsonExpectation::Type(wanted)) => is_of(value, *wanted),
            Self::Simple(JsonExpectation::Contains(wanted)) => contains(value, wanted),
            Self::Simple(JsonExpectation::Length { min, max }) => length(value)
                .is_some_and(|length| min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)),
            Self::Simple(JsonExpectation::Range { min, max }) => value
                .as_f64()
                .is_some_and(|number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)),
            // These two are covered above.
            Self::Simple(JsonExpectation::Equals(_) | JsonExpectation::Matches(_)) => false,
        }
    }
}

fn is_of(value: &Value, wanted: JsonType) -> bool {
    match wanted {
        JsonType::String => value.is_string(),
        JsonType::Number => value.is_number(),
        JsonType::Integer => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        JsonType::Boolean => value.is_boolean(),
        JsonType::Array => value.is_array(),
        JsonType::Object => value.is_object(),
        JsonType::Null => value.is_null(),
    }
}

/// Returns whether a string contains a text, or whether a list contains it as an element: a string with this
/// text, or another scalar with this JSON text.
fn contains(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.contains(wanted),
        Value::Array(elements) => elements.iter().any(|element| match element {
            Value::String(text) => text == wanted,
            Value::Array(_) | Value::Object(_) => false,
            Value::Null | Value::Bool(_) | Value::Number(_) => text(element) == wanted,
        }),
        _ => false,
    }
}

fn length(value: &Value) -> Option<u64> {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(elements) => elements.len(),
        Value::Object(entries) => entries.len(),
        _ => return None,
    };
    u64::try_from(length).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(path: &str, expectation: &JsonExpectation) -> (Option<bool>, String) {
        let value = json!({
            "id": 7, "rate": 0.5, "whole": 2.0, "name": "M\u{fc}ller", "none": null, "yes": true, "empty": [],
            "items": [{"id": 1, "tag": "a"}, {"id": 2, "tag": "b"}], "tags": ["x", 3, "y z"],
        });
        let observed = observe(&value, path, expectation, &[]);
        (observed.holds, observed.found)
    }

    #[test]
    fn expectations_hold_of_all_that_is_found() {
        use JsonExpectation as Expect;
        let range = |min, max| Expect::Range { min, max };
        let length = |min, max| Expect::Length { min, max };
        for (path, expectation, expected) in [
            ("$.id", Expect::Exists(true), Some(true)),
            ("$.id", Expect::Exists(false), Some(false)),
            ("$.gone", Expect::Exists(false), Some(true)),
            ("$.gone", Expect::Exists(true), Some(false)),
            ("$.gone", length(None, Some(3)), Some(false)),
            ("$.none", Expect::Exists(true), Some(true)),
            ("$.none", Expect::Type(JsonType::Null), Some(true)),
            ("$.id", Expect::Type(JsonType::Integer), Some(true)),
            ("$.whole", Expect::Type(JsonType::Integer), Some(true)),
            ("$.rate", Expect::Type(JsonType::Integer), Some(false)),
            ("$.rate", Expect::Type(JsonType::Number), Some(true)),
            ("$.items[*].id", Expect::Type(JsonType::Number), Some(true)),
            ("$.items[*].id", Expect::Equals("1".into()), Some(false)),
            ("$.whole", Expect::Equals("2".into()), Some(true)),
            ("$.items[0]", Expect::Equals("{\"tag\":\"a\",\"id\":1.0}".into()), Some(true)),
            ("$.id", Expect::Equals("\"7\"".into()), Some(false)),
            ("$.id", Expect::Equals("{".into()), None),
            ("$.name", Expect::Contains("\u{fc}".into()), Some(true)),
            ("$.tags", Expect::Contains("x".into()), Some(true)),
            ("$.tags", Expect::Contains("3".into()), Some(true)),
            ("$.tags", Expect::Contains("y".into()), Some(false)),
            ("$.id", Expect::Contains("7".into()), Some(false)),
            ("$.name", Expect::Matches("^M.*r$".into()), Some(true)),
            ("$.id", Expect::Matches("7".into()), Some(false)),
            ("$.name", Expect::Matches("(".into()), None),
            ("$.name", length(Some(6), Some(6)), Some(true)),
            ("$.items", length(Some(3), None), Some(false)),
            ("$.items[0]", length(Some(2), Some(2)), Some(true)),
            ("$.empty", length(Some(0), Some(0)), Some(true)),
            ("$.id", length(None, None), Some(false)),
            ("$.id", range(Some(7.0), Some(7.0)), Some(true)),
            ("$.id", range(None, Some(6.9)), Some(false)),
            ("$.name", range(None, None), Some(false)),
            ("$.items[?@.id > 1].tag", Expect::Equals("\"b\"".into()), Some(true)),
            ("$[", Expect::Exists(true), None),
            ("id", Expect::Exists(true), None),
        ] {
            assert_eq!(holds(path, &expectation).0, expected, "{path} {expectation:?}");
        }
    }

    #[test]
    fn what_is_found_is_told_and_of_several_the_one_that_does_not_fit() {
        let two = JsonExpectation::Equals("1".into());
        assert_eq!(holds("$.items[*].id", &two).1, "2 is found, one of 2 values");
        assert_eq!(holds("$.id", &two).1, "7 is found");
        assert_eq!(holds("$.gone", &two).1, "nothing is found");
    }
}
