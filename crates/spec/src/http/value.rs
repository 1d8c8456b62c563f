//! Converts values of a document to JSON.

use referee_model::plan::Template;
use referee_syntax::span::Span;
use referee_syntax::tree::{Kind, Node};
use serde_json::{Number, Value};

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Converts a value to JSON. None: it contains a number that JSON cannot represent, which has its finding.
pub(crate) fn json_value(node: &Node, findings: &mut Findings) -> Option<Value> {
    Some(match &node.kind {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Integer { value, .. } => Value::Number((*value).into()),
        Kind::Float { value, literal } => Value::Number(number(*value, literal, node.span, findings)?),
        Kind::Text(text) => Value::String(text.clone()),
        Kind::List(elements) => {
            let values: Vec<Option<Value>> = elements.iter().map(|element| json_value(element, findings)).collect();
            Value::Array(values.into_iter().collect::<Option<_>>()?)
        }
        Kind::Map(entries) => {
            let values = entries.iter().map(|entry| Some((entry.key.clone(), json_value(&entry.value, findings)?)));
            let values: Vec<Option<(String, Value)>> = values.collect();
            Value::Object(values.into_iter().collect::<Option<_>>()?)
        }
    })
}

/// Converts a number that is not a signed 64-bit integer.
fn number(value: f64, literal: &str, span: Span, findings: &mut Findings) -> Option<Number> {
    if let Ok(whole) = literal.parse::<u64>() {
        return Some(whole.into());
    }
    let digits = literal.strip_prefix(['-', '+']).unwrap_or(literal);
    let message = if !value.is_finite() {
        format!("{} is not a JSON number", quote(literal))
    } else if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("the number {} is too large to be kept exactly: write it as a text", quote(literal))
    } else {
        return Number::from_f64(value);
    };
    findings.push(Finding::error(Code::NotJson, span, message));
    None
}

/// Converts a value to JSON, with all strings filled in by `fill`. None: it cannot be converted, or a string
/// could not be filled in.
///
/// Keys keep their order. Placeholders are inside of strings.
pub(crate) fn json_template(
    node: &Node,
    findings: &mut Findings,
    fill: &mut impl FnMut(&str, Span, &mut Findings) -> Option<Template>,
) -> Option<Template> {
    let mut template = Template::default();
    write(node, findings, fill, &mut template).then_some(template)
}

/// Returns whether everything was converted. All values are processed, so that every complaint is made.
fn write(
    node: &Node,
    findings: &mut Findings,
    fill: &mut impl FnMut(&str, Span, &mut Findings) -> Option<Template>,
    template: &mut Template,
) -> bool {
    match &node.kind {
        Kind::Text(text) => {
            let Some(filled) = fill(text, node.span, findings) else { return false };
            template.push_text("\"");
            append_escaped(template, &filled);
            template.push_text("\"");
            true
        }
        Kind::List(elements) => {
            let mut whole = true;
            template.push_text("[");
            for (index, element) in elements.iter().enumerate() {
                template.push_text(if index > 0 { "," } else { "" });
                whole &= write(element, findings, fill, template);
            }
            template.push_text("]");
            whole
        }
        Kind::Map(entries) => {
            let mut whole = true;
            template.push_text("{");
            for (index, entry) in entries.iter().enumerate() {
                template.push_text(if index > 0 { "," } else { "" });
                template.push_text(&Value::from(entry.key.as_str()).to_string());
                template.push_text(":");
                whole &= write(&entry.value, findings, fill, template);
            }
            template.push_text("}");
            whole
        }
        Kind::Null | Kind::Bool(_) | Kind::Integer { .. } | Kind::Float { .. } => {
            let Some(value) = json_value(node, findings) else { return false };
            template.push_text(&value.to_string());
            true
        }
    }
}

/// Appends a text with JSON escapes; the values of its placeholders are escaped once they are known.
fn append_escaped(template: &mut Template, filled: &Template) {
    for piece in filled.pieces() {
        match piece {
            referee_model::plan::Piece::Text(text) => {
                let quoted = Value::from(text.as_str()).to_string();
                template.push_text(&quoted[1..quoted.len() - 1]);
            }
            referee_model::plan::Piece::Captured(name) => template.push_captured(name.clone()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::read;

    pub(crate) fn node(text: &str) -> Node {
        let mut findings = Findings::default();
        let text = format!("a: {text}");
        let source = read::source("a.yaml", text.as_bytes(), &mut findings);
        let root = read::tree(&source, &mut findings).expect("the text is YAML");
        root.get("a").expect("it is there").clone()
    }

    #[test]
    fn json_keeps_order_numbers_and_holes() {
        let captured = |text: &str, _: Span, _: &mut Findings| {
            let mut template = Template::default();
            match text.split_once('@') {
                Some((before, after)) => {
                    template.push_text(before);
                    template.push_captured(referee_model::plan::CaptureName::parse("x").unwrap());
                    template.push_text(after);
                }
                None => template.push_text(text),
            }
            Some(template)
        };
        for (written, json) in [
            (r#"{ b: 1, a: [true, null, 1.50, "x\"y"], "k\n": {} }"#, r#"{"b":1,"a":[true,null,1.5,"x\"y"],"k\n":{}}"#),
            (r#"{ t: "Bearer @ \"q\"" }"#, r#"{"t":"Bearer ${x} \"q\""}"#),
            ("18446744073709551615", "18446744073709551615"),
            ("1e3", "1000.0"),
        ] {
            let mut findings = Findings::default();
            let template = json_template(&node(written), &mut findings, &mut { captured }).unwrap();
            assert_eq!(template.to_string(), json, "{written}");
            assert!(!findings.has_errors(), "{written}");
        }
        for written in [".inf", "[.nan]", "{ a: 18446744073709551616 }", "-9223372036854775809"] {
            let mut findings = Findings::default();
            assert_eq!(json_template(&node(written), &mut findings, &mut { captured }), None, "{written}");
            assert_eq!(json_value(&node(written), &mut Findings::default()), None, "{written}");
            assert!(findings.has_errors(), "{written}");
        }
    }
}
