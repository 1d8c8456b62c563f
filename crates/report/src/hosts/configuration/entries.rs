//! The members of a JSON object in their order, each as its original text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Members of a JSON object. A duplicate key is an error, because another parser could read another value than the
/// host.
#[derive(Debug, Default)]
pub(super) struct Entries(pub(super) Vec<(String, String)>);

impl Entries {
    /// Returns the text of a member.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, text)| text.as_str())
    }

    /// Replaces the text of a member, or adds a member at the end.
    pub(super) fn set(&mut self, key: &str, text: String) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = text,
            None => self.0.push((key.to_owned(), text)),
        }
    }

    /// Formats the object with each member on a line of its own, at an indentation of `depth` levels.
    pub(super) fn laid_out(&self, depth: usize) -> String {
        let members = self.0.iter().map(|(key, text)| format!("{}: {text}", serde_json::Value::from(key.as_str())));
        enclosed('{', &members.collect::<Vec<_>>(), '}', depth)
    }
}

/// Formats a list with each element on a line of its own, at an indentation of `depth` levels.
pub(super) fn list(elements: &[String], depth: usize) -> String {
    enclosed('[', elements, ']', depth)
}

fn enclosed(open: char, parts: &[String], close: char, depth: usize) -> String {
    if parts.is_empty() {
        return format!("{open}{close}");
    }
    let (outer, inner) = ("  ".repeat(depth), "  ".repeat(depth + 1));
    format!("{open}\n{inner}{}\n{outer}{close}", parts.join(&format!(",\n{inner}")))
}

/// Indents all lines of a text by `depth` levels. JSON strings hold no line end, so only the layout changes.
pub(super) fn indented(text: &str, depth: usize) -> String {
    text.replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Entries::default();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if entries.get(&key).is_some() {
                        return Err(A::Error::custom(format_args!("`{key}` appears twice")));
                    }
                    entries.0.push((key, value.get().to_owned()));
                }
                Ok(entries)
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
