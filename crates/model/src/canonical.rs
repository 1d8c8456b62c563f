//! Canonical JSON (RFC 8785): equal values have equal bytes, so that they can be hashed.

use serde::Serialize;
use serde_json::Value;

use crate::limit::INTEGER_MAX;

/// An error converting a value to canonical JSON.
#[derive(Debug, thiserror::Error)]
pub enum CanonicalError {
    /// The value cannot be represented as JSON.
    #[error("cannot serialize the value: {0}")]
    Json(#[from] serde_json::Error),
    /// A whole number that other parsers would round, which would change the hash.
    #[error("{pointer} is {number}, which canonical JSON cannot represent exactly: the limit is 2^53 - 1")]
    Integer {
        /// JSON pointer to the number.
        pointer: String,
        /// The number as text.
        number: String,
    },
}

/// Returns the canonical bytes of a value.
pub fn bytes(value: &impl Serialize) -> Result<Vec<u8>, CanonicalError> {
    let value = serde_json::to_value(value)?;
    refuse_rounding(&value, &mut Vec::new())?;
    Ok(serde_json_canonicalizer::to_vec(&value)?)
}

fn refuse_rounding(value: &Value, path: &mut Vec<String>) -> Result<(), CanonicalError> {
    match value {
        Value::Number(number) => {
            let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            if magnitude.is_some_and(|magnitude| magnitude > INTEGER_MAX) {
                return Err(CanonicalError::Integer { pointer: pointer(path), number: number.to_string() });
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                refuse_rounding(item, path)?;
                path.pop();
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                path.push(key.clone());
                refuse_rounding(member, path)?;
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
    Ok(())
}

/// Formats a path as a JSON pointer (RFC 6901).
fn pointer(path: &[String]) -> String {
    path.iter().fold(String::new(), |pointer, part| pointer + "/" + &part.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(value: &Value) -> String {
        String::from_utf8(bytes(value).unwrap()).unwrap()
    }

    #[test]
    fn values_are_written_as_rfc_8785_says() {
        for (value, canonical) in [
            (json!({ "b": 1, "a": [true, null] }), r#"{"a":[true,null],"b":1}"#),
            (
                json!({ "\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5 }),
                "{\"\\r\":2,\"1\":4,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
            ),
            (
                json!([333_333_333.333_333_3, 1e30, 4.50, 2e-3, 0.000_000_000_000_000_000_000_000_001]),
                "[333333333.3333333,1e+30,4.5,0.002,1e-27]",
            ),
            (json!(100.0), "100"),
            (json!("\u{000f}\n\"\\/"), r#""\u000f\n\"\\/""#),
        ] {
            assert_eq!(text(&value), canonical);
        }
    }

    #[test]
    fn numbers_that_would_be_rounded_are_refused_with_their_place() {
        assert_eq!(text(&json!(INTEGER_MAX)), "9007199254740991");
        let error = bytes(&json!({ "a/b": [0, 9_007_199_254_740_993_u64] })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/a~1b/1 is 9007199254740993, which canonical JSON cannot represent exactly: the limit is 2^53 - 1"
        );
        assert!(bytes(&json!(i64::MIN)).is_err());
    }
}
