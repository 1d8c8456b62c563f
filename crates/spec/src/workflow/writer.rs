//! Writes a stage's part of `wf.yaml` as `stage-config.yaml`: YAML in block style that parses to the same value.

use crate::form::shape::{Object, Shape, Value, Ways};
use crate::workflow::keys::{EXTENSION, STAGE};
use referee_syntax::tree::{Entry, Kind, Node};
use referee_syntax::yaml::block_scalar;

use crate::source::harmless;

/// Writes the configuration of a stage.
///
/// `source` is the origin of the stage, and `specification` the path of its specification in its own directory.
pub(super) fn configuration(stage: &Node, id: &str, source: &str, specification: Option<&str>) -> String {
    let mut node = known(stage, &STAGE);
    if let Kind::Map(entries) = &mut node.kind {
        // The order of the declaration is the order of the file.
        entries.sort_by_key(|entry| STAGE.fields.iter().position(|field| field.name == entry.key));
        for entry in entries.iter_mut().filter(|entry| entry.key == EXTENSION) {
            moved(&mut entry.value, specification);
        }
    }
    let mut text = String::from("# Extracted from wf.yaml during compose\n");
    text.push_str(&comment("Source", source));
    text.push_str(&comment("Stage", id));
    text.push('\n');
    text.push_str(&yaml(&node));
    text
}

fn moved(extension: &mut Node, specification: Option<&str>) {
    let Kind::Map(entries) = &mut extension.kind else { return };
    for entry in entries.iter_mut().filter(|entry| entry.key == "specification") {
        if let Some(path) = specification {
            entry.value.kind = Kind::Text(path.to_owned());
        }
    }
}

/// Formats a one-line comment, whatever the text contains.
fn comment(name: &str, text: &str) -> String {
    let text: String =
        text.chars().map(|character| if ends_line(character) { '\u{fffd}' } else { harmless(character) }).collect();
    format!("# {name}: {text}\n")
}

fn ends_line(character: char) -> bool {
    matches!(character, '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Keeps only declared keys, in their declared order.
fn known(node: &Node, object: &Object) -> Node {
    let entries = node.entries().iter().filter_map(|entry| {
        let field = object.fields.iter().find(|field| field.name == entry.key)?;
        let value = match &field.value {
            Value::Shaped(shape) => known_by(&entry.value, shape),
            Value::NotSupported => return None,
        };
        Some(Entry { value, ..entry.clone() })
    });
    Node { kind: Kind::Map(entries.collect()), span: node.span }
}

fn known_by(node: &Node, shape: &Shape) -> Node {
    match (shape, &node.kind) {
        (Shape::Object(object) | Shape::Ways(Ways { object, .. }), Kind::Map(_)) => known(node, object),
        (Shape::List { item, .. }, Kind::List(elements)) => {
            let elements = elements.iter().map(|element| known_by(element, item)).collect();
            Node { kind: Kind::List(elements), span: node.span }
        }
        _ => node.clone(),
    }
}

/// Writes a tree as YAML in block style.
pub(super) fn yaml(node: &Node) -> String {
    let mut text = String::new();
    block(node, 0, &mut text);
    text
}

/// Writes a value whose first line is already indented.
fn block(node: &Node, indent: usize, text: &mut String) {
    let inner = |at: usize| if at == 0 { String::new() } else { " ".repeat(indent) };
    match &node.kind {
        Kind::Map(entries) if !entries.is_empty() => {
            for (at, entry) in entries.iter().enumerate() {
                text.extend([&inner(at), &block_scalar(&entry.key), ":"]);
                let below = match &entry.value.kind {
                    Kind::Map(entries) if !entries.is_empty() => Some(indent + 2),
                    Kind::List(elements) if !elements.is_empty() => Some(indent),
                    _ => None,
                };
                text.push_str(&below.map_or_else(|| " ".to_owned(), |indent| format!("\n{}", " ".repeat(indent))));
                block(&entry.value, below.unwrap_or_default(), text);
            }
        }
        Kind::List(elements) if !elements.is_empty() => {
            for (at, element) in elements.iter().enumerate() {
                text.extend([&inner(at), "- "]);
                block(element, indent + 2, text);
            }
        }
        _ => {
            text.push_str(&in_line(node));
            text.push('\n');
        }
    }
}

fn in_line(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Integer { literal, .. } | Kind::Float { literal, .. } => literal.clone(),
        Kind::Text(text) => block_scalar(text),
        Kind::List(_) => "[]".to_owned(),
        Kind::Map(_) => "{}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::complaint::Findings;
    use crate::read;
    use crate::source::Source;
    use referee_syntax::span::Span;

    fn node(kind: Kind) -> Node {
        Node { kind, span: Span::BEGINNING }
    }

    fn bare(node: &Node) -> Node {
        let kind = match &node.kind {
            Kind::List(elements) => Kind::List(elements.iter().map(bare).collect()),
            Kind::Map(entries) => Kind::Map(
                entries
                    .iter()
                    .map(|entry| Entry { key: entry.key.clone(), key_span: Span::BEGINNING, value: bare(&entry.value) })
                    .collect(),
            ),
            kind => kind.clone(),
        };
        Node { kind, span: Span::BEGINNING }
    }

    fn trees() -> impl Strategy<Value = Node> {
        let text = prop_oneof![
            any::<String>(),
            "[ -~]{0,20}",
            "[a-z]{1,6}(: | #|:|\\[0\\]\\.|, |'|\")?[a-z]{0,4}",
            prop::sample::select(vec![
                "",
                "null",
                "~",
                "True",
                "no",
                "1.0",
                "0x1f",
                "1e3",
                ".inf",
                "<<",
                "-",
                "- a",
                "a:",
                "---",
                "...",
                "{}",
                "[]",
                "&a",
                "*a",
                "!a",
                "|",
                ">",
                "%a",
                "@a",
                "`a`",
                "2026-01-01"
            ])
            .prop_map(str::to_owned),
        ];
        let leaf = prop_oneof![
            4 => text.clone().prop_map(|text| node(Kind::Text(text.replace('\0', "")))),
            1 => any::<bool>().prop_map(|value| node(Kind::Bool(value))),
            1 => Just(node(Kind::Null)),
        ];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(|elements| node(Kind::List(elements))),
                prop::collection::btree_map(text.clone(), inner, 0..5).prop_map(|entries| {
                    let entry = |(key, value): (String, Node)| Entry {
                        key: key.replace('\0', "x"),
                        key_span: Span::BEGINNING,
                        value,
                    };
                    let mut entries: Vec<Entry> = entries.into_iter().map(entry).collect();
                    entries.dedup_by(|left, right| left.key == right.key);
                    node(Kind::Map(entries))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(tree in trees()) {
            // A document is always a mapping.
            let tree = node(Kind::Map(vec![Entry { key: "id".to_owned(), key_span: Span::BEGINNING, value: tree }]));
            let text = yaml(&tree);
            let mut findings = Findings::default();
            let read = read::tree(&Source::new("a", text.clone()), &mut findings);
            prop_assert_eq!(read.as_ref().map(bare), Some(tree), "{}", text);
        }
    }

    #[test]
    fn nothing_breaks_out_of_the_comment() {
        let text = configuration(&node(Kind::Map(Vec::new())), "a", "x\ny: 1\r\u{2028}z\u{85}\u{1b}[2J", None);
        assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 3);
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{2028}'));
    }
}
