//! The one gate for what others wrote: nothing is shown that did not pass through here.
//!
//! Templates escape what HTML would obey. This makes visible what a reader's eye would obey: control characters, and those that
//! hide or turn around what stands beside them.

use referee_report::untrusted;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Returns a text whose every line is harmless. Line ends stay.
pub(super) fn text(text: &str) -> String {
    if text.contains('\n') {
        let lines: Vec<String> = text.lines().map(untrusted::line).collect();
        return lines.join("\n");
    }
    untrusted::line(text)
}

/// Reads a document of which every text is harmless.
///
/// # Errors
/// Fails, in a sentence that is harmless too, for bytes that are no such document.
pub(super) fn document<Document: DeserializeOwned>(bytes: &[u8]) -> Result<Document, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| text(&error.to_string()))?;
    serde_json::from_value(values(value)).map_err(|error| text(&error.to_string()))
}

/// Returns a document of which every text is harmless. None: it is no JSON, which no document of ours is.
pub(super) fn copy<Document: Serialize + DeserializeOwned>(document: &Document) -> Option<Document> {
    serde_json::from_value(values(serde_json::to_value(document).ok()?)).ok()
}

/// Makes every text below a value harmless.
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
