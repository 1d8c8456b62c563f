//! Conditions of branches and loops.

use tree_sitter::Node;

use super::Edit;
use super::tokens::is_comparison;
use crate::kind::{BOOLEANS, BRANCHES, LOOPS, NUMBERS, is};
use crate::source::{Next, Source, children, unwrap, walk};
use referee_model::mutant::Language;
use referee_model::mutant::Operator;

pub(super) fn edit<'tree>(source: &Source, node: Node<'tree>) -> Option<Edit<'tree>> {
    let condition = unwrap(condition(source, node)?);
    let is_literal = is(&BOOLEANS, condition.kind()) || is(&NUMBERS, condition.kind());
    if is_literal || is_comparison(source, condition) || declares(source, condition) || condition.has_error() {
        return None;
    }
    let not = if source.language == Language::Python { "not " } else { "!" };
    Some(Edit::whole(Operator::ConditionNegation, condition, format!("{not}({})", source.of(condition))))
}

/// Returns the condition of a branch or loop.
pub(super) fn condition<'tree>(source: &Source, node: Node<'tree>) -> Option<Node<'tree>> {
    let kind = node.kind();
    if source.language == Language::Python {
        match kind {
            "conditional_expression" => return children(node).get(1).copied(),
            "if_clause" => return children(node).first().copied(),
            _ => {}
        }
    }
    if source.language == Language::Go && kind == "for_statement" {
        let held = children(node).into_iter().next()?;
        return (!matches!(held.kind(), "block" | "for_clause" | "range_clause")).then_some(held);
    }
    if !is(&BRANCHES, kind) && !is(&LOOPS, kind) {
        return None;
    }
    let condition = node.child_by_field_name("condition")?;
    // In JavaScript a `for` condition is a statement; in C++ a condition is wrapped in a clause.
    match condition.kind() {
        "condition_clause" => condition.child_by_field_name("value"),
        "expression_statement" => children(condition).first().copied(),
        "empty_statement" => None,
        _ => Some(condition),
    }
}

/// Returns whether a condition declares a name that its branch uses: negated, it would not compile.
fn declares(source: &Source, condition: Node) -> bool {
    let mut declares = false;
    walk(condition, &mut |trail| {
        let kind = trail.last().map_or("", |step| step.node.kind());
        declares |= match source.language {
            Language::Rust => matches!(kind, "let_condition" | "let_chain"),
            Language::C | Language::Cpp => matches!(kind, "declaration" | "init_declarator"),
            Language::CSharp => matches!(kind, "is_pattern_expression" | "declaration_expression"),
            Language::Java => kind == "instanceof_expression",
            _ => false,
        };
        if declares { Next::Past } else { Next::Into }
    });
    declares
}
