//! JSON with comments and trailing commas; otherwise as strict as RFC 8259.

use std::collections::HashMap;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use referee_model::limit;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Node};

use crate::complaint::{Code, Finding, Findings};
use crate::source::Source;

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

/// Reads JSON as a tree.
pub(super) fn tree(text: &str, findings: &mut Findings) -> Option<Node> {
    let parsed = match parse_to_ast(text, &CollectOptions::default(), &OPTIONS) {
        Ok(parsed) => parsed,
        Err(error) => {
            let span = span(error.range());
            if matches!(error.kind(), jsonc_parser::errors::ParseErrorKind::NestingDepthExceeded) {
                findings.push(super::too_deep(span));
            } else {
                let message = error.kind().to_string();
                findings.push(syntax(span, &message));
            }
            return None;
        }
    };
    let Some(value) = parsed.value else {
        findings.push(super::empty());
        return None;
    };
    let mut builder = Builder { source: text, positions: None, values: 0, findings };
    builder.node(value, 0)
}

fn syntax(span: Span, message: &str) -> Finding {
    let mut message = message.to_owned();
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    Finding::error(Code::Syntax, span, format!("this is not JSON: {message}"))
}

struct Builder<'a> {
    source: &'a str,
    /// The text with its lines, made when the first duplicate needs it.
    positions: Option<Source>,
    values: usize,
    findings: &'a mut Findings,
}

impl Builder<'_> {
    /// Converts a value. None: it is refused as a whole, and the findings say why.
    fn node(&mut self, value: Value<'_>, depth: usize) -> Option<Node> {
        let span = span(value.range());
        self.values += 1;
        if self.values > limit::SPECIFICATION_VALUES {
            return self.refuse(super::too_many_values(span));
        }
        let nested = matches!(value, Value::Object(_) | Value::Array(_));
        if nested && depth >= limit::SPECIFICATION_DEPTH {
            return self.refuse(super::too_deep(span));
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
        let mut seen: HashMap<String, usize> = HashMap::new();
        for property in object.properties {
            let key_span = span(property.name.range());
            self.refuse_raw_control(key_span);
            let key = match property.name {
                ObjectPropName::String(name) => name.value.into_owned(),
                ObjectPropName::Word(name) => name.value.to_owned(),
            };
            let value = self.node(property.value, depth + 1)?;
            if let Some(&first) = seen.get(&key) {
                let positions = self.positions.get_or_insert_with(|| Source::new("", self.source));
                let first = positions.position(first).line;
                self.findings.push(super::duplicate_key(&key, key_span, first));
            } else {
                seen.insert(key.clone(), key_span.start);
                entries.push(Entry { key, key_span, value });
            }
        }
        Some(entries)
    }

    /// The parser lets line breaks and the like stand unescaped in a text; RFC 8259 does not.
    fn refuse_raw_control(&mut self, span: Span) {
        let raw = self.source.get(span.start..span.end).unwrap_or_default();
        if let Some(offset) = raw.bytes().position(|byte| byte < 0x20) {
            let start = span.start + offset;
            let message = "a line break or control character inside a text must be escaped, such as `\\n`";
            self.findings.push(syntax(Span { start, end: start + 1 }, message));
        }
    }

    fn refuse(&mut self, finding: Finding) -> Option<Node> {
        self.findings.push(finding);
        None
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
