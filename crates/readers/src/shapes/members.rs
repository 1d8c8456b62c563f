//! Access to the members of JSON values that make up findings. A member is given by its key, or by a path of
//! keys such as `range/start/line`; a member that is absent or has another type is `None`.

use referee_model::reading::{Diagnostic, Level};
use serde_json::Value;

use crate::candidate::name;
use crate::json::Record;
use crate::level::level;
use crate::shapes::record_kind::{RecordKind, finding};
use crate::text;

/// The members of a record that hold the parts of a finding. Alternatives are separated by `|`; the first with
/// a value counts. `^member` is in an object around the record, `@` is the key of the record or of an object
/// around it, and `member+1` is the number plus one: for a position counted from 0, or an inclusive end.
pub(crate) struct Members {
    pub(crate) tool: &'static str,
    pub(crate) message: &'static str,
    pub(crate) file: &'static str,
    pub(crate) line: &'static str,
    pub(crate) column: &'static str,
    pub(crate) end_line: &'static str,
    pub(crate) end_column: &'static str,
    pub(crate) code: &'static str,
    pub(crate) suggestion: &'static str,
    pub(crate) source: &'static str,
    /// A member that is present, true or not empty if the tool can fix the finding.
    pub(crate) fix: &'static str,
    pub(crate) level: &'static str,
    /// Meaning of words or numbers of the level that differ from the usual one.
    pub(crate) levels: &'static [(&'static str, Level)],
    /// Level of a record that gives no known level.
    pub(crate) otherwise: Level,
    /// Members that every record of the tool has. A message is also required, unless `message` names no member
    /// and [`Members::check`] creates it.
    pub(crate) needs: &'static [&'static str],
    /// Whether a record without a message is a finding too.
    pub(crate) is_mute: bool,
    /// Completes the finding; returns false if the record is not the tool's.
    pub(crate) check: fn(&mut Diagnostic, &Record<'_>) -> bool,
    /// The same for tools whose records are known by their members.
    pub(crate) complete: fn(&mut Diagnostic, &Record<'_>),
}

impl Members {
    /// Reads only a message; findings are errors.
    pub(crate) const MESSAGE: Self = Self {
        tool: "",
        message: "message",
        file: "",
        line: "",
        column: "",
        end_line: "",
        end_column: "",
        code: "",
        suggestion: "",
        source: "",
        fix: "",
        level: "",
        levels: &[],
        otherwise: Level::Error,
        needs: &[],
        is_mute: false,
        check: |_, _| true,
        complete: |_, _| {},
    };

    pub(crate) fn told(&self, record: &Record<'_>) -> RecordKind {
        self.finding(record).into()
    }

    /// Returns the finding that a record is, if it is one of the tool.
    pub(crate) fn finding(&self, record: &Record<'_>) -> Option<Diagnostic> {
        let is_there = |path: &&str| found(record, path).is_some_and(|value| !value.is_null());
        if !self.needs.iter().all(is_there) {
            return None;
        }
        let is_mute = self.is_mute || self.message.is_empty();
        let message = text(record, self.message).or(is_mute.then_some(""))?;
        let mut made = finding(self.tool, self.level(record), message);
        made.file = text(record, self.file).map(|file| name(&text::path(file)));
        made.line = number(record, self.line);
        made.column = number(record, self.column).filter(|_| made.line.is_some());
        made.end_line = number(record, self.end_line);
        made.end_column = number(record, self.end_column);
        made.code = scalar(record, self.code);
        made.suggestion = text(record, self.suggestion).map(str::to_owned);
        made.source = text(record, self.source).map(str::to_owned);
        made.fixable = found(record, self.fix).is_some_and(says_something);
        (self.complete)(&mut made, record);
        (self.check)(&mut made, record).then_some(made)
    }

    fn level(&self, record: &Record<'_>) -> Level {
        let Some(said) = scalar(record, self.level) else { return self.otherwise };
        let known = self.levels.iter().find(|(word, _)| word.eq_ignore_ascii_case(&said));
        known.map(|(_, level)| *level).or_else(|| level(&said)).unwrap_or(self.otherwise)
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

/// Returns the first of the alternatives that is present.
fn found<'v>(record: &'v Record<'_>, paths: &str) -> Option<&'v Value> {
    each(record, paths).next()
}

fn each<'v, 'p>(record: &'v Record<'_>, paths: &'p str) -> impl Iterator<Item = &'v Value> + use<'v, 'p> {
    let (value, around) = (&record.value, record.around);
    let all = (!paths.is_empty()).then(|| paths.split('|'));
    all.into_iter().flatten().filter_map(move |path| match path.strip_prefix('^') {
        Some(path) => around.iter().rev().find_map(|object| {
            let (first, rest) = path.split_once('/').unwrap_or((path, ""));
            let member = object.get(first)?;
            if rest.is_empty() { Some(member) } else { at(member, rest) }
        }),
        None => at(value, path),
    })
}

/// Returns the first of the alternatives that is a string and not empty.
fn text<'v>(record: &'v Record<'_>, paths: &str) -> Option<&'v str> {
    if paths.is_empty() {
        return None;
    }
    let key = if paths.split('|').any(|path| path == "@") { record.key } else { None };
    each(record, paths).filter_map(Value::as_str).find(|text| !text.is_empty()).or(key)
}

/// Returns a string, number or boolean as text in its stored form.
fn scalar(record: &Record<'_>, paths: &str) -> Option<String> {
    let said = each(record, paths).find_map(|value| match value {
        Value::String(text) if !text.is_empty() => Some(name(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is_true) => Some(is_true.to_string()),
        _ => None,
    });
    said.or_else(|| text(record, paths).map(name))
}

/// Returns a 1-based number.
fn number(record: &Record<'_>, paths: &str) -> Option<u32> {
    if paths.is_empty() {
        return None;
    }
    paths.split('|').find_map(|path| {
        let (path, is_before) = path.strip_suffix("+1").map_or((path, false), |path| (path, true));
        let value = found(record, path)?;
        if is_before { whole(value)?.checked_add(1) } else { one_based(value) }
    })
}

fn whole(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn one_based(value: &Value) -> Option<u32> {
    match value {
        Value::String(digits) => text::position(digits),
        number => whole(number).filter(|number| 0 < *number),
    }
}

pub(crate) fn said<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    at(value, path)?.as_str()
}

/// Returns a string that is not empty.
pub(crate) fn words<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    said(value, path).filter(|words| !words.is_empty())
}

/// Returns a name in its stored form, or `None` if it is empty.
pub(crate) fn named(value: &Value, path: &str) -> Option<String> {
    words(value, path).map(name)
}

/// Returns a file path in its stored form.
pub(crate) fn file(value: &Value, path: &str) -> Option<String> {
    words(value, path).map(|file| name(&text::path(file)))
}

/// Returns a 1-based line or column, given as a number or as digits.
pub(crate) fn position(value: &Value, path: &str) -> Option<u32> {
    one_based(at(value, path)?)
}

pub(crate) fn is_true(value: &Value, path: &str) -> bool {
    at(value, path).and_then(Value::as_bool).unwrap_or_default()
}

/// Returns whether a member is a list that is not empty.
pub(crate) fn is_filled(value: &Value, path: &str) -> bool {
    at(value, path).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('/').try_fold(value, |value, key| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        _ => value.get(key),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_one_based_numbers_or_digits() {
        let value = serde_json::json!({"a": 3, "b": "4", "c": 0, "d": -1, "e": null});
        let read = ["a", "b", "c", "d", "e", "f"].map(|key| position(&value, key));
        assert_eq!(read, [Some(3), Some(4), None, None, None, None]);
    }

    #[test]
    fn a_record_is_a_finding_where_it_has_what_is_needed() {
        const MEMBERS: Members = Members {
            tool: "tool",
            message: "text|title",
            file: "@|^path",
            line: "at/0+1",
            column: "at/1",
            code: "rule/id",
            fix: "fixes",
            level: "grade",
            levels: &[("2", Level::Warning)],
            needs: &["rule/id"],
            ..Members::MESSAGE
        };
        let around = [serde_json::json!({"path": "a.x"}).as_object().cloned().unwrap_or_default()];
        let told = |value: Value, key| {
            let record = Record { path: 0, value, around: &around, key, start: 0, end: 1 };
            match MEMBERS.told(&record) {
                RecordKind::Finding(found) => {
                    let place = (found.file, found.line, found.column);
                    Some((place, found.level, found.code, found.message, found.fixable))
                }
                _ => None,
            }
        };
        let rule = Some("r".to_owned());
        assert_eq!(
            told(
                serde_json::json!({"title": " bad ", "at": [0, 4], "rule": {"id": "r"}, "grade": 2, "fixes": [1]}),
                None
            ),
            Some(((Some("a.x".to_owned()), Some(1), Some(4)), Level::Warning, rule.clone(), "bad".to_owned(), true))
        );
        assert_eq!(
            told(serde_json::json!({"text": "bad", "at": ["0", 4], "rule": {"id": "r"}, "fixes": []}), Some("k.x")),
            Some(((Some("a.x".to_owned()), None, None), Level::Error, rule, "bad".to_owned(), false))
        );
        assert_eq!(told(serde_json::json!({"text": "bad"}), None), None);
        assert_eq!(told(serde_json::json!({"rule": {"id": "r"}}), None), None);
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
