//! Types that declare the shape of a document.

/// Allowed values at one place in a document.
#[derive(Debug)]
pub enum Shape {
    Any,
    /// `null` or an absent value.
    Null,
    Boolean,
    /// A whole number, including ones such as `5.0`.
    Integer {
        /// Inclusive minimum.
        min: i64,
        /// Inclusive maximum.
        max: i64,
    },
    Number {
        /// Inclusive minimum.
        min: f64,
        /// Inclusive maximum.
        max: f64,
    },
    /// A string.
    Text(Text),
    /// A string from a fixed list.
    Keyword {
        /// Documented keywords.
        words: &'static [&'static str],
        /// Accepted alternative spellings, not documented.
        also: &'static [&'static str],
    },
    /// Milliseconds as a whole number, or a string such as `500ms`, `60s`, `1.5m` or `1h`.
    Duration {
        /// Inclusive minimum in milliseconds.
        min_ms: i64,
        /// Inclusive maximum in milliseconds. For strings it is checked outside of the schema, which cannot
        /// express it.
        max_ms: i64,
    },
    List {
        /// Shape of each element.
        item: &'static Shape,
        /// Minimum number of elements.
        min: usize,
    },
    /// A mapping whose keys are names chosen by the author.
    Map(&'static Map),
    /// A mapping with known keys.
    Object(&'static Object),
    /// A mapping with known keys, exactly one of which selects its kind.
    Variants(&'static Variants),
    /// A mapping with known keys, where the value of one selects the shapes of the others.
    Tagged(&'static Tagged),
    /// A mapping with known keys that accepts exactly one of several groups of keys.
    Ways(&'static Ways),
    /// The first of these shapes that accepts the type of the value.
    Either(&'static [Shape]),
}

/// A string with a certain form.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Description after "expected", such as `a command line`.
    pub what: &'static str,
    /// Regular expression that the string must match, in the common subset of the Rust `regex` crate and ECMA-262.
    pub pattern: Option<&'static str>,
}

/// A mapping whose keys are names chosen by the author.
#[derive(Debug)]
pub struct Map {
    /// Description after "expected", such as `a mapping of names to checks`.
    pub what: &'static str,
    /// Form of the keys.
    pub key: Text,
    /// Shape of each value.
    pub value: Shape,
    /// Minimum number of entries.
    pub min: usize,
}

/// A mapping with known keys.
#[derive(Debug)]
pub struct Object {
    /// Name among the definitions of the JSON Schema.
    pub name: &'static str,
    /// Description without the word mapping, such as `a tool's policy`.
    pub what: &'static str,
    /// Description in the JSON Schema, as a sentence.
    pub doc: &'static str,
    pub fields: &'static [Field],
    /// Treatment of keys that are neither known nor begin with `x-`.
    pub others: Others,
}

/// A known key.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    /// Description in the JSON Schema, as a sentence.
    pub doc: &'static str,
    /// Whether the key is required.
    pub required: bool,
    /// Allowed value.
    pub value: Value,
}

/// Allowed value of a known key.
#[derive(Debug)]
pub enum Value {
    /// A value of this shape.
    Shaped(Shape),
    /// The key belongs to the format, but this version does not support it: its presence is an error, never ignored.
    NotSupported,
}

/// Treatment of keys that are neither known nor begin with `x-` (ruling 1).
#[derive(Debug)]
pub enum Others {
    /// An error, so that a misspelled check is not ignored.
    Refused,
    Warned,
    /// A warning, or an error if a known key has a similar name, because a misspelled section would be ignored
    /// with all its contents. No schema can express this, so it is reported at
    /// [`Stage::Meaning`](crate::complaint::Stage::Meaning).
    WarnedUnlessNear,
    /// Names chosen by the author.
    Named(&'static Map),
}

/// A mapping with known keys that accepts exactly one of several groups of keys.
#[derive(Debug)]
pub struct Ways {
    pub object: &'static Object,
    /// Groups of keys: all keys of exactly one group must be present.
    pub ways: &'static [&'static [&'static str]],
}

/// A mapping of which exactly one key selects its kind.
#[derive(Debug)]
pub struct Variants {
    /// Name among the definitions of the JSON Schema.
    pub name: &'static str,
    /// Description without the word mapping, such as `a check`.
    pub what: &'static str,
    /// Description in the JSON Schema, as a sentence.
    pub doc: &'static str,
    pub kinds: &'static [Kind],
    /// Keys that all kinds accept.
    pub shared: &'static [Field],
}

/// One kind of a [`Variants`] mapping.
#[derive(Debug)]
pub struct Kind {
    /// Key that selects this kind.
    pub tag: Field,
    /// Keys of this kind beside the shared ones, in groups that several kinds may share.
    pub fields: &'static [&'static [Field]],
}

impl Kind {
    /// Returns the keys of this kind without its tag and the shared keys.
    pub fn own_fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().copied().flatten()
    }
}

/// A mapping where the value of one key selects the shapes of the others.
#[derive(Debug)]
pub struct Tagged {
    /// Name among the definitions of the JSON Schema.
    pub name: &'static str,
    /// Description without the word mapping, such as `an action`.
    pub what: &'static str,
    /// Description in the JSON Schema, as a sentence.
    pub doc: &'static str,
    /// Required key whose value is the word of one of the cases.
    pub tag: &'static str,
    /// Description of the tag in the JSON Schema.
    pub tag_doc: &'static str,
    /// Cases, one per word.
    pub cases: &'static [Case],
    /// Keys that all cases accept.
    pub fields: &'static [Field],
}

/// One case of a [`Tagged`] mapping.
#[derive(Debug)]
pub struct Case {
    /// Value of the tag.
    pub word: &'static str,
    /// Keys of this case. All cases list the same names; only their shapes differ.
    pub fields: &'static [Field],
}

/// Form of a duration that is written as a string.
pub const DURATION: Text =
    Text { what: "a duration such as `60s`", pattern: Some(r"^[0-9]{1,9}(\.[0-9]{1,3})?(ms|s|m|h)$") };

/// Prefix of keys that belong to the author, in every object (ruling 1).
pub const FREE_PREFIX: &str = "x-";

impl Shape {
    /// Returns what is expected, such as `a whole number from 0 to 255`.
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
