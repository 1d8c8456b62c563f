//! The members of an object in the order in which they stand, each as the text that it is.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object. A key that stands twice is refused: whoever reads on would read another one than the host.
#[derive(Debug, Default)]
pub(super) struct Entries(pub(super) Vec<(String, String)>);

impl Entries {
    /// Returns the text of a member.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, text)| text.as_str())
    }

    /// Puts a text in a member's place, or a new member at the end.
    pub(super) fn set(&mut self, key: &str, text: String) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = text,
            None => self.0.push((key.to_owned(), text)),
        }
    }

    /// Lays the object out, each member on a line of its own, so many levels deep.
    pub(super) fn laid_out(&self, depth: usize) -> String {
        let members = self.0.iter().map(|(key, text)| format!("{}: {text}", serde_json::Value::from(key.as_str())));
        enclosed('{', &members.collect::<Vec<_>>(), '}', depth)
    }
}

/// Lays out a list, each element on a line of its own, so many levels deep.
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

/// Moves a text of several lines so many levels to the right. Texts in JSON hold no line end, so nothing else moves.
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
