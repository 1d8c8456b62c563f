//! Texts with placeholders that are filled in during the run.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Name of a value that one action captures and later ones use: letters, digits, `_`, `-` and `.`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CaptureName(String);

impl CaptureName {
    /// Maximum length of a name, in bytes.
    const BYTES: usize = 128;

    /// Parses a name. None: the text is empty, too long, or contains another character.
    pub fn parse(text: &str) -> Option<Self> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let valid = !text.is_empty() && text.len() <= Self::BYTES && text.bytes().all(is_part);
        valid.then(|| Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CaptureName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not a name for a captured value"))
    }
}

impl From<CaptureName> for String {
    fn from(name: CaptureName) -> Self {
        name.0
    }
}

impl fmt::Display for CaptureName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A text with placeholders. Values that are known when the plan is made are already filled in; the remaining
/// ones are captured by earlier actions of the run. Serialized as a plain text if it has no placeholder,
/// otherwise as the list of its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Template(Vec<Piece>);

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Piece {
    /// Literal text; never empty.
    Text(String),
    /// The value that was captured under this name.
    Captured(CaptureName),
}

/// Serialized form of a template.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    /// A text without placeholders.
    Plain(String),
    /// The parts of a text with placeholders.
    Pieces(Vec<Piece>),
}

impl From<Template> for Written {
    fn from(template: Template) -> Self {
        match template.as_plain() {
            Some(text) => Self::Plain(text.to_owned()),
            None => Self::Pieces(template.0),
        }
    }
}

impl TryFrom<Written> for Template {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let pieces = match written {
            Written::Plain(text) => return Ok(Self::plain(text)),
            Written::Pieces(pieces) => pieces,
        };
        let mut template = Self::default();
        for piece in &pieces {
            match piece {
                Piece::Text(text) => template.push_text(text),
                Piece::Captured(name) => template.push_captured(name.clone()),
            }
        }
        if template.0 != pieces || template.as_plain().is_some() {
            return Err("a text with holes has an empty part, two texts in a row, or no hole".to_owned());
        }
        Ok(template)
    }
}

impl Template {
    /// Creates a template without placeholders.
    pub fn plain(text: impl Into<String>) -> Self {
        let mut template = Self::default();
        template.push_text(&text.into());
        template
    }

    /// Appends text.
    pub fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
    }

    /// Appends a placeholder.
    pub fn push_captured(&mut self, name: CaptureName) {
        self.0.push(Piece::Captured(name));
    }

    /// Returns the parts in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Returns the text if it has no placeholders.
    pub fn as_plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the names of the placeholders.
    pub fn captured(&self) -> impl Iterator<Item = &CaptureName> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Captured(name) => Some(name),
        })
    }

    /// Fills in the placeholders, after passing each value through `escape`.
    ///
    /// # Errors
    /// Returns the first name that has no value.
    pub fn fill(
        &self,
        known: &BTreeMap<CaptureName, String>,
        escape: impl Fn(&str) -> String,
    ) -> Result<String, CaptureName> {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Captured(name) => {
                    filled.push_str(&escape(known.get(name).ok_or_else(|| name.clone())?));
                }
            }
        }
        Ok(filled)
    }
}

/// Formats placeholders as `${name}`.
impl fmt::Display for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => formatter.write_str(text),
            Piece::Captured(name) => write!(formatter, "${{{name}}}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_and_unknown_ones_named() {
        let token = CaptureName::parse("token").unwrap();
        let mut template = Template::plain("Bearer ");
        template.push_captured(token.clone());
        assert_eq!(template.to_string(), "Bearer ${token}");
        assert_eq!(template.as_plain(), None);
        assert_eq!(template.fill(&BTreeMap::new(), str::to_owned), Err(token.clone()));
        let known = BTreeMap::from([(token, "a\"b".to_owned())]);
        assert_eq!(template.fill(&known, |value| value.replace('"', "'")), Ok("Bearer a'b".to_owned()));
    }

    #[test]
    fn names_hold_nothing_that_could_end_a_hole() {
        for (text, valid) in [("a.b-c_1", true), ("", false), ("a}", false), ("a b", false), ("\u{e4}", false)] {
            assert_eq!(CaptureName::parse(text).is_some(), valid, "{text}");
        }
    }
}
