//! Lenient parsing of a JSON object from the output of a model, which is seldom pure JSON (JR-01).
//!
//! Accepted: fences and prose around the object, trailing commas, `True`, `False` and `None`, strings in single
//! quotes, keys without quotes, line ends inside strings. If there are several objects, the largest is the
//! answer. Ambiguous text is an error: a text with two possible answers has none.

use serde_json::{Map, Number, Value};

/// Maximum nesting.
const DEPTH: usize = 32;

/// Reason why there is no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The text has only white space.
    Empty,
    /// The text has no object.
    NoObject,
    /// The whole text is JSON, but not an object.
    NotAnObject,
    /// An object is malformed from this byte offset on.
    Broken(usize),
    /// A key occurs twice in one object.
    Twice(String),
    /// Several objects could be the answer.
    Several,
}

impl Flaw {
    /// Returns the problem in words, to follow `its answer`.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Empty => "is empty".to_owned(),
            Self::NoObject => "holds no JSON object".to_owned(),
            Self::NotAnObject => "is JSON, and no object".to_owned(),
            Self::Broken(at) => format!("holds an object that is not well-formed (at byte {at})"),
            Self::Twice(key) => format!("says `{}` twice", referee_syntax::cut::first_line(key, 40)),
            Self::Several => "holds several objects that could each be the answer".to_owned(),
        }
    }
}

/// Parses the object in a text. `telling` is a key of the answer: no other object of the text may have it.
///
/// | the text contains                                | result                 |
/// |--------------------------------------------------|------------------------|
/// | one object, with any text around it              | the object             |
/// | several, and of the others none has the key      | the largest            |
/// | several, and one of the others has the key       | nothing: several       |
/// | an incomplete or invalid object                  | nothing: broken        |
/// | a key twice in an object                         | nothing: twice         |
/// | braces without key and colon (`{name}`)          | as prose               |
pub(crate) fn object(text: &str, telling: &str) -> Result<Map<String, Value>, Flaw> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(Flaw::Empty);
    }
    if serde_json::from_str::<Value>(text).is_ok_and(|value| !value.is_object()) {
        return Err(Flaw::NotAnObject);
    }
    let mut found = objects(text)?;
    // Of two with the same size the first is taken; if either could be the answer, there are several.
    let Some(biggest) = (0..found.len()).rev().max_by_key(|&at| found[at].bytes) else { return Err(Flaw::NoObject) };
    let answer = found.swap_remove(biggest);
    if found.iter().any(|other| other.members.contains_key(telling)) {
        return Err(Flaw::Several);
    }
    Ok(answer.members)
}

struct EmbeddedObject {
    bytes: usize,
    members: Map<String, Value>,
}

/// Returns the objects of a text that are not nested in others.
fn objects(text: &str) -> Result<Vec<EmbeddedObject>, Flaw> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('{').map(|offset| at + offset) {
        let mut reader = Reader { text, at: start };
        match reader.object(0) {
            Ok(members) => {
                found.push(EmbeddedObject { bytes: reader.at - start, members });
                at = reader.at;
            }
            Err(Stop::Prose) => at = start + 1,
            Err(Stop::Flaw(flaw)) => return Err(flaw),
        }
    }
    Ok(found)
}

/// Reason why parsing an object stopped.
enum Stop {
    /// It is not an object: there is no key with a colon.
    Prose,
    Flaw(Flaw),
}

struct Reader<'text> {
    text: &'text str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    fn skip_white_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn broken(&self) -> Stop {
        Stop::Flaw(Flaw::Broken(self.at))
    }

    fn object(&mut self, depth: usize) -> Result<Map<String, Value>, Stop> {
        if depth > DEPTH || !self.take('{') {
            return Err(self.broken());
        }
        let mut members = Map::new();
        loop {
            self.skip_white_space();
            if self.take('}') {
                return Ok(members);
            }
            // Until the first colon it may be prose in braces; after that it is an object, or a malformed one.
            let is_sure = depth > 0 || !members.is_empty();
            let stop = |reader: &Self| if is_sure { reader.broken() } else { Stop::Prose };
            let Some(key) = self.key() else { return Err(stop(self)) };
            self.skip_white_space();
            if !self.take(':') {
                return Err(stop(self));
            }
            let value = self.value(depth)?;
            if members.insert(key.clone(), value).is_some() {
                return Err(Stop::Flaw(Flaw::Twice(key)));
            }
            self.skip_white_space();
            if !self.take(',') && self.peek() != Some('}') {
                return Err(self.broken());
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value>, Stop> {
        if depth > DEPTH || !self.take('[') {
            return Err(self.broken());
        }
        let mut elements = Vec::new();
        loop {
            self.skip_white_space();
            if self.take(']') {
                return Ok(elements);
            }
            elements.push(self.value(depth)?);
            self.skip_white_space();
            if !self.take(',') && self.peek() != Some(']') {
                return Err(self.broken());
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        match self.peek()? {
            quote @ ('"' | '\'') => self.quoted(quote),
            _ => Some(self.word()).filter(|word| !word.is_empty()),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        self.skip_white_space();
        match self.peek() {
            Some('{') => Ok(Value::Object(self.object(depth + 1)?)),
            Some('[') => Ok(Value::Array(self.list(depth + 1)?)),
            Some(quote @ ('"' | '\'')) => self.quoted(quote).map(Value::String).ok_or_else(|| self.broken()),
            Some('-' | '0'..='9') => self.number().map(Value::Number).ok_or_else(|| self.broken()),
            _ => match self.word().as_str() {
                "true" | "True" => Ok(Value::Bool(true)),
                "false" | "False" => Ok(Value::Bool(false)),
                "null" | "None" => Ok(Value::Null),
                _ => Err(self.broken()),
            },
        }
    }

    /// Takes letters, digits, `_`, `-` and `$`.
    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let is_part = |character: char| character.is_ascii_alphanumeric() || "_-$".contains(character);
        let word = &rest[..rest.find(|character| !is_part(character)).unwrap_or(rest.len())];
        self.at += word.len();
        word.to_owned()
    }

    fn number(&mut self) -> Option<Number> {
        let rest = &self.text[self.at..];
        let is_part = |character: char| character.is_ascii_digit() || "+-.eE".contains(character);
        let number = &rest[..rest.find(|character| !is_part(character)).unwrap_or(rest.len())];
        self.at += number.len();
        serde_json::from_str(number).ok()
    }

    /// Takes a string up to its closing quote. None: it is not closed, or has an escape that JSON and Python do
    /// not know.
    fn quoted(&mut self, quote: char) -> Option<String> {
        self.next()?;
        let mut text = String::new();
        loop {
            match self.next()? {
                end if end == quote => return Some(text),
                '\\' => text.push(self.escaped()?),
                plain => text.push(plain),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            plain @ ('"' | '\'' | '\\' | '/') => plain,
            'u' => self.unicode()?,
            _ => return None,
        })
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        let second = (self.take('\\') && self.take('u')).then(|| self.four_digits()).flatten()?;
        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low)
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        self.at += 4;
        is_hexadecimal.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Value, Flaw> {
        object(text, "status").map(Value::Object)
    }

    #[test]
    fn an_object_is_read_however_a_model_wraps_it() {
        let plain = json!({"status": "passed", "n": 1});
        for text in [
            r#"{"status": "passed", "n": 1}"#,
            "\u{feff}  {\"status\": \"passed\", \"n\": 1}\n",
            "```json\n{\"status\": \"passed\", \"n\": 1}\n```",
            "Here is my verdict:\n\n```\n{\"status\": \"passed\", \"n\": 1}\n```\nThat's all {really}.",
            r#"{"status": "passed", "n": 1,}"#,
            r"{'status': 'passed', 'n': 1}",
            r#"{status: "passed", n: 1}"#,
            r#"I looked at {name} and {}: {"status": "passed", "n": 1}"#,
            r#"{"a": 1} {"status": "passed", "n": 1}"#,
            r#"{"status": "passed", "n": 1} (see {"file": "a"})"#,
        ] {
            assert_eq!(read(text), Ok(plain.clone()), "{text}");
        }
        assert_eq!(
            read(r"{'status': True, 'b': False, c: None, 'd': [1, 'it\'s', {e: null,},], 'f': -1.5e3}"),
            Ok(json!({"status": true, "b": false, "c": null, "d": [1, "it's", {"e": null}], "f": -1500.0}))
        );
        assert_eq!(
            read("{\"status\": \"a\\u00e9\\ud83d\\ude00\n{\\\"b\\\"}\"}"),
            Ok(json!({"status": "aé😀\n{\"b\"}"}))
        );
    }

    #[test]
    fn the_biggest_object_wins_unless_another_could_be_the_answer() {
        let biggest = r#"{"a": 1} {"note": "the biggest", "status": "failed"} {"b": 2}"#;
        assert_eq!(read(biggest), Ok(json!({"note": "the biggest", "status": "failed"})));
        for several in [
            r#"{"status": "failed"} {"status": "passed"}"#,
            r#"{"status": "passed"} {"log": "a longer object that says nothing of a status"}"#,
            "{\"status\": \"passed\"}\n{\"status\": \"passed\"}",
        ] {
            assert_eq!(read(several), Err(Flaw::Several), "{several}");
        }
    }

    #[test]
    fn what_is_no_object_or_could_be_read_in_two_ways_is_not_read() {
        for (text, flaw) in [
            ("", Flaw::Empty),
            (" \n\t", Flaw::Empty),
            ("passed", Flaw::NoObject),
            ("{passed}", Flaw::NoObject),
            ("{{{{", Flaw::NoObject),
            ("[{\"status\": \"passed\"}]", Flaw::NotAnObject),
            ("\"{'status': 'passed'}\"", Flaw::NotAnObject),
            ("null", Flaw::NotAnObject),
            (r#"{"status": "failed", "status": "passed"}"#, Flaw::Twice("status".to_owned())),
            (r#"{"a": {"b": 1, b: 2}}"#, Flaw::Twice("b".to_owned())),
        ] {
            assert_eq!(read(text), Err(flaw), "{text}");
        }
        let deep = format!("{{\"status\": {}1{}}}", "[".repeat(40), "]".repeat(40));
        for broken in [
            r#"{"status": "passed""#,
            r#"{"status": "passed"#,
            r#"{"status": passed}"#,
            r#"{"status": "failed", "inner": {"status": "passed"}, "#,
            "{\"status\": \"pas",
            r#"{"status": "passed" "next": "done"}"#,
            r#"{"status": "passed", // all is well
                "next": "done"}"#,
            r#"{"status": "\x41"}"#,
            r#"{"status": "\ud83d"}"#,
            r"{'summary': 'it's fine', 'status': 'passed'}",
            r#"{"n": 1e, "status": "passed"}"#,
            r#"{"status": "passed", ,}"#,
            "{note: the answer is} {\"status\": \"passed\"}",
            &deep,
        ] {
            assert!(matches!(read(broken), Err(Flaw::Broken(_))), "{broken}: {:?}", read(broken));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in ".{0,200}|[{}\\[\\]\"':,a\\\\u0-9 ]{0,200}") {
            let _ = read(&text);
        }

        #[test]
        fn whatever_is_json_is_read_as_json(
            texts in prop::collection::btree_map("[^\u{0}]{0,8}", "[^\u{0}]{0,20}", 0..5),
            around in "[a-z .`\n]{0,20}",
        ) {
            let members: Map<String, Value> =
                texts.into_iter().map(|(key, text)| (key, json!([text, {"n": 1.5, "b": true}]))).collect();
            let written = format!("{around}{}{around}", Value::Object(members.clone()));
            prop_assert_eq!(object(&written, "status"), Ok(members));
        }
    }
}
