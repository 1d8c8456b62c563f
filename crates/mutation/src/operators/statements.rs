//! Statements that are calls.

use tree_sitter::Node;

use super::Edit;
use crate::call::Callee;
use crate::kind::{CALLS, is};
use crate::names::Names;
use crate::scope::Scope;
use crate::source::{Source, Trail, children};
use referee_model::mutant::Language;
use referee_model::mutant::Operator;

pub(super) fn edit<'tree>(
    source: &Source,
    names: &Names,
    trail: &Trail<'tree>,
    scope: &dyn Fn() -> Scope,
) -> Option<Edit<'tree>> {
    let node = trail.last()?.node;
    let call = statement(source, trail)?;
    let called = Callee::of(source, call)?;
    let is_needed = called.is_quiet() || called.is_assertion() || called.is_loader() || called.names == ["super"];
    if is_needed || node.has_error() || scope().function.is_none() {
        return None;
    }
    // The Java compiler rejects catching an exception that nothing throws.
    let is_tried = || trail.iter().any(|step| step.node.kind().starts_with("try_"));
    let keeps = match source.language {
        Language::Java => is_tried(),
        Language::Go => names.leaves_unused(source, trail, node),
        _ => false,
    };
    (!keeps).then(|| Edit::whole(Operator::CallRemoval, node, nothing(source.language)))
}

/// Returns the call that a statement consists of.
fn statement<'tree>(source: &Source, trail: &Trail<'tree>) -> Option<Node<'tree>> {
    let node = trail.last()?.node;
    if source.language == Language::Ruby {
        let parent = trail.iter().rev().nth(1)?.node;
        let is_block = matches!(parent.kind(), "body_statement" | "then" | "else" | "block_body");
        let is_last = children(parent).last().is_some_and(|last| last.id() == node.id());
        return (node.kind() == "call" && is_block && !is_last).then_some(node);
    }
    if node.kind() != "expression_statement" || source.language == Language::Rust && !source.of(node).ends_with(';') {
        return None;
    }
    let mut inner = *children(node).first()?;
    while matches!(inner.kind(), "await_expression" | "await" | "try_expression") {
        inner = *children(inner).first()?;
    }
    is(&CALLS, inner.kind()).then_some(inner)
}

/// Returns a statement without effect.
fn nothing(language: Language) -> &'static str {
    match language {
        Language::Python => "pass",
        Language::Ruby => "nil",
        Language::Go => "{}",
        Language::Rust => "();",
        _ => ";",
    }
}
