//! YAML 1.2 as values: the core schema, merge keys, and a bound for everything that grows.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

use super::MustEnd;
use super::flaw::{Flaw, placed};

/// Deepest nesting.
const DEPTH: usize = 128;

/// Most values, those that aliases repeat and anchors keep included.
const VALUES: usize = 2_000_000;

/// Events between two questions whether to end.
const EVENTS_AT_ONCE: usize = 4_096;

/// Longest key that a message repeats, in characters.
const KEY_CHARACTERS: usize = 60;

/// What a YAML text holds.
#[derive(Debug)]
pub(super) struct Stream {
    /// A value a document.
    pub(super) documents: Vec<Value>,
    /// The first thing that is well-formed and that JSON cannot say, with its place.
    pub(super) beyond_json: Option<String>,
}

/// Reads a text of any number of documents.
pub(super) fn read(text: &str, must_end: MustEnd<'_>) -> Result<Stream, Flaw> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    let mut events = 0_usize;
    while let Some(event) = parser.next_event() {
        if events.is_multiple_of(EVENTS_AT_ONCE)
            && let Some(reason) = must_end()
        {
            return Err(Flaw::Ended(reason));
        }
        events += 1;
        match event {
            Ok((event, span)) => builder.take(event, span.start)?,
            Err(error) => return Err(malformed(*error.marker(), error.info())),
        }
    }
    Ok(Stream { documents: builder.documents, beyond_json: builder.beyond_json })
}

#[derive(Default)]
struct Builder {
    documents: Vec<Value>,
    beyond_json: Option<String>,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    values: usize,
}

/// A value that aliases may repeat.
struct Anchored {
    value: Value,
    values: usize,
    depth: usize,
}

/// A list or mapping that has begun.
struct Open {
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Map {
        entries: Map<String, Value>,
        /// What merge keys bring in, in order.
        merged: Vec<Value>,
        /// The key whose value comes next.
        key: Option<Key>,
    },
}

enum Key {
    Name(String),
    /// `<<`
    Merge,
    /// A list or mapping; its value is dropped.
    Beyond,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, place: Marker) -> Result<(), Flaw> {
        match event {
            Event::Alias(anchor) => {
                let Some(anchored) = self.anchors.get(&anchor) else {
                    return Err(malformed(place, "this alias stands inside the value that it repeats"));
                };
                let (value, values, depth) = (anchored.value.clone(), anchored.values, anchored.depth);
                self.spend(values, place)?;
                if self.open.len() + depth > DEPTH {
                    return Err(too_deep(place));
                }
                self.finish(value, false, 0, place)
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.spend(1, place)?;
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let is_merge = plain && text == "<<";
                let value = self.scalar(text, style, tag.as_deref(), place);
                self.finish(value, is_merge, anchor, place)
            }
            Event::SequenceStart(anchor, _) => self.begin(anchor, Content::List(Vec::new()), place),
            Event::MappingStart(anchor, _) => {
                self.begin(anchor, Content::Map { entries: Map::new(), merged: Vec::new(), key: None }, place)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(place),
            Event::DocumentStart(_) => {
                self.anchors.clear();
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(&mut self, anchor: usize, content: Content, place: Marker) -> Result<(), Flaw> {
        self.spend(1, place)?;
        if self.open.len() >= DEPTH {
            return Err(too_deep(place));
        }
        self.open.push(Open { anchor, content });
        Ok(())
    }

    fn end(&mut self, place: Marker) -> Result<(), Flaw> {
        let Some(Open { anchor, content }) = self.open.pop() else { return Ok(()) };
        let value = match content {
            Content::List(elements) => Value::Array(elements),
            Content::Map { mut entries, merged, .. } => {
                // What a mapping says itself goes before what it merges, and what it merges first before the rest.
                for (name, value) in merged.into_iter().filter_map(into_map).flatten() {
                    entries.entry(name).or_insert(value);
                }
                Value::Object(entries)
            }
        };
        self.finish(value, false, anchor, place)
    }

    /// Puts a finished value where it belongs.
    fn finish(&mut self, value: Value, is_merge: bool, anchor: usize, place: Marker) -> Result<(), Flaw> {
        if anchor > 0 {
            let (values, depth) = extent(&value);
            self.spend(values, place)?;
            self.anchors.insert(anchor, Anchored { value: value.clone(), values, depth });
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(value);
            return Ok(());
        };
        match &mut open.content {
            Content::List(elements) => elements.push(value),
            Content::Map { key: key @ None, entries, .. } => match name(value) {
                Some(_) if is_merge => *key = Some(Key::Merge),
                Some(name) if entries.contains_key(&name) => {
                    let shown: String = name.chars().filter(|each| !each.is_control()).take(KEY_CHARACTERS).collect();
                    return Err(malformed(place, &format!("the key `{shown}` stands twice")));
                }
                Some(name) => *key = Some(Key::Name(name)),
                None => {
                    *key = Some(Key::Beyond);
                    self.beyond(place, "a key that is a list or a mapping has no counterpart in JSON");
                }
            },
            Content::Map { key, entries, merged } => match (key.take(), value) {
                (Some(Key::Name(name)), value) => {
                    entries.insert(name, value);
                }
                (Some(Key::Merge), Value::Array(several)) => merged.extend(several),
                (Some(Key::Merge), one) => merged.push(one),
                (Some(Key::Beyond) | None, _) => {}
            },
        }
        Ok(())
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>, place: Marker) -> Value {
        let core = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
        let is_text = match (tag, core) {
            (None, _) => style != ScalarStyle::Plain,
            (Some(_), Some(kind)) => !matches!(kind, "null" | "bool" | "int" | "float"),
            // Whatever a tag of somebody's own means, what it stands before is text.
            (Some(_), None) => true,
        };
        if is_text {
            return Value::String(text.into_owned());
        }
        resolve(&text).unwrap_or_else(|| {
            self.beyond(place, "a number that is infinite or none has no counterpart in JSON");
            Value::Null
        })
    }

    fn beyond(&mut self, place: Marker, message: &str) {
        self.beyond_json.get_or_insert_with(|| placed(place.line(), place.col() + 1, message));
    }

    fn spend(&mut self, values: usize, place: Marker) -> Result<(), Flaw> {
        self.values = self.values.saturating_add(values);
        if self.values > VALUES {
            return Err(malformed(place, &format!("there are more than {VALUES} values, aliases included")));
        }
        Ok(())
    }
}

fn malformed(place: Marker, message: &str) -> Flaw {
    let message: String = message.chars().filter(|character| !character.is_control()).collect();
    Flaw::Malformed(placed(place.line(), place.col() + 1, &message))
}

fn too_deep(place: Marker) -> Flaw {
    malformed(place, &format!("the nesting is deeper than {DEPTH}"))
}

fn into_map(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(entries) => Some(entries),
        _ => None,
    }
}

/// A key as JSON has it: a text.
fn name(key: Value) -> Option<String> {
    match key {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(key.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// How many values a value is, and how deep.
fn extent(value: &Value) -> (usize, usize) {
    let of_all = |children: &mut dyn Iterator<Item = &Value>| {
        children.map(extent).fold((1, 1), |(values, depth), (more, deep)| (values + more, depth.max(deep + 1)))
    };
    match value {
        Value::Array(elements) => of_all(&mut elements.iter()),
        Value::Object(entries) => of_all(&mut entries.values()),
        _ => (1, 0),
    }
}

/// Gives a plain scalar its meaning in the core schema of YAML 1.2 (its §10.3.2). None: JSON cannot say it.
fn resolve(text: &str) -> Option<Value> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Value::Null),
        "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => return None,
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return None;
    }
    let in_base = |digits: &str, base: u32| {
        let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
        valid.then(|| u64::from_str_radix(digits, base).ok()).flatten()
    };
    let based = text.strip_prefix("0o").and_then(|digits| in_base(digits, 8));
    if let Some(number) = based.or_else(|| text.strip_prefix("0x").and_then(|digits| in_base(digits, 16))) {
        return Some(Value::from(number));
    }
    if !is_decimal(unsigned) {
        return Some(Value::String(text.to_owned()));
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(Value::from(number));
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(Value::from(number));
    }
    text.parse().ok().and_then(Number::from_f64).map(Value::Number)
}

/// Whether a text without its sign is a decimal number: `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (text, None),
    };
    let all_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mantissa_holds = all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    mantissa_holds && exponent.is_none_or(|digits| !digits.is_empty() && all_digits(digits))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    fn values(text: &str) -> Vec<Value> {
        let stream = read(text, &mut || None).unwrap();
        assert_eq!(stream.beyond_json, None, "{text}");
        stream.documents
    }

    fn flaw(text: &str) -> String {
        match read(text, &mut || None).unwrap_err() {
            Flaw::Malformed(message) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scalars_mean_what_yaml_1_2_says() {
        for (text, value) in [
            ("yes", json!("yes")),
            ("010", json!(10)),
            ("0o10", json!(8)),
            ("0x1F", json!(31)),
            ("0x", json!("0x")),
            ("-7", json!(-7)),
            ("1_000", json!("1_000")),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("~", json!(null)),
            ("TRUE", json!(true)),
            ("'1'", json!("1")),
            ("!!str 1", json!("1")),
            ("!!int 1", json!(1)),
            ("!Ref name", json!("name")),
        ] {
            assert_eq!(values(text), [value], "{text}");
        }
    }

    #[test]
    fn merge_keys_and_aliases_bring_in_what_is_not_said() {
        let text = "base: &base {a: 1, b: 2}\nuse:\n  <<: [*base, {b: 3, c: 4}]\n  a: 0\ntext: {'<<': 1}\n";
        assert_eq!(
            values(text),
            [json!({"base": {"a": 1, "b": 2}, "use": {"a": 0, "b": 2, "c": 4}, "text": {"<<": 1}})]
        );
    }

    #[test]
    fn keys_are_texts_and_what_json_cannot_say_is_told() {
        assert_eq!(values("1: a\ntrue: b\nnull: c\n"), [json!({"1": "a", "true": "b", "null": "c"})]);
        for (text, start) in [("a: .nan", "line 1, column 4: a number"), ("b: 1\n[1]: 2\n", "line 2, column 3: a key")]
        {
            let told = read(text, &mut || None).unwrap().beyond_json.unwrap();
            assert!(told.starts_with(start), "{told}");
        }
    }

    #[test]
    fn bombs_are_refused() {
        let mut laughs = String::new();
        for level in 1..30 {
            let less = format!("*l{}", level - 1);
            let _ = writeln!(laughs, "l{level}: &l{level} [{less}, {less}, {less}, {less}, {less}]");
        }
        assert!(flaw(&format!("l0: &l0 [ha, ha]\n{laughs}")).contains("values, aliases included"));
        assert!(flaw(&"[".repeat(100_000)).starts_with("line 1, column "));
        assert!(flaw(&format!("{}x", "- ".repeat(2_000))).starts_with("line 1, column "));
        assert!(flaw("a: &a [*a]").contains("inside the value that it repeats"));
    }

    #[test]
    fn reading_ends_where_it_must() {
        let ended = read("a: 1", &mut || Some("the deadline passed".to_owned())).unwrap_err();
        assert_eq!(ended, Flaw::Ended("the deadline passed".to_owned()));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_json_is_read_as_json_reads_it(text in "[\\[\\]{}:,\"'a-c0-9 \n&*<!|>-]{0,60}") {
            let stream = read(&text, &mut || None);
            if let (Ok(value), Ok(stream)) = (serde_json::from_str::<Value>(&text), stream) {
                proptest::prop_assert_eq!(stream.documents, vec![value]);
            }
        }
    }
}
