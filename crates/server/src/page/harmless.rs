//! Makes foreign text harmless: nothing is shown that did not pass through here.
//!
//! Templates escape HTML. This module makes characters visible that would deceive a reader: control characters,
//! and characters that hide or reorder the text around them.

use referee_report::untrusted;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Returns a text with every line made harmless. Line breaks are kept.
pub(super) fn text(text: &str) -> String {
    if text.contains('\n') {
        let lines: Vec<String> = text.lines().map(untrusted::line).collect();
        return lines.join("\n");
    }
    untrusted::line(text)
}

/// Parses a document, and makes every text in it harmless.
///
/// # Errors
/// Fails if the bytes are not such a document. The error message is harmless, too.
pub(super) fn document<Document: DeserializeOwned>(bytes: &[u8]) -> Result<Document, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| text(&error.to_string()))?;
    serde_json::from_value(values(value)).map_err(|error| text(&error.to_string()))
}

/// Returns a copy of a document with every text made harmless. `None`: it is not JSON, which cannot happen for
/// our own documents.
pub(super) fn copy<Document: Serialize + DeserializeOwned>(document: &Document) -> Option<Document> {
    serde_json::from_value(values(serde_json::to_value(document).ok()?)).ok()
}

/// Makes every text in a value harmless.
pub(super) fn values(value: Value) -> Value {
    match value {
        Value::String(found) => Value::String(text(&found)),
        Value::Array(items) => Value::Array(items.into_iter().map(values).collect()),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(key, value)| (key, values(value))).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_eye_would_obey_is_written_out_and_lines_stay() {
        for (raw, shown) in [
            ("plain", "plain"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("\u{1b}[31mred\u{1b}[0m\0", "red\\u{0}"),
            ("one\r\ntwo\nthree", "one\ntwo\nthree"),
            ("<b>\"'&", "<b>\"'&"),
        ] {
            assert_eq!(text(raw), shown, "{raw:?}");
        }
        let value = json!({"a": ["x\u{0}", 1, null, {"b": "\u{200b}"}]});
        assert_eq!(values(value), json!({"a": ["x\\u{0}", 1, null, {"b": "\\u{200b}"}]}));
        assert!(document::<Vec<String>>(b"{}").is_err() && document::<Value>(b"{").is_err());
    }
}
