//! One document as a tree with positions, whatever its format.

use crate::pointer;
use crate::span::Span;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`, or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    Integer {
        value: i64,
        /// As it is written, such as `010` for ten.
        literal: String,
    },
    Float {
        /// Its value; may be infinite or no number at all in YAML.
        value: f64,
        literal: String,
    },
    Text(String),
    List(Vec<Node>),
    /// A mapping, in the order of the text; no key is there twice.
    Map(Vec<Entry>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    /// Returns the entries of a mapping; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the entries of a mapping by value; none for anything else.
    pub fn into_entries(self) -> Vec<Entry> {
        match self.kind {
            Kind::Map(entries) => entries,
            _ => Vec::new(),
        }
    }

    /// Returns a mapping's entry.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// Returns what a mapping holds under a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Returns what mappings hold under keys, one within another, with dots between them: `tool.ruff.lint`.
    pub fn at(&self, keys: &str) -> Option<&Node> {
        keys.split('.').try_fold(self, Self::get)
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a text, a number or a truth value as it is written.
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

    /// Returns a whole number; `5.0` is one. One that does not fit comes as the largest or smallest that does.
    pub fn integer(&self) -> Option<i64> {
        match self.kind {
            Kind::Integer { value, .. } => Some(value),
            #[expect(clippy::cast_possible_truncation, reason = "it is whole, and a cast saturates")]
            Kind::Float { value, .. } if value.fract() == 0.0 => Some(value as i64),
            _ => None,
        }
    }

    /// Returns the elements of a list; none for anything else.
    pub fn elements(&self) -> &[Node] {
        match &self.kind {
            Kind::List(elements) => elements,
            _ => &[],
        }
    }

    /// Returns the elements of a list, or the value itself: where one or several may be given.
    pub fn one_or_more(&self) -> &[Node] {
        match &self.kind {
            Kind::List(elements) => elements,
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the number of values in here, this one included, how deep they are nested, and how long their texts are.
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

    /// Returns the RFC 6901 pointer of the innermost value whose text, or whose key, holds a span.
    pub fn pointer(&self, span: Span) -> String {
        let mut written = String::new();
        let mut node = self;
        if span == Span::BEGINNING {
            // What is said of the whole document stands there.
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

/// What stands under a known key of a mapping, if that is there.
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

    /// Returns this one, or another one where it is not there.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    /// Returns whether the key is there.
    pub fn is_given(self) -> bool {
        self.0.is_some()
    }

    pub fn text(self) -> Option<&'a str> {
        self.node().and_then(Node::text)
    }

    /// Returns a text, and where it stands.
    pub fn text_node(self) -> Option<(&'a Node, &'a str)> {
        self.node().and_then(|node| Some((node, node.text()?)))
    }

    pub fn boolean(self) -> Option<bool> {
        self.node().and_then(Node::boolean)
    }

    /// Returns whether it is `true`.
    pub fn is_true(self) -> bool {
        self.boolean() == Some(true)
    }

    /// Returns a whole number, as [`Node::integer`] does.
    pub fn integer(self) -> Option<i64> {
        self.node().and_then(Node::integer)
    }

    /// Returns the entries of a mapping; none for anything else.
    pub fn entries(self) -> &'a [Entry] {
        self.node().map(Node::entries).unwrap_or_default()
    }

    /// Returns the elements of a list; none for anything else.
    pub fn elements(self) -> &'a [Node] {
        self.node().map(Node::elements).unwrap_or_default()
    }

    /// Returns the texts of a list.
    pub fn texts(self) -> impl Iterator<Item = String> + use<'a> {
        self.elements().iter().filter_map(Node::text).map(str::to_owned)
    }

    /// Returns the elements of a list, or the value itself; none where there is nothing.
    pub fn one_or_more(self) -> &'a [Node] {
        self.node().map(Node::one_or_more).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub values: usize,
    /// How many lists and mappings stand around its innermost value.
    pub depth: usize,
    /// How many bytes its texts and keys hold.
    pub bytes: usize,
}
