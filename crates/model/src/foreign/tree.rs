//! JSON values as written: keys in stored order and without duplicates, with a limit on the number of values.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::build_error::ContextValue;
use crate::limit::FOREIGN_DOCUMENT_VALUES;
use crate::time::Timestamp;

/// Maximum length of a text that a message quotes, in characters.
const QUOTED: usize = 60;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the words say it")]
pub enum Node {
    Null,
    Flag(bool),
    Number(u64),
    Negative(i64),
    Decimal(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Returns the text, if the value is one.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub(super) fn count_exactly(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is below 0 is refused, and a cast of what is too large saturates"
    )]
    pub(super) fn count(&self) -> Option<u64> {
        match self {
            Self::Decimal(number) if 0.0 <= *number => Some(number.round() as u64),
            other => other.count_exactly(),
        }
    }

    pub(super) fn integer(&self) -> Option<i64> {
        match self {
            Self::Number(number) => i64::try_from(*number).ok(),
            Self::Negative(number) => Some(*number),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "an amount is not a count")]
    pub(super) fn amount(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number as f64),
            Self::Decimal(number) if 0.0 <= *number => Some(*number),
            _ => None,
        }
    }

    /// Returns the time, if the value is one that can be written again.
    pub(super) fn time(&self) -> Option<Timestamp> {
        match self {
            Self::Text(text) => Timestamp::parse(text).ok(),
            other => {
                let time = Timestamp::from_millisecond(other.integer()?);
                Timestamp::parse(&time.to_string()).ok()
            }
        }
    }

    pub(super) fn texts(&self) -> Option<Vec<String>> {
        match self {
            Self::List(nodes) => nodes.iter().map(Self::text).collect(),
            _ => None,
        }
    }

    /// Returns a description of the value for messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => format!("the number {number}"),
            Self::Negative(number) => format!("the number {number}"),
            Self::Decimal(number) => format!("the number {number}"),
            Self::Text(text) => match text.char_indices().nth(QUOTED) {
                None => format!("the text {text:?}"),
                Some((end, _)) => format!("a text that begins with {:?}", &text[..end]),
            },
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "an object".to_owned(),
        }
    }
}

impl From<&Node> for ContextValue {
    fn from(node: &Node) -> Self {
        match node {
            Node::Null => Self::Null,
            Node::Flag(flag) => Self::Flag(*flag),
            Node::Number(number) => Self::Number(*number),
            Node::Negative(number) => Self::Negative(*number),
            Node::Decimal(number) => Self::Decimal(*number),
            Node::Text(text) => Self::Text(text.clone()),
            Node::List(nodes) => Self::List(nodes.iter().map(Self::from).collect()),
            Node::Map(entries) => {
                Self::Map(entries.iter().map(|(key, node)| (key.clone(), Self::from(node))).collect())
            }
        }
    }
}

/// Deserializes a value while the budget of values lasts.
#[derive(Clone, Copy)]
pub(super) struct Bounded<'a>(pub(super) &'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        let left = self.0.get().checked_sub(1);
        self.0.set(
            left.ok_or_else(|| D::Error::custom(format_args!("it holds more than {FOREIGN_DOCUMENT_VALUES} values")))?,
        );
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(u64::try_from(number).map_or(Node::Negative(number), Node::Number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Decimal(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = sequence.next_element_seed(self)? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let (mut entries, mut seen) = (Vec::new(), BTreeSet::new());
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("`{key}` appears twice")));
            }
            entries.push((key, map.next_value_seed(self)?));
        }
        Ok(Node::Map(entries))
    }
}
