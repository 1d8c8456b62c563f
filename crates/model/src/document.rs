//! What all documents share: their layout, and a version that is checked first.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An error reading a document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Not JSON, or JSON of another shape.
    #[error("cannot read {document}: {source}")]
    Shape {
        /// Name of the document.
        document: &'static str,
        /// The error and its position.
        source: serde_json::Error,
    },
    /// The document states no version.
    #[error("{document} has no version: add `{key}`, such as \"{known}\"")]
    NoVersion {
        /// Name of the document.
        document: &'static str,
        /// Key of the version.
        key: &'static str,
        /// The version that this program writes.
        known: &'static str,
    },
    /// The document has a version that this program cannot read.
    #[error("{document} has version {found}, and this Referee reads {known}: {advice}")]
    Version {
        /// Name of the document.
        document: &'static str,
        /// The document's version.
        found: String,
        /// The newest version that can be read; older minor versions of the same major version can be read too.
        known: &'static str,
        /// Advice to the user.
        advice: &'static str,
    },
    /// The shape is right and the content is inconsistent.
    #[error("{document} is inconsistent: {problem}")]
    Content {
        /// Name of the document.
        document: &'static str,
        /// The inconsistency.
        problem: String,
    },
}

/// Serializes a document as indented JSON with a final newline.
///
/// # Errors
/// Fails only for values that JSON cannot hold.
pub fn to_bytes(document: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Parses a document without a version: a contract of a seed, or a part of another document.
///
/// # Errors
/// Fails for bytes that are not such a value.
pub fn from_bytes<Document: DeserializeOwned>(document: &'static str, bytes: &[u8]) -> Result<Document, DocumentError> {
    serde_json::from_slice(bytes).map_err(|source| DocumentError::Shape { document, source })
}

/// A kind of document, with its version.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Name used in messages: the file name for a file.
    pub name: &'static str,
    /// Key of the version.
    pub key: &'static str,
    /// The version that is written: `major.minor.patch`.
    pub version: &'static str,
}

impl Kind {
    /// Serializes a value as a document of this kind, with the version before the value's own keys.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode(&self, value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
        to_bytes(&self.versioned(value))
    }

    /// Serializes a value as one line of a log, including the newline.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode_line(&self, value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = serde_json::to_vec(&self.versioned(value))?;
        line.push(b'\n');
        Ok(line)
    }

    /// Returns a serializable view of the value with the version before its own keys.
    pub fn versioned<'value, Value: Serialize>(&self, value: &'value Value) -> impl Serialize + use<'value, Value> {
        Versioned { version: BTreeMap::from([(self.key, self.version)]), value }
    }

    /// Parses the value of a document of this kind, after checking its version.
    ///
    /// # Errors
    /// Fails for a version that cannot be read, and for bytes that are not such a value.
    pub fn decode<Value: DeserializeOwned>(&self, bytes: &[u8]) -> Result<Value, DocumentError> {
        self.look(bytes)?;
        let shape = |source| DocumentError::Shape { document: self.name, source };
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let value = Beside(self.key, PhantomData).deserialize(&mut deserializer).map_err(shape)?;
        deserializer.end().map_err(shape)?;
        Ok(value)
    }

    /// Parses a document whose type holds the version itself, after checking the version.
    pub fn read<Document: DeserializeOwned>(&self, bytes: &[u8]) -> Result<Document, DocumentError> {
        self.look(bytes)?;
        serde_json::from_slice(bytes).map_err(|source| DocumentError::Shape { document: self.name, source })
    }

    /// Checks the version that a document states.
    fn look(&self, bytes: &[u8]) -> Result<(), DocumentError> {
        let shape = |source| DocumentError::Shape { document: self.name, source };
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        match KeyIn(self.key).deserialize(&mut deserializer).map_err(shape)? {
            Some(Value::String(version)) => self.check(&version),
            Some(_) | None => Err(DocumentError::NoVersion { document: self.name, key: self.key, known: self.version }),
        }
    }

    /// Checks that a version can be read: the same major version, and a minor version up to the one that is written.
    pub fn check(&self, found: &str) -> Result<(), DocumentError> {
        let refused = |advice| {
            Err(DocumentError::Version { document: self.name, found: found.to_owned(), known: self.version, advice })
        };
        match (numbers(found), numbers(self.version)) {
            (Some((major, minor)), Some((own, newest))) if major == own && minor <= newest => Ok(()),
            (Some(found), Some(own)) if found > own => refused("use a newer Referee"),
            (Some(_), _) => refused("use the Referee that wrote it"),
            (None, _) => refused("that is not a version"),
        }
    }

    /// Checks that a parsed document serializes to what was read. Versions are not compared.
    pub fn compare(&self, read: &Value, written: &impl Serialize) -> Result<(), DocumentError> {
        let shape = |source| DocumentError::Shape { document: self.name, source };
        let mut written = serde_json::to_value(written).map_err(shape)?;
        if let (Some(version), Some(own)) = (read.get(self.key), written.get_mut(self.key)) {
            own.clone_from(version);
        }
        match difference(read, &written) {
            None => Ok(()),
            Some(pointer) => Err(self.content(format!("`{pointer}` is not what the rest of it says"))),
        }
    }

    /// Creates an error for inconsistent content.
    pub fn content(&self, problem: impl fmt::Display) -> DocumentError {
        DocumentError::Content { document: self.name, problem: problem.to_string() }
    }
}

/// Returns the JSON pointer of the first difference between two documents.
fn difference(one: &Value, other: &Value) -> Option<String> {
    let below = |key: &str, pair: (Option<&Value>, Option<&Value>)| match pair {
        (Some(one), Some(other)) => difference(one, other).map(|rest| format!("/{key}{rest}")),
        _ => Some(format!("/{key}")),
    };
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.keys().chain(other.keys()).find_map(|key| below(key, (one.get(key), other.get(key))))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(at, (one, other))| below(&at.to_string(), (Some(one), Some(other)))),
        _ => (one != other).then(String::new),
    }
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    let (major, minor, _patch) = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some((major, minor))
}

/// A value with its version.
#[derive(Serialize)]
struct Versioned<'value, Value> {
    #[serde(flatten)]
    version: BTreeMap<&'static str, &'static str>,
    #[serde(flatten)]
    value: &'value Value,
}

/// Deserializes a value from an object that has one additional key, for values that reject unknown keys.
struct Beside<Value>(&'static str, PhantomData<Value>);

impl<'de, Value: DeserializeOwned> DeserializeSeed<'de> for Beside<Value> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, Value: DeserializeOwned> Visitor<'de> for Beside<Value> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(Without { map, key: self.0 }))
    }
}

/// An object with one of its keys hidden.
struct Without<A> {
    map: A,
    key: &'static str,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Without<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if key != self.key {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            self.map.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// A JSON value in which no object has a duplicate key, since other parsers might take the other value.
#[derive(Debug)]
pub struct Distinct(pub Value);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Distinct(Value::Null))
    }
}

impl<'de> Visitor<'de> for Distinct {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        let mut values = Vec::new();
        while let Some(Self(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Self(values.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut members = serde_json::Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if members.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key:?} appears twice")));
            }
            let Self(value) = map.next_value()?;
            members.insert(key, value);
        }
        Ok(Self(members.into()))
    }
}

/// Extracts one key of an object and ignores all others, since a newer document may have keys unknown to this
/// version.
struct KeyIn(&'static str);

impl<'de> DeserializeSeed<'de> for KeyIn {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for KeyIn {
    type Value = Option<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == self.0 && found.is_some() {
                return Err(A::Error::custom(format!("`{key}` appears twice")));
            }
            if key == self.0 {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { name: "sample.json", key: "sampleVersion", version: "2.3.0" };

    #[test]
    fn the_same_major_is_read_up_to_the_known_minor() {
        for good in ["2.3.0", "2.3.9", "2.0.0"] {
            assert!(KIND.check(good).is_ok(), "{good}");
        }
        for (bad, advice) in [
            ("2.4.0", "use a newer Referee"),
            ("3.0.0", "use a newer Referee"),
            ("1.9.0", "use the Referee that wrote it"),
            ("2", "that is not a version"),
            ("2.3", "that is not a version"),
            ("2.3.0.1", "that is not a version"),
            ("2.-1.0", "that is not a version"),
            ("", "that is not a version"),
        ] {
            let message = KIND.check(bad).unwrap_err().to_string();
            assert_eq!(message, format!("sample.json has version {bad}, and this Referee reads 2.3.0: {advice}"));
        }
    }

    #[test]
    fn the_version_is_looked_at_before_the_shape() {
        let newer = br#"{"unheard": {"of": [1]}, "sampleVersion": "2.4.0"}"#;
        let error = KIND.read::<Vec<u8>>(newer).unwrap_err();
        assert!(matches!(error, DocumentError::Version { .. }), "{error}");
        for (junk, message) in [
            ("", "cannot read sample.json: EOF while parsing a value at line 1 column 0"),
            ("[]", "cannot read sample.json: invalid type: sequence, expected an object at line 1 column 0"),
            ("{}", "sample.json has no version: add `sampleVersion`, such as \"2.3.0\""),
            (r#"{"sampleVersion": 2}"#, "sample.json has no version: add `sampleVersion`, such as \"2.3.0\""),
            (
                r#"{"sampleVersion": "9.0.0", "sampleVersion": "2.3.0"}"#,
                "cannot read sample.json: `sampleVersion` appears twice at line 1 column 42",
            ),
            (
                r#"{"sampleVersion": "2.3.0""#,
                "cannot read sample.json: EOF while parsing an object at line 1 column 25",
            ),
        ] {
            assert_eq!(KIND.read::<Value>(junk.as_bytes()).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn documents_end_with_a_line_end() {
        assert_eq!(to_bytes(&["a"]).unwrap(), b"[\n  \"a\"\n]\n");
    }
}
