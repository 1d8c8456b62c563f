//! JSON with comments and trailing commas, otherwise as strict as RFC 8259.

use std::collections::BTreeMap;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::fault::{Fault, FaultKind, Limits};
use crate::span::Span;
use crate::tree::{Entry, Kind, Node};

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses a text. An empty list: it holds only comments. None: it was rejected, and the last fault states the reason.
pub fn read(text: &str, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Vec<Node>> {
    let parsed = match parse_to_ast(text, &CollectOptions::default(), &OPTIONS) {
        Ok(parsed) => parsed,
        Err(error) => {
            let kind = match error.kind() {
                ParseErrorKind::NestingDepthExceeded => FaultKind::TooDeep,
                kind => syntax(&kind.to_string()),
            };
            faults.push(Fault { kind, span: span(error.range()) });
            return None;
        }
    };
    let Some(value) = parsed.value else { return Some(Vec::new()) };
    Builder { text, limits, values: 0, faults }.node(value, 0).map(|root| vec![root])
}

/// Converts a value to JSON. Numbers that JSON cannot represent become null, and their spans are added to
/// `unsayable`.
pub fn value(node: &Node, unsayable: &mut Vec<Span>) -> serde_json::Value {
    match &node.kind {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool(value) => (*value).into(),
        Kind::Text(text) => text.as_str().into(),
        Kind::Integer { value, .. } => (*value).into(),
        Kind::Float { value, literal } => {
            let number = literal.parse::<u64>().ok().map(Into::into);
            let number = number.or_else(|| serde_json::Number::from_f64(*value));
            if number.is_none() {
                unsayable.push(node.span);
            }
            number.into()
        }
        Kind::List(elements) => elements.iter().map(|element| self::value(element, unsayable)).collect(),
        Kind::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), self::value(&entry.value, unsayable))).collect()
        }
    }
}

fn syntax(message: &str) -> FaultKind {
    let mut message = message.to_owned();
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    FaultKind::Syntax(message)
}

struct Builder<'a> {
    text: &'a str,
    limits: &'a Limits,
    values: usize,
    faults: &'a mut Vec<Fault>,
}

impl Builder<'_> {
    /// Converts a value. None: it was rejected as a whole, and the last fault states the reason.
    fn node(&mut self, value: Value<'_>, depth: usize) -> Option<Node> {
        let span = span(value.range());
        self.values += 1;
        if self.values > self.limits.values {
            self.faults.push(Fault { kind: FaultKind::TooManyValues, span });
            return None;
        }
        let is_nested = matches!(value, Value::Object(_) | Value::Array(_));
        if is_nested && depth >= self.limits.depth {
            self.faults.push(Fault { kind: FaultKind::TooDeep, span });
            return None;
        }
        let kind = match value {
            Value::NullKeyword(_) => Kind::Null,
            Value::BooleanLit(literal) => Kind::Bool(literal.value),
            Value::NumberLit(literal) => number(literal.value)?,
            Value::StringLit(literal) => {
                self.refuse_raw_control(span);
                Kind::Text(literal.value.into_owned())
            }
            Value::Array(array) => {
                let mut elements = Vec::with_capacity(array.elements.len());
                for element in array.elements {
                    elements.push(self.node(element, depth + 1)?);
                }
                Kind::List(elements)
            }
            Value::Object(object) => Kind::Map(self.entries(object, depth)?),
        };
        Some(Node { kind, span })
    }

    fn entries(&mut self, object: Object<'_>, depth: usize) -> Option<Vec<Entry>> {
        let mut entries: Vec<Entry> = Vec::with_capacity(object.properties.len());
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for property in object.properties {
            let key_span = span(property.name.range());
            self.refuse_raw_control(key_span);
            let key = match property.name {
                ObjectPropName::String(name) => name.value.into_owned(),
                ObjectPropName::Word(name) => name.value.to_owned(),
            };
            let value = self.node(property.value, depth + 1)?;
            if let Some(&first) = seen.get(&key) {
                self.faults.push(Fault { kind: FaultKind::DuplicateKey { key, first }, span: key_span });
            } else {
                seen.insert(key.clone(), key_span.start);
                entries.push(Entry { key, key_span, value });
            }
        }
        Some(entries)
    }

    /// Rejects unescaped control characters in a text, which the parser accepts and RFC 8259 forbids.
    fn refuse_raw_control(&mut self, span: Span) {
        let raw = self.text.get(span.start..span.end).unwrap_or_default();
        if let Some(offset) = raw.bytes().position(|byte| byte < 0x20) {
            let start = span.start + offset;
            let message = "a line break or control character inside a text must be escaped, such as `\\n`";
            self.faults.push(Fault { kind: syntax(message), span: Span { start, end: start + 1 } });
        }
    }
}

fn number(literal: &str) -> Option<Kind> {
    let text = literal.to_owned();
    match literal.parse() {
        Ok(value) => Some(Kind::Integer { value, literal: text }),
        Err(_) => literal.parse().ok().map(|value| Kind::Float { value, literal: text }),
    }
}

fn span(range: Range) -> Span {
    Span { start: range.start, end: range.end.max(range.start) }
}
