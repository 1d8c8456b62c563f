//! Members of JSON values, as findings need them. A member is named by its key, or by a path of keys such as
//! `range/start/line`; what is absent or of another kind is none.

use serde_json::Value;

use crate::claim::name;
use crate::text;

/// Returns a text.
pub(crate) fn said<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    at(value, path)?.as_str()
}

/// Returns a text that is not empty.
pub(crate) fn words<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    said(value, path).filter(|words| !words.is_empty())
}

/// Returns a name, as it is kept; an empty one says nothing.
pub(crate) fn named(value: &Value, path: &str) -> Option<String> {
    words(value, path).map(name)
}

/// Returns the path of a file, as it is kept.
pub(crate) fn file(value: &Value, path: &str) -> Option<String> {
    words(value, path).map(|file| name(&text::path(file)))
}

/// Returns a 1-based line or column, as a number or in digits.
pub(crate) fn position(value: &Value, path: &str) -> Option<u32> {
    match at(value, path)? {
        Value::String(digits) => text::position(digits),
        number => number.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| 0 < *number),
    }
}

/// Returns a line or column that is counted from 0, as one that is counted from 1.
pub(crate) fn position_from_zero(value: &Value, path: &str) -> Option<u32> {
    at(value, path)?.as_u64().and_then(|number| u32::try_from(number).ok())?.checked_add(1)
}

/// Whether a member is true.
pub(crate) fn is_true(value: &Value, path: &str) -> bool {
    at(value, path).and_then(Value::as_bool).unwrap_or_default()
}

/// Whether a member is a list that is not empty.
pub(crate) fn is_filled(value: &Value, path: &str) -> bool {
    at(value, path).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('/').try_fold(value, |value, key| value.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_one_based_numbers_or_digits() {
        let value = serde_json::json!({"a": 3, "b": "4", "c": 0, "d": -1, "e": null});
        let read = ["a", "b", "c", "d", "e", "f"].map(|key| position(&value, key));
        assert_eq!(read, [Some(3), Some(4), None, None, None, None]);
        let read = ["a", "b", "c", "d", "e", "f"].map(|key| position_from_zero(&value, key));
        assert_eq!(read, [Some(4), None, Some(1), None, None, None]);
    }

    #[test]
    fn what_is_absent_or_of_another_kind_is_none() {
        let value = serde_json::json!({"a": {"line": 3, "file": "src\\a.go", "all": [1]}, "b": "", "c": true});
        assert_eq!((position(&value, "a/line"), position(&value, "b/line")), (Some(3), None));
        assert_eq!(file(&value, "a/file").as_deref(), Some("src/a.go"));
        assert_eq!((said(&value, "b"), words(&value, "b"), words(&value, "a/line")), (Some(""), None, None));
        assert!(is_true(&value, "c") && !is_true(&value, "a") && is_filled(&value, "a/all") && !is_filled(&value, "c"));
    }
}
