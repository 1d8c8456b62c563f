//! A finding that was read from a record of a document.

use referee_model::reading::{Diagnostic, Level};
use referee_model::record::Stream;
use serde_json::Value;

use crate::claim::{diagnostic, name};
use crate::scan::Line;
use crate::text;

/// Begins a finding of which the record gives the place in the stream.
pub(crate) fn diagnostic_at(
    tool: &str,
    rule: &str,
    stream: Stream,
    record: std::ops::Range<u64>,
    level: Level,
    message: &str,
) -> Diagnostic {
    let line = Line { text: "".into(), text_start: None, stream, start: record.start, end: record.end, is_cut: false };
    diagnostic(tool, rule, &line, level, message)
}

/// Returns the text at a path of keys.
pub(crate) fn words<'v>(value: &'v Value, path: &[&str]) -> Option<&'v str> {
    at(value, path)?.as_str().filter(|words| !words.is_empty())
}

/// Returns the 1-based number at a path of keys.
pub(crate) fn position(value: &Value, path: &[&str]) -> Option<u32> {
    let number = at(value, path)?;
    let number = number.as_u64().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| 0 < *number)
}

/// Returns the file at a path of keys.
pub(crate) fn file(value: &Value, path: &[&str]) -> Option<String> {
    words(value, path).map(|file| name(&text::path(file)))
}

fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_or_of_another_kind_is_none() {
        let value = serde_json::json!({"a": {"line": 3, "zero": 0, "file": "src\\a.go"}, "b": ""});
        assert_eq!(position(&value, &["a", "line"]), Some(3));
        assert_eq!(position(&value, &["a", "zero"]), None);
        assert_eq!(file(&value, &["a", "file"]).as_deref(), Some("src/a.go"));
        assert_eq!((words(&value, &["b"]), words(&value, &["a", "line"])), (None, None));
    }
}
