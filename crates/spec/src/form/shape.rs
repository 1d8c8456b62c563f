//! The words in which the shape of a document is declared.

/// What a value in a document may be.
#[derive(Debug)]
pub enum Shape {
    /// Any value at all.
    Any,
    /// `null`, or nothing at all.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A whole number; `5.0` is one.
    Integer {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// Any number.
    Number {
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
    },
    /// A text.
    Text(Text),
    /// One word of a list.
    Keyword {
        /// The words.
        words: &'static [&'static str],
        /// Other spellings of them, which are taken and not advertised.
        also: &'static [&'static str],
    },
    /// Whole milliseconds, or a text such as `500ms`, `60s`, `1.5m` or `1h`.
    Duration {
        /// The shortest, in milliseconds.
        min_ms: i64,
        /// The longest, in milliseconds. For texts this is checked beyond the schema, which cannot say it.
        max_ms: i64,
    },
    /// A list.
    List {
        /// What each element is.
        item: &'static Shape,
        /// How many there must be at least.
        min: usize,
    },
    /// A mapping whose keys are names given by the author.
    Map(&'static Map),
    /// A mapping with known keys.
    Object(&'static Object),
    /// A mapping with known keys, exactly one of which says what kind it is.
    Variants(&'static Variants),
    /// A mapping with known keys, one of which says by its word which keys go with it.
    Tagged(&'static Tagged),
    /// A mapping with known keys that says one thing in exactly one of several ways.
    Ways(&'static Ways),
    /// Whichever of these takes this kind of value, the first where several do.
    Either(&'static [Shape]),
}

/// A text with a form.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// What it is, after "expected": `a command line`.
    pub what: &'static str,
    /// A regular expression that the text must match, in what the Rust `regex` crate and ECMA-262 have in common.
    pub pattern: Option<&'static str>,
}

/// A mapping from names that the author gives.
#[derive(Debug)]
pub struct Map {
    /// What it is, after "expected": `a mapping of names to checks`.
    pub what: &'static str,
    /// The form of its keys.
    pub key: Text,
    /// What each value is.
    pub value: Shape,
    /// How many entries there must be at least.
    pub min: usize,
}

/// A mapping with known keys.
#[derive(Debug)]
pub struct Object {
    /// Its name among the schema's definitions.
    pub name: &'static str,
    /// What it is, without saying that it is a mapping: `a tool's policy`.
    pub what: &'static str,
    /// A sentence for the schema's reader.
    pub doc: &'static str,
    /// The known keys.
    pub fields: &'static [Field],
    /// What becomes of keys that are neither known nor begin with `x-`.
    pub others: Others,
}

/// One known key.
#[derive(Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// A sentence for the schema's reader.
    pub doc: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What it may hold.
    pub value: Value,
}

/// What a known key may hold.
#[derive(Debug)]
pub enum Value {
    /// Something of this shape.
    Shaped(Shape),
    /// Nothing: the key belongs to the form, and this version cannot run what it asks for. Never ignored.
    NotSupported,
}

/// What becomes of keys that are neither known nor begin with `x-` (ruling 1).
#[derive(Debug)]
pub enum Others {
    /// An error: a misspelt check must not vanish.
    Refused,
    /// A warning.
    Warned,
    /// A warning, and an error where a known key has a similar name: a misspelt section would take all that stands in it
    /// along. That is a matter of meaning, which no schema can say.
    WarnedUnlessNear,
    /// They are names given by the author.
    Named(&'static Map),
}

/// A mapping with known keys that says one thing in exactly one of several ways.
#[derive(Debug)]
pub struct Ways {
    /// The keys.
    pub object: &'static Object,
    /// What each way needs: the keys of exactly one of these must all be there.
    pub ways: &'static [&'static [&'static str]],
}

/// A mapping of which exactly one key says what kind it is.
#[derive(Debug)]
pub struct Variants {
    /// Its name among the schema's definitions.
    pub name: &'static str,
    /// What it is, without saying that it is a mapping: `a check`.
    pub what: &'static str,
    /// A sentence for the schema's reader.
    pub doc: &'static str,
    /// The kinds.
    pub kinds: &'static [Kind],
    /// Keys that all kinds may have.
    pub shared: &'static [Field],
}

/// One kind among variants.
#[derive(Debug)]
pub struct Kind {
    /// The key that makes it this kind.
    pub tag: Field,
    /// Keys that go with it, beside the shared ones; several kinds may list the same ones.
    pub fields: &'static [&'static [Field]],
}

impl Kind {
    /// Returns the keys that go with this kind, without its tag and the shared ones.
    pub fn own_fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().copied().flatten()
    }
}

/// A mapping of which one key says by its word what other keys hold.
#[derive(Debug)]
pub struct Tagged {
    /// Its name among the schema's definitions.
    pub name: &'static str,
    /// What it is, without saying that it is a mapping: `an action`.
    pub what: &'static str,
    /// A sentence for the schema's reader.
    pub doc: &'static str,
    /// The key that tells; it must be there, and holds the word of one of the cases.
    pub tag: &'static str,
    /// What the key that tells is about.
    pub tag_doc: &'static str,
    /// What each word stands for.
    pub cases: &'static [Case],
    /// Keys that go with every word.
    pub fields: &'static [Field],
}

/// What one word stands for.
#[derive(Debug)]
pub struct Case {
    /// The word.
    pub word: &'static str,
    /// Keys that go with it. Every case lists the same names, so that only what they hold differs.
    pub fields: &'static [Field],
}

/// The form of a duration written as a text.
pub const DURATION: Text =
    Text { what: "a duration such as `60s`", pattern: Some(r"^[0-9]{1,9}(\.[0-9]{1,3})?(ms|s|m|h)$") };

/// Keys that begin so are the author's own, in every object (ruling 1).
pub const FREE_PREFIX: &str = "x-";

impl Shape {
    /// Says what is expected, such as `a whole number from 0 to 255`.
    pub fn expectation(&self) -> String {
        match self {
            Self::Any => "any value".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Number { min: f64::MIN, max: f64::MAX } => "a number".to_owned(),
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Text(text) => text.what.to_owned(),
            Self::Keyword { words, .. } => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Duration { .. } => "a duration such as `60s` (a bare number counts milliseconds)".to_owned(),
            Self::List { .. } => "a list".to_owned(),
            Self::Map(map) => map.what.to_owned(),
            Self::Object(Object { what, .. })
            | Self::Variants(Variants { what, .. })
            | Self::Tagged(Tagged { what, .. })
            | Self::Ways(Ways { object: Object { what, .. }, .. }) => format!("{what} (a mapping)"),
            Self::Either(shapes) => {
                let expectations: Vec<String> = shapes.iter().map(Self::expectation).collect();
                expectations.join(" or ")
            }
        }
    }
}
