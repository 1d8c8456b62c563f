//! Binary, assignment and increment operators.

use tree_sitter::Node;

use super::Edit;
use crate::kind::{AUGMENTED, BINARIES, INCREMENTS, STRINGS, is};
use crate::source::{Source, children, unwrap};
use referee_model::mutant::Language;
use referee_model::mutant::Operator;

pub(super) fn edits<'tree>(source: &Source, node: Node<'tree>) -> Vec<Edit<'tree>> {
    if is(&BINARIES, node.kind()) {
        binary(source, node)
    } else if is(&INCREMENTS, node.kind()) {
        increment(source, node)
    } else if is(&AUGMENTED, node.kind()) {
        assignment(source, node)
    } else {
        Vec::new()
    }
}

/// Returns whether an expression is a comparison: its operator is negated, so the condition need not be.
pub(super) fn is_comparison(source: &Source, node: Node) -> bool {
    is(&BINARIES, node.kind())
        && operators(node).iter().any(|operator| !comparisons(source.language, source.of(*operator)).is_empty())
}

fn operators(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let several: Vec<Node> = node.children_by_field_name("operators", &mut cursor).collect();
    if several.is_empty() { node.child_by_field_name("operator").into_iter().collect() } else { several }
}

fn binary<'tree>(source: &Source, node: Node<'tree>) -> Vec<Edit<'tree>> {
    let mut edits = Vec::new();
    for operator in operators(node) {
        let text = source.of(operator).split_whitespace().collect::<Vec<_>>().join(" ");
        for (turned, replacement) in comparisons(source.language, &text) {
            edits.push(Edit::part(*turned, node, operator, *replacement));
        }
        if let Some(replacement) = logical(&text) {
            edits.push(Edit::part(Operator::Logical, node, operator, replacement));
        }
        if let Some(replacement) = arithmetic(source.language, &text)
            && is_calculation(source, node, &text)
        {
            edits.push(Edit::part(Operator::Arithmetic, node, operator, replacement));
        }
    }
    edits
}

fn comparisons(language: Language, operator: &str) -> &'static [(Operator, &'static str)] {
    use Operator::{ComparisonBoundary as Boundary, ComparisonNegation as Negation};
    match operator {
        "<" => &[(Boundary, "<="), (Negation, ">=")],
        "<=" => &[(Boundary, "<"), (Negation, ">")],
        ">" => &[(Boundary, ">="), (Negation, "<=")],
        ">=" => &[(Boundary, ">"), (Negation, "<")],
        "==" => &[(Negation, "!=")],
        "!=" | "<>" => &[(Negation, "==")],
        "===" => &[(Negation, "!==")],
        "!==" => &[(Negation, "===")],
        "is" if language == Language::Python => &[(Negation, "is not")],
        "is not" if language == Language::Python => &[(Negation, "is")],
        "in" if language == Language::Python => &[(Negation, "not in")],
        "not in" if language == Language::Python => &[(Negation, "in")],
        "=~" => &[(Negation, "!~")],
        "!~" => &[(Negation, "=~")],
        _ => &[],
    }
}

fn logical(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "&&" => "||",
        "||" => "&&",
        "and" => "or",
        "or" => "and",
        _ => return None,
    })
}

fn arithmetic(language: Language, operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "-",
        "-" => "+",
        "*" => "/",
        "/" | "//" | "%" | "**" => "*",
        "&" => "|",
        "|" | "^" => "&",
        // C++ streams and Ruby lists only support `<<`.
        "<<" if !matches!(language, Language::Cpp | Language::Ruby) => ">>",
        ">>" if !matches!(language, Language::Cpp | Language::Ruby) => "<<",
        _ => return None,
    })
}

/// Returns whether an operator is arithmetic, as opposed to concatenating texts or lists, or having no effect for
/// an operand.
fn is_calculation(source: &Source, node: Node, operator: &str) -> bool {
    let operands = ["left", "right"].map(|field| node.child_by_field_name(field));
    if operands.iter().flatten().any(|operand| is_text_or_list(source, *operand, operator)) {
        return false;
    }
    let right = operands[1].map_or("", |right| source.of(right));
    !matches!((operator, right), ("+" | "-" | "<<" | ">>" | "|", "0") | ("*" | "/" | "**", "1" | "1.0"))
}

/// Maximum number of chained operands that are searched for a text.
const CHAIN_MAX: usize = 32;

/// Returns whether an operand is a text or list, or a concatenation of some by the same operator.
fn is_text_or_list(source: &Source, operand: Node, operator: &str) -> bool {
    let mut next = vec![operand];
    for _ in 0..CHAIN_MAX {
        let Some(inner) = next.pop().map(unwrap) else { return false };
        if is(&BINARIES, inner.kind()) && source.field(inner, "operator") == operator {
            next.extend(["left", "right"].iter().filter_map(|field| inner.child_by_field_name(field)));
        } else if is_text_or_list_itself(source, inner) {
            return true;
        }
    }
    false
}

fn is_text_or_list_itself(source: &Source, node: Node) -> bool {
    const LISTS: [&str; 6] = ["list", "array", "tuple", "concatenated_string", "list_comprehension", "char_literal"];
    const TEXTS: [&str; 6] = ["to_string()", "ToString()", "toString()", "to_owned()", "String::new()", ".to_s"];
    let text = source.of(node);
    is(&STRINGS, node.kind())
        || is(&LISTS, node.kind())
        || source.language == Language::Rust && (node.kind() == "reference_expression" || text.starts_with("format!"))
        || TEXTS.iter().any(|end| text.ends_with(end))
        || text.starts_with("str(")
}

fn assignment<'tree>(source: &Source, node: Node<'tree>) -> Vec<Edit<'tree>> {
    let Some(operator) = node.child_by_field_name("operator") else { return Vec::new() };
    let text = source.of(operator);
    let replacement = match text {
        "+=" => "-=",
        "-=" => "+=",
        "*=" => "/=",
        "/=" | "//=" | "%=" | "**=" => "*=",
        "&=" => "|=",
        "|=" | "^=" => "&=",
        "<<=" => ">>=",
        ">>=" => "<<=",
        "&&=" => "||=",
        "||=" => "&&=",
        _ => return Vec::new(),
    };
    let calculates = matches!(text, "&&=" | "||=") || is_calculation(source, node, text.trim_end_matches('='));
    calculates.then(|| Edit::part(Operator::Assignment, node, operator, replacement)).into_iter().collect()
}

fn increment<'tree>(source: &Source, node: Node<'tree>) -> Vec<Edit<'tree>> {
    if children(node).len() != 1 {
        return Vec::new();
    }
    let mut cursor = node.walk();
    let tokens = node.children(&mut cursor).filter(|token| !token.is_named());
    let turned = tokens.filter_map(|token| {
        let replacement = match source.of(token) {
            "++" => "--",
            "--" => "++",
            _ => return None,
        };
        Some(Edit::part(Operator::Increment, node, token, replacement))
    });
    turned.collect()
}
