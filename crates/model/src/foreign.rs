//! Documents of other programs: without a version, with keys in camel case or snake case, and with unknown keys.
//!
//! Parsing is lenient where that is harmless (unknown keys are ignored, `exit_code` is `exitCode`) and strict
//! elsewhere: a value of another type, a duplicate key, or two spellings of a key with different values are
//! errors that name the key. Input size is limited.

use serde::de::DeserializeSeed;

use self::tree::Bounded;
use crate::build_error::ContextValue;
use crate::limit::{FOREIGN_DOCUMENT_BYTES, FOREIGN_DOCUMENT_VALUES};
use crate::time::Timestamp;

pub mod build_error;
mod tree;

pub use self::tree::Node;

/// An error reading a document of another program.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The document is larger than the limit.
    #[error("{document} is too large: the limit is {} MiB", FOREIGN_DOCUMENT_BYTES >> 20)]
    TooLarge {
        /// Name of the document.
        document: &'static str,
    },
    /// Not JSON, a duplicate key, or too many values.
    #[error("cannot read {document}: {source}")]
    Json {
        /// Name of the document.
        document: &'static str,
        /// The error and its position.
        source: serde_json::Error,
    },
    /// A required key is missing.
    #[error("cannot read {document}: `{key}` is missing")]
    Missing {
        /// Name of the document.
        document: &'static str,
        /// Path of the key, such as `levels.L0.passed`.
        key: String,
    },
    /// A value has another type.
    #[error("cannot read {document}: `{key}` must be {expected}, not {found}")]
    Wrong {
        /// Name of the document.
        document: &'static str,
        /// Path of the key.
        key: String,
        /// The expected type.
        expected: &'static str,
        /// The value found.
        found: String,
    },
    /// Two parts of the document contradict each other.
    #[error("{document} is inconsistent: {problem}")]
    Contradiction {
        /// Name of the document.
        document: &'static str,
        /// The parts and their values.
        problem: String,
    },
}

/// A complete document, not yet interpreted.
pub struct Foreign {
    document: &'static str,
    root: Node,
}

impl Foreign {
    /// Parses the bytes of a document with this name.
    pub fn read(document: &'static str, bytes: &[u8]) -> Result<Self, ForeignError> {
        if FOREIGN_DOCUMENT_BYTES < bytes.len() {
            return Err(ForeignError::TooLarge { document });
        }
        let json = |source| ForeignError::Json { document, source };
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let left = std::cell::Cell::new(FOREIGN_DOCUMENT_VALUES);
        let root = Bounded(&left).deserialize(&mut deserializer).map_err(json)?;
        deserializer.end().map_err(json)?;
        Ok(Self { document, root })
    }

    /// Returns the members of the document, which must be an object.
    pub fn members(&self) -> Result<Members<'_>, ForeignError> {
        Members::of(self.document, String::new(), &self.root)
    }
}

/// The members of one object.
#[derive(Clone)]
pub struct Members<'a> {
    document: &'static str,
    /// Path of the object.
    place: String,
    entries: &'a [(String, Node)],
}

/// The expected type of a value, with the conversion.
pub struct Form<T> {
    expected: &'static str,
    take: fn(&Node) -> Option<T>,
}

/// A text.
pub const TEXT: Form<String> = Form { expected: "a text", take: Node::text };
/// A boolean.
pub const FLAG: Form<bool> = Form { expected: "true or false", take: Node::flag };
/// A count or a number of milliseconds. Fractions are rounded, since some clocks report them.
pub const COUNT: Form<u64> = Form { expected: "a number that is not below 0", take: Node::count };
/// A whole number of 32 bits, unsigned.
pub const SMALL: Form<u32> =
    Form { expected: "a whole number from 0 to 4294967295", take: |node| node.count_exactly()?.try_into().ok() };
/// An exit code.
pub const EXIT_CODE: Form<i32> =
    Form { expected: "a whole number of 32 bits", take: |node| node.integer()?.try_into().ok() };
/// A non-negative number.
pub const AMOUNT: Form<f64> = Form { expected: "a number that is not below 0", take: Node::amount };
/// A point in time: RFC 3339, or milliseconds since 1970-01-01.
pub const TIME: Form<Timestamp> = Form { expected: "a time such as \"2026-01-02T15:35:30.000Z\"", take: Node::time };
/// A list of texts.
pub const TEXTS: Form<Vec<String>> = Form { expected: "a list of texts", take: Node::texts };
/// Any value.
pub const ANYTHING: Form<ContextValue> = Form { expected: "anything", take: |node| Some(node.into()) };

impl<T> Form<T> {
    /// Creates a form.
    pub const fn new(expected: &'static str, take: fn(&Node) -> Option<T>) -> Self {
        Self { expected, take }
    }
}

impl<'a> Members<'a> {
    fn of(document: &'static str, place: String, node: &'a Node) -> Result<Self, ForeignError> {
        match node {
            Node::Map(entries) => Ok(Self { document, place, entries }),
            other => {
                let key = if place.is_empty() { "(the document)".to_owned() } else { place };
                Err(ForeignError::Wrong { document, key, expected: "an object", found: other.shown() })
            }
        }
    }

    /// Returns the value of a key in either spelling. None: absent or null.
    fn get(&self, key: &str) -> Result<Option<&'a Node>, ForeignError> {
        let of = |name: &str| self.entries.iter().find(|(known, _)| known == name).map(|(_, node)| node);
        let other = snake_case(key);
        let found = match (of(key), of(&other)) {
            (Some(one), Some(two)) if other != key && one != two => {
                return Err(self.contradiction(format!(
                    "`{}` and `{}` do not say the same",
                    self.named(key),
                    self.named(&other)
                )));
            }
            (one, two) => one.or(two),
        };
        Ok(found.filter(|node| **node != Node::Null))
    }

    /// Returns whether the key in this exact spelling is present and not null.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(known, node)| known == key && *node != Node::Null)
    }

    /// Returns the path of a key.
    fn named(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    /// Returns the value of an optional key. None: absent or null.
    pub fn optional<T>(&self, key: &str, form: &Form<T>) -> Result<Option<T>, ForeignError> {
        let Some(node) = self.get(key)? else { return Ok(None) };
        match (form.take)(node) {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(key, form.expected, node.shown())),
        }
    }

    /// Returns the value of a required key.
    pub fn required<T>(&self, key: &str, form: &Form<T>) -> Result<T, ForeignError> {
        self.optional(key, form)?.ok_or_else(|| self.missing(key))
    }

    /// Returns the value of a required key that may be null.
    pub fn nullable<T>(&self, key: &str, form: &Form<T>) -> Result<Option<T>, ForeignError> {
        let names = [key.to_owned(), snake_case(key)];
        if !self.entries.iter().any(|(known, _)| names.contains(known)) {
            return Err(self.missing(key));
        }
        self.optional(key, form)
    }

    /// Returns the object of an optional key. None: absent or null.
    pub fn object(&self, key: &str) -> Result<Option<Self>, ForeignError> {
        self.get(key)?.map(|node| Self::of(self.document, self.named(key), node)).transpose()
    }

    /// Returns the list of objects of an optional key. None: absent or null.
    pub fn objects(&self, key: &str) -> Result<Option<Vec<Self>>, ForeignError> {
        let Some(node) = self.get(key)? else { return Ok(None) };
        let Node::List(nodes) = node else { return Err(self.wrong(key, "a list", node.shown())) };
        let objects = nodes.iter().enumerate();
        let objects = objects.map(|(at, node)| Self::of(self.document, format!("{}[{at}]", self.named(key)), node));
        objects.collect::<Result<_, _>>().map(Some)
    }

    /// Returns every member as an object, in stored order, without members that are null.
    pub fn each_object(&self) -> Result<Vec<(&'a str, Self)>, ForeignError> {
        let entries = self.entries.iter().filter(|(_, node)| *node != Node::Null);
        let objects = entries.map(|(key, node)| Ok((key.as_str(), Self::of(self.document, self.named(key), node)?)));
        objects.collect()
    }

    /// Returns every member as it is.
    pub fn each(&self) -> impl Iterator<Item = (&'a str, &'a Node)> {
        self.entries.iter().map(|(key, node)| (key.as_str(), node))
    }

    /// Creates the error for a missing key.
    pub fn missing(&self, key: &str) -> ForeignError {
        ForeignError::Missing { document: self.document, key: self.named(key) }
    }

    /// Creates the error for a value of another type.
    pub fn wrong(&self, key: &str, expected: &'static str, found: String) -> ForeignError {
        ForeignError::Wrong { document: self.document, key: self.named(key), expected, found }
    }

    /// Creates the error for contradicting parts.
    pub fn contradiction(&self, problem: String) -> ForeignError {
        ForeignError::Contradiction { document: self.document, problem }
    }
}

/// Converts a key to snake case: `exitCode` to `exit_code`, `waitForCI` to `wait_for_ci`.
fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    let mut after_capital = true;
    for character in key.chars() {
        if character.is_ascii_uppercase() {
            if !after_capital {
                snake.push('_');
            }
            snake.push(character.to_ascii_lowercase());
        } else {
            snake.push(character);
        }
        after_capital = character.is_ascii_uppercase();
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Foreign, ForeignError> {
        Foreign::read("sample", text.as_bytes())
    }

    fn error(text: &str, of: impl Fn(Members<'_>) -> Result<(), ForeignError>) -> String {
        let problem = read(text).and_then(|foreign| of(foreign.members()?));
        problem.unwrap_err().to_string()
    }

    #[test]
    fn keys_have_two_spellings() {
        for (camel, snake) in [
            ("exitCode", "exit_code"),
            ("totalCostUsd", "total_cost_usd"),
            ("memoryMB", "memory_mb"),
            ("waitForCI", "wait_for_ci"),
            ("l0Result", "l0_result"),
            ("model", "model"),
        ] {
            assert_eq!(snake_case(camel), snake);
            let foreign = read(&format!(r#"{{"{snake}": 7, "other": [1, {{}}]}}"#)).unwrap();
            assert_eq!(foreign.members().unwrap().required(camel, &COUNT).unwrap(), 7);
        }
        let both = read(r#"{"exitCode": 1, "exit_code": 1}"#).unwrap();
        assert_eq!(both.members().unwrap().required("exitCode", &EXIT_CODE).unwrap(), 1);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let exit = |members: Members<'_>| members.required("exitCode", &EXIT_CODE).map(drop);
        let deep = |members: Members<'_>| {
            members.object("a")?.unwrap().objects("b")?.unwrap()[1].required("c", &TEXT).map(drop)
        };
        for (text, of, message) in [
            (
                r#"{"exitCode": "1"}"#,
                &exit as &dyn Fn(Members<'_>) -> _,
                "`exitCode` must be a whole number of 32 bits, not the text \"1\"",
            ),
            (r#"{"exitCode": 4294967296}"#, &exit, "not the number 4294967296"),
            (r#"{"exitCode": 1.5}"#, &exit, "not the number 1.5"),
            ("{}", &exit, "`exitCode` is missing"),
            (r#"{"exitCode": null}"#, &exit, "`exitCode` is missing"),
            (r#"{"exitCode": 1, "exit_code": 2}"#, &exit, "`exitCode` and `exit_code` do not say the same"),
            (r#"{"a": {"b": [{}, {"c": true}]}}"#, &deep, "`a.b[1].c` must be a text, not true"),
            (r#"{"a": {"b": [{}, 3]}}"#, &deep, "`a.b[1]` must be an object, not the number 3"),
            (r#"{"a": []}"#, &deep, "`a` must be an object, not a list"),
            ("[]", &exit, "`(the document)` must be an object, not a list"),
            (r#"{"a": 1, "a": 1}"#, &exit, "`a` appears twice"),
            ("{\"a\": 1} x", &exit, "trailing characters"),
            ("{\"a\":", &exit, "EOF while parsing"),
            ("", &exit, "EOF while parsing"),
        ] {
            let error = error(text, of);
            assert!(error.contains("sample") && error.contains(message), "{error}");
        }
    }

    #[test]
    fn what_is_read_is_bounded() {
        let too_large = vec![b' '; FOREIGN_DOCUMENT_BYTES + 1];
        assert!(matches!(Foreign::read("sample", &too_large), Err(ForeignError::TooLarge { .. })));
        let many = format!("[{}0]", "0,".repeat(FOREIGN_DOCUMENT_VALUES));
        assert!(read(&many).err().unwrap().to_string().contains("more than 1000000 values"));
        let deep = "[".repeat(100_000);
        assert!(read(&deep).err().unwrap().to_string().contains("recursion limit"));
        let long = error(&format!(r#"{{"exitCode": "{}"}}"#, "ß".repeat(10_000)), |members| {
            members.required("exitCode", &EXIT_CODE).map(drop)
        });
        assert!(long.len() < 300, "{}", long.len());
    }

    #[test]
    fn times_are_texts_or_milliseconds() {
        for (text, milliseconds) in [
            (r#""2026-01-02T15:35:30.000Z""#, Some(1_767_368_130_000)),
            (r#""2026-01-02T15:35:30.123456+00:00""#, Some(1_767_368_130_123)),
            ("1767368130000", Some(1_767_368_130_000)),
            ("18446744073709551615", None),
            (r#""build""#, None),
            ("1e300", None),
        ] {
            let foreign = read(&format!(r#"{{"at": {text}}}"#)).unwrap();
            let time = foreign.members().unwrap().required("at", &TIME);
            assert_eq!(time.ok().map(Timestamp::as_millisecond), milliseconds, "{text}");
        }
    }
}
