//! Values of conditions.

use std::borrow::Cow;

use referee_model::condition::{Literal, PathStep};
use referee_model::condition_inputs::StreamInputs;
use referee_model::verdict::Truth;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;
use serde_json::{Map, Value as Json};

/// Maximum length of a text in a sentence, in characters.
const SHOWN_CHARACTERS: usize = 80;

/// Result of an expression.
#[derive(Debug, Clone)]
pub(super) enum Value<'v> {
    Known(Known<'v>),
    /// A value of which only the truth is known.
    Counts(bool),
    /// No value, with the reason.
    Unknown(String),
    /// No value, because a reduced run left out its source; with the name of that.
    NotJudged(String),
}

#[derive(Debug, Clone)]
pub(super) enum Known<'v> {
    Number(f64),
    Text(Cow<'v, str>),
    Boolean(bool),
    Null,
    Undefined,
    List(Cow<'v, [Json]>),
    Object(&'v Map<String, Json>),
    /// Headers of an answer: an object with case-insensitive keys.
    Headers(&'v [(String, String)]),
    /// Complete output of a process on one stream.
    Stream(StreamText<'v>),
}

/// Output of a process on one stream, which may be too large for memory: only what was queried is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamText<'v> {
    pub(super) bytes: u64,
    pub(super) material: Option<&'v StreamInputs>,
}

impl<'v> StreamText<'v> {
    /// Returns the whole text, if it was queried and fits in memory.
    pub(super) fn text(&self) -> Option<&'v str> {
        if self.bytes == 0 { Some("") } else { self.material?.text.as_deref() }
    }

    /// Returns whether a string occurs in it. None: it was not searched for.
    pub(super) fn contains(&self, part: &str) -> Option<bool> {
        if part.is_empty() || self.bytes == 0 {
            return Some(part.is_empty());
        }
        let material = self.material?;
        material.found.get(part).copied().or_else(|| Some(material.text.as_ref()?.contains(part)))
    }
}

impl<'v> Value<'v> {
    pub(super) fn text(text: impl Into<Cow<'v, str>>) -> Self {
        Self::Known(Known::Text(text.into()))
    }

    pub(super) fn boolean(value: bool) -> Self {
        Self::Known(Known::Boolean(value))
    }

    /// Creates the value of a count, a size or a time.
    #[expect(clippy::cast_precision_loss, reason = "conditions compute with numbers as JavaScript does")]
    pub(super) fn number(number: u64) -> Self {
        Self::Known(Known::Number(number as f64))
    }

    pub(super) fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown(why.into())
    }

    /// Returns whether the value counts as true.
    pub(super) fn truth(&self) -> Truth {
        let truth = |holds| if holds { Truth::True } else { Truth::False };
        match self {
            Self::Known(known) => truth(known.counts()),
            Self::Counts(holds) => truth(*holds),
            Self::Unknown(_) => Truth::Unknown,
            Self::NotJudged(_) => Truth::NotJudged,
        }
    }

    /// Follows a path into the value; `shown` is its name in sentences.
    pub(super) fn walk(self, path: &[PathStep], shown: &str) -> Self {
        let mut value = self;
        let mut shown = shown.to_owned();
        for step in path {
            let Self::Known(known) = &value else { return value };
            value = match known.member(step) {
                Some(member) => Self::Known(member),
                None => Self::Unknown(format!("{shown} is {}, and has no `{step}`", known.shown())),
            };
            shown = format!("{shown}{step}");
        }
        value
    }
}

impl<'v> Known<'v> {
    pub(super) fn of_literal(literal: &'v Literal) -> Self {
        match literal {
            Literal::Number(number) => Self::Number(*number),
            Literal::Text(text) => Self::Text(Cow::Borrowed(text)),
            Literal::Boolean(value) => Self::Boolean(*value),
            Literal::Null => Self::Null,
            Literal::Undefined => Self::Undefined,
        }
    }

    /// Converts a JSON value. None: a number out of the range of conditions.
    pub(super) fn of_json(json: &'v Json) -> Option<Self> {
        Some(match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Boolean(*value),
            Json::Number(number) => Self::Number(number.as_f64().filter(|number| number.is_finite())?),
            Json::String(text) => Self::Text(Cow::Borrowed(text)),
            Json::Array(elements) => Self::List(Cow::Borrowed(elements)),
            Json::Object(members) => Self::Object(members),
        })
    }

    /// Returns whether the value counts as true, as in JavaScript.
    fn counts(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Boolean(value) => *value,
            Self::Null | Self::Undefined => false,
            Self::List(_) | Self::Object(_) | Self::Headers(_) => true,
            Self::Stream(stream) => stream.bytes > 0,
        }
    }

    /// Returns the member that a path step selects. None: it does not exist or is unknown.
    fn member(&self, step: &PathStep) -> Option<Self> {
        match (self, step) {
            (Self::List(elements), PathStep::Key(key)) if key == "length" => Some(length(elements.len())),
            (Self::Text(text), PathStep::Key(key)) if key == "length" => Some(length(text.encode_utf16().count())),
            (Self::Stream(stream), PathStep::Key(key)) if key == "length" => {
                Some(length(stream.text()?.encode_utf16().count()))
            }
            (Self::Object(members), PathStep::Key(key)) => Self::of_json(members.get(key)?),
            (Self::Object(members), PathStep::Index(index)) => Self::of_json(members.get(&index.to_string())?),
            (Self::Headers(headers), PathStep::Key(name)) => header(headers, name),
            (Self::List(elements), PathStep::Index(index)) => element(elements, usize::try_from(*index).ok()?),
            (Self::List(elements), PathStep::Key(key)) => {
                // `items['0']` is `items[0]`, and `items['00']` is nothing.
                let index: usize = key.parse().ok()?;
                if index.to_string() == *key { element(elements, index) } else { None }
            }
            _ => None,
        }
    }

    /// Returns the type of the value, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Text(_) | Self::Stream(_) => "a text",
            Self::Boolean(_) => "a boolean",
            Self::Null => "null",
            Self::Undefined => "undefined",
            Self::List(_) => "a list",
            Self::Object(_) | Self::Headers(_) => "an object",
        }
    }

    /// Renders the value for a sentence: short values as they are, long ones by kind and size.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number) => Literal::Number(*number).to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::Text(text) => shown_text(text),
            Self::Stream(stream) => match stream.text() {
                Some(text) => shown_text(text),
                None => format!("a text of {}", count(stream.bytes, "byte")),
            },
            Self::List(elements) => format!("a list of {}", count(elements.len(), "element")),
            Self::Null | Self::Undefined | Self::Object(_) | Self::Headers(_) => self.kind().to_owned(),
        }
    }
}

fn shown_text(text: &str) -> String {
    let line = first_line(text, SHOWN_CHARACTERS);
    if line == text {
        Literal::Text(line).to_string()
    } else {
        format!("a text that begins with {}", Literal::Text(line))
    }
}

#[expect(clippy::cast_precision_loss, reason = "conditions compute with numbers as JavaScript does")]
fn length<'v>(number: usize) -> Known<'v> {
    Known::Number(number as f64)
}

/// Returns the value of a header; those of the same name are joined as HTTP joins them (RFC 9110, 5.3).
fn header<'v>(headers: &'v [(String, String)], name: &str) -> Option<Known<'v>> {
    let mut values = headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let first = values.next()?;
    let joined = values.fold(Cow::Borrowed(first.as_str()), |joined, value| Cow::Owned(format!("{joined}, {value}")));
    Some(Known::Text(joined))
}

fn element<'v>(elements: &Cow<'v, [Json]>, index: usize) -> Option<Known<'v>> {
    match elements {
        Cow::Borrowed(elements) => Known::of_json(elements.get(index)?),
        // A list created here holds only numbers.
        Cow::Owned(elements) => elements.get(index)?.as_f64().map(Known::Number),
    }
}
