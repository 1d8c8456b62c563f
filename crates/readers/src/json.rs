//! Streams the records of a JSON document one at a time, whatever the size of the document.
//!
//! A record is the value at a path, such as `results.*`. It is passed on as soon as it is complete, together
//! with the members of its enclosing objects that were read before it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, BufRead};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::document::{self, Cursor, Extent};

/// Maximum number of values in one record, or in one value outside of records; further ones are left out.
const VALUES: usize = 4096;

/// Matches any element of a list or any member of an object.
pub(crate) const ANY: &str = "*";

/// A path from the root value to a record; [`ANY`] matches every element of a list and every member of an
/// object.
pub(crate) type Path = &'static [&'static str];

pub(crate) struct Record<'a> {
    /// Index of the path that the record matches.
    pub(crate) path: usize,
    /// Contents of the record, shortened if it is huge.
    pub(crate) value: Value,
    /// The lists and objects around the record as far as they were read, outermost first: of an object the
    /// members that are on no path, of a list nothing. The key of a record at [`ANY`] in an object is in
    /// [`Record::key`].
    pub(crate) around: &'a [Map<String, Value>],
    /// Key of the innermost [`ANY`] member on the path to the record.
    pub(crate) key: Option<&'a str>,
    /// Offset of the record's first byte in the stream, or slightly before it.
    pub(crate) start: u64,
    /// Offset after the record's last byte in the stream.
    pub(crate) end: u64,
}

/// A list or an object around records, once it is closed.
pub(crate) struct Closed<'a> {
    /// Number of lists and objects around it.
    pub(crate) depth: usize,
    /// Its members that are on no path; of a list nothing.
    pub(crate) members: &'a Map<String, Value>,
    /// Offset of its first byte in the stream, or slightly before it.
    pub(crate) start: u64,
    /// Offset after its last byte in the stream.
    pub(crate) end: u64,
}

/// Receives the records of a document.
pub(crate) trait Records {
    fn record(&mut self, record: Record<'_>);

    fn closed(&mut self, _around: &Closed<'_>) {}
}

/// Reads one document, which begins at the reader's next byte, at offset `start` of the stream. The document
/// counts as incomplete if a value on a path is neither a list nor an object.
pub(crate) fn read(
    reader: &mut dyn BufRead,
    start: u64,
    paths: &[Path],
    records: &mut dyn Records,
) -> io::Result<Extent> {
    let reading = RefCell::new(Reading { records, around: Vec::new(), key: None });
    document::read(reader, start, |cursor| On {
        reading: &reading,
        cursor,
        start,
        paths: paths.iter().enumerate().map(|(number, path)| (number, *path)).collect(),
    })
}

struct Reading<'a> {
    records: &'a mut dyn Records,
    around: Vec<Map<String, Value>>,
    key: Option<String>,
}

/// A value that contains records: the paths that lead into it, each with its remaining steps.
struct On<'r, 'a> {
    reading: &'r RefCell<Reading<'a>>,
    cursor: Cursor,
    /// Offset of the value.
    start: u64,
    paths: Vec<(usize, Path)>,
}

impl<'a> On<'_, 'a> {
    /// Returns the paths that continue in a member, or in an element if `step` is `None`.
    fn leading_into(&self, step: Option<&str>) -> Vec<(usize, Path)> {
        let goes_on = |(number, path): &(usize, Path)| {
            let (first, rest) = path.split_first()?;
            (*first == ANY || Some(*first) == step).then_some((*number, rest))
        };
        self.paths.iter().filter_map(goes_on).collect()
    }

    fn inner(&self, paths: Vec<(usize, Path)>) -> On<'_, 'a> {
        On { reading: self.reading, cursor: self.cursor.clone(), start: 0, paths }
    }

    fn begin(&self) {
        self.reading.borrow_mut().around.push(Map::new());
    }

    fn end(&self) {
        let mut reading = self.reading.borrow_mut();
        let members = reading.around.pop().unwrap_or_default();
        let depth = reading.around.len();
        let around = Closed { depth, members: &members, start: self.start, end: self.cursor.offset() };
        reading.records.closed(&around);
    }

    fn hand_over(&self, path: usize, value: Value, start: u64) {
        let Reading { records, around, key } = &mut *self.reading.borrow_mut();
        let record = Record { path, value, around, key: key.as_deref(), start, end: self.cursor.offset() };
        records.record(record);
    }
}

impl<'de> DeserializeSeed<'de> for On<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let start = self.cursor.offset().saturating_sub(1).max(self.start);
        let Some((path, _)) = self.paths.iter().find(|(_, path)| path.is_empty()).copied() else {
            return deserializer.deserialize_any(On { start, ..self });
        };
        let left = Cell::new(VALUES);
        let value = Bounded(&left).deserialize(deserializer)?;
        self.hand_over(path, value.unwrap_or(Value::Null), start);
        Ok(())
    }
}

impl<'de> Visitor<'de> for On<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let paths = self.leading_into(None);
        if paths.is_empty() {
            return Err(A::Error::custom("an object was expected, not a list"));
        }
        self.begin();
        while elements.next_element_seed(self.inner(paths.clone()))?.is_some() {}
        self.end();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.begin();
        while let Some(key) = members.next_key::<String>()? {
            let paths = self.leading_into(Some(&key));
            if paths.is_empty() {
                let left = Cell::new(VALUES);
                let value = members.next_value_seed(Bounded(&left))?;
                if let (Some(value), Some(object)) = (value, self.reading.borrow_mut().around.last_mut())
                    && object.len() < VALUES
                {
                    object.insert(key, value);
                }
                continue;
            }
            if self.paths.iter().any(|(_, path)| path.first() == Some(&ANY)) {
                self.reading.borrow_mut().key = Some(key);
            }
            members.next_value_seed(self.inner(paths))?;
        }
        self.end();
        Ok(())
    }

    // Absent values are often written as null.
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Deserializes a value while the budget of values lasts; yields `None` once it is used up.
struct Bounded<'l>(&'l Cell<usize>);

impl Bounded<'_> {
    fn takes_one(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        0 < left
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Value>, D::Error> {
        if self.takes_one() {
            deserializer.deserialize_any(self).map(Some)
        } else {
            deserializer.deserialize_ignored_any(IgnoredAny).map(|_| None)
        }
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(Bounded(self.0))? {
            list.extend(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if let Some(value) = members.next_value_seed(Bounded(self.0))? {
                object.insert(key, value);
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct RecordLog(Vec<String>);

    impl Records for RecordLog {
        fn record(&mut self, record: Record<'_>) {
            let around: Vec<&str> = record.around.iter().flat_map(Map::keys).map(String::as_str).collect();
            self.0.push(format!("{} {} {:?} {:?}", record.path, record.value, around, record.key));
        }

        fn closed(&mut self, around: &Closed<'_>) {
            if !around.members.is_empty() {
                let Closed { depth, members, start, end } = around;
                self.0.push(format!("closed {depth} {} {start}..{end}", Value::Object((*members).clone())));
            }
        }
    }

    fn told(text: &str, paths: &[Path]) -> (Vec<String>, bool) {
        let mut told = RecordLog::default();
        let extent = read(&mut text.as_bytes(), 0, paths, &mut told).unwrap();
        (told.0, extent.is_complete)
    }

    #[test]
    fn records_come_with_what_was_around_them() {
        let text = r#"[{"file": "a.js", "messages": [{"line": 1}, 2], "errors": 1}, {"messages": []}]"#;
        let (told, is_complete) = told(text, &[&[ANY, "messages", ANY]]);
        assert!(is_complete);
        assert_eq!(
            told,
            [r#"0 {"line":1} ["file"] None"#, r#"0 2 ["file"] None"#, r#"closed 1 {"errors":1,"file":"a.js"} 1..60"#]
        );
    }

    #[test]
    fn records_of_several_paths_and_of_objects_are_told_apart() {
        let text = r#"{"files": {"a.php": {"messages": ["x"]}}, "errors": ["y"], "null": null}"#;
        let (told, is_complete) = told(text, &[&["files", ANY, "messages", ANY], &["errors", ANY], &["null", ANY]]);
        assert!(is_complete);
        assert_eq!(told, [r#"0 "x" [] Some("a.php")"#, r#"1 "y" [] Some("a.php")"#]);
    }

    #[test]
    fn what_has_another_shape_or_is_cut_short_is_not_complete() {
        for text in [r#"{"a": "text"}"#, r#"{"a": [1, 2"#, "7"] {
            assert!(!told(text, &[&["a", ANY]]).1, "{text}");
        }
        assert_eq!(told(r#"{"a": [1, 2"#, &[&["a", ANY]]).0.len(), 2);
    }

    #[test]
    fn a_huge_record_is_shortened() {
        let text = format!("[[{}]]", vec!["1"; 3 * VALUES].join(","));
        let (told, is_complete) = told(&text, &[&[ANY]]);
        assert!(is_complete);
        assert!(told[0].len() < 3 * VALUES);
    }
}
