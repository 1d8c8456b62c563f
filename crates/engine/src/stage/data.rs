//! Strict parsing of the JSON that a stage writes or takes: two readers must not read different documents from the
//! same bytes.

use referee_model::document::Distinct;
use referee_model::limit;
use referee_syntax::cut::middle;
use serde_json::Value;

/// A reason why bytes are not acceptable JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::stage) enum DataError {
    /// The bytes begin with a byte order mark.
    #[error("it starts with a byte order mark (EF BB BF), which JSON does not allow")]
    ByteOrderMark,
    /// The bytes are not UTF-8; with the offset of the first invalid byte.
    #[error("invalid UTF-8 at byte {0}")]
    NotUtf8(usize),
    /// The text is not JSON, repeats a key, or is nested too deeply; with the line and column.
    #[error("{0}")]
    NotJson(String),
}

/// Parses a document.
///
/// # Errors
/// Fails for content that is not JSON in UTF-8, for an object with a repeated key, and for more than 127 levels of
/// nesting.
pub(in crate::stage) fn read(bytes: &[u8]) -> Result<Value, DataError> {
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        return Err(DataError::ByteOrderMark);
    }
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(DataError::NotUtf8(error.valid_up_to()));
    }
    let read = serde_json::from_slice::<Distinct>(bytes).map(|Distinct(value)| value);
    read.map_err(|error| DataError::NotJson(middle(&error.to_string(), limit::MESSAGE_BYTES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_readers_would_read_differently_is_refused_with_its_place() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(deep(127).as_bytes()).is_ok());
        let twice = format!("{{\"{0}\": 1, \"{0}\": 2}}", "k".repeat(1 << 20));
        for (bytes, says) in [
            (&b"\xef\xbb\xbf{}"[..], "byte order mark"),
            (b"{\"a\": \"\xff\"}", "byte 7"),
            (b"{\"a\": 1, \"a\": 2}", "twice at line 1 column"),
            (b"{\n\"a\": NaN}", "line 2 column"),
            (b"[1e999]", "out of range"),
            (b"{} {}", "line 1 column 4"),
            (b"", "line 1 column 0"),
            (deep(129).as_bytes(), "recursion limit"),
            (twice.as_bytes(), "column"),
        ] {
            let error = read(bytes).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(error.len() <= limit::MESSAGE_BYTES, "{}", error.len());
        }
    }
}
