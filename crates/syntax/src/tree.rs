//! A document as a tree with positions, independent of its format.

use crate::pointer;
use crate::span::Span;

/// A value and its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`, or an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    Integer {
        value: i64,
        /// The number as written, such as `010` for ten.
        literal: String,
    },
    Float {
        /// The value; may be infinite or NaN in YAML.
        value: f64,
        literal: String,
    },
    Text(String),
    List(Vec<Node>),
    /// A mapping in text order, without duplicate keys.
    Map(Vec<Entry>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    /// Returns the entries of a mapping; empty for other values.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the entries of a mapping by value; empty for other values.
    pub fn into_entries(self) -> Vec<Entry> {
        match self.kind {
            Kind::Map(entries) => entries,
            _ => Vec::new(),
        }
    }

    /// Returns the entry of a mapping with this key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// Returns the value of a mapping for this key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Returns the value at a path of nested mappings, with keys separated by dots: `tool.ruff.lint`.
    pub fn at(&self, keys: &str) -> Option<&Node> {
        keys.split('.').try_fold(self, Self::get)
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a text, a number or a boolean as written.
    pub fn scalar(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            Kind::Integer { literal, .. } | Kind::Float { literal, .. } => Some(literal),
            Kind::Bool(true) => Some("true"),
            Kind::Bool(false) => Some("false"),
            Kind::Null | Kind::List(_) | Kind::Map(_) => None,
        }
    }

    pub fn boolean(&self) -> Option<bool> {
        match self.kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self.kind {
            #[expect(clippy::cast_precision_loss, reason = "a rate or bound of this size does not feel it")]
            Kind::Integer { value, .. } => Some(value as f64),
            Kind::Float { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Returns a whole number, which may be written as `5.0`. One that is out of range is clamped.
    pub fn integer(&self) -> Option<i64> {
        match self.kind {
            Kind::Integer { value, .. } => Some(value),
            #[expect(clippy::cast_possible_truncation, reason = "it is whole, and a cast saturates")]
            Kind::Float { value, .. } if value.fract() == 0.0 => Some(value as i64),
            _ => None,
        }
    }

    /// Returns the elements of a list; empty for other values.
    pub fn elements(&self) -> &[Node] {
        match &self.kind {
            Kind::List(elements) => elements,
            _ => &[],
        }
    }

    /// Returns the elements of a list, or the value itself, where one or several may be given.
    pub fn one_or_more(&self) -> &[Node] {
        match &self.kind {
            Kind::List(elements) => elements,
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the number of values including this one, their nesting depth, and the length of their texts.
    pub fn extent(&self) -> Extent {
        let (inner, keys): (Box<dyn Iterator<Item = &Node>>, usize) = match &self.kind {
            Kind::List(elements) => (Box::new(elements.iter()), 0),
            Kind::Map(entries) => {
                let keys = entries.iter().map(|entry| entry.key.len()).sum();
                (Box::new(entries.iter().map(|entry| &entry.value)), keys)
            }
            Kind::Text(text) | Kind::Integer { literal: text, .. } | Kind::Float { literal: text, .. } => {
                return Extent { values: 1, depth: 0, bytes: text.len() };
            }
            Kind::Null | Kind::Bool(_) => return Extent { values: 1, depth: 0, bytes: 0 },
        };
        inner.map(Self::extent).fold(Extent { values: 1, depth: 1, bytes: keys }, |sum, extent| Extent {
            values: sum.values + extent.values,
            depth: sum.depth.max(extent.depth + 1),
            bytes: sum.bytes + extent.bytes,
        })
    }

    /// Returns the RFC 6901 pointer to the innermost value whose text or key contains a span.
    pub fn pointer(&self, span: Span) -> String {
        let mut written = String::new();
        let mut node = self;
        if span == Span::BEGINNING {
            // Faults of the whole document have this span.
            return written;
        }
        loop {
            let (step, next) = match &node.kind {
                Kind::List(elements) => {
                    let found = elements.iter().enumerate().find(|(_, element)| element.span.contains(span));
                    let Some((index, element)) = found else { return written };
                    (format!("/{index}"), element)
                }
                Kind::Map(entries) => {
                    let holds = |entry: &&Entry| entry.key_span.contains(span) || entry.value.span.contains(span);
                    let Some(entry) = entries.iter().find(holds) else { return written };
                    (pointer::step(&entry.key), &entry.value)
                }
                _ => return written,
            };
            written.push_str(&step);
            node = next;
        }
    }
}

/// The value of a known key of a mapping, if present.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a>(Option<&'a Entry>);

impl<'a> Member<'a> {
    pub fn of(node: Option<&'a Node>, key: &str) -> Self {
        Self(node.and_then(|node| node.entry(key)))
    }

    /// Returns the key and the value.
    pub fn entry(self) -> Option<&'a Entry> {
        self.0
    }

    pub fn node(self) -> Option<&'a Node> {
        self.0.map(|entry| &entry.value)
    }

    /// Returns this member, or the other one if this one is absent.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    /// Returns whether the key is present.
    pub fn is_given(self) -> bool {
        self.0.is_some()
    }

    pub fn text(self) -> Option<&'a str> {
        self.node().and_then(Node::text)
    }

    /// Returns the text with its node.
    pub fn text_node(self) -> Option<(&'a Node, &'a str)> {
        self.node().and_then(|node| Some((node, node.text()?)))
    }

    pub fn boolean(self) -> Option<bool> {
        self.node().and_then(Node::boolean)
    }

    /// Returns whether the value is `true`.
    pub fn is_true(self) -> bool {
        self.boolean() == Some(true)
    }

    /// Returns a whole number, as [`Node::integer`] does.
    pub fn integer(self) -> Option<i64> {
        self.node().and_then(Node::integer)
    }

    /// Returns the entries of a mapping; empty for other values.
    pub fn entries(self) -> &'a [Entry] {
        self.node().map(Node::entries).unwrap_or_default()
    }

    /// Returns the elements of a list; empty for other values.
    pub fn elements(self) -> &'a [Node] {
        self.node().map(Node::elements).unwrap_or_default()
    }

    /// Returns the texts of a list.
    pub fn texts(self) -> impl Iterator<Item = String> + use<'a> {
        self.elements().iter().filter_map(Node::text).map(str::to_owned)
    }

    /// Returns the elements of a list, or the value itself; empty if absent.
    pub fn one_or_more(self) -> &'a [Node] {
        self.node().map(Node::one_or_more).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub values: usize,
    /// Maximum number of lists and mappings around a value.
    pub depth: usize,
    /// Length of all texts and keys in bytes.
    pub bytes: usize,
}
