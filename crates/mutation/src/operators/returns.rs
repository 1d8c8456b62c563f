//! Return values of functions.

mod defaults;

use tree_sitter::Node;

use self::defaults::{default, rust_default};
use super::Edit;
use crate::call::Callee;
use crate::kind::{BOOLEANS, RETURNS, STRINGS, is};
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
    let (value, function) = if is(&RETURNS, node.kind()) {
        let scope = scope();
        (returned(source, node)?, trail.get(scope.depth).filter(|_| scope.depth > 0 && !scope.is_closure))
    } else {
        (tail(source, trail)?, trail.iter().rev().nth(1))
    };
    let replacement = default(source, function.map(|step| step.node))?;
    if value.has_error() || is_plain(source, value) || is_unheard(source, value) {
        return None;
    }
    if source.language == Language::Go && names.leaves_unused(source, trail, value) {
        return None;
    }
    Some(Edit::whole(Operator::ReturnDefault, value, replacement))
}

/// Returns whether a value is a default already, or a constant that other operators change.
fn is_plain(source: &Source, value: Node) -> bool {
    let text = source.of(value);
    let is_literal =
        is(&BOOLEANS, value.kind()) || is(&STRINGS, value.kind()) && !crate::grammar::is_dynamic(source.language);
    let parts = if value.kind() == "expression_list" { children(value) } else { Vec::new() };
    is_literal
        || matches!(
            text,
            "None" | "null" | "undefined" | "nil" | "NULL" | "nullptr" | "0" | "0.0" | "[]" | "{}" | "default"
        )
        || text.ends_with("{}")
        || matches!(text, "Ok(())" | "vec![]")
        || ["::default()", "::new()"].iter().any(|end| text.ends_with(end))
        || !parts.is_empty() && parts.iter().all(|part| is_plain(source, *part) && source.of(*part) != "true")
}

/// Returns whether a value is that of a call excluded elsewhere, whose result does not matter.
fn is_unheard(source: &Source, value: Node) -> bool {
    Callee::of(source, value).is_some_and(|called| called.is_quiet() || called.is_assertion() || called.is_loader())
}

fn returned<'tree>(source: &Source, node: Node<'tree>) -> Option<Node<'tree>> {
    let value = children(node).into_iter().next()?;
    // A Ruby `array` without brackets, and a `return` at the end of an erroneous file, have no value.
    (!source.of(value).trim().is_empty()).then_some(value)
}

/// Returns the tail expression of a Rust function or Ruby method, or the body expression of an arrow function.
fn tail<'tree>(source: &Source, trail: &Trail<'tree>) -> Option<Node<'tree>> {
    let step = trail.last()?;
    let parent = trail.iter().rev().nth(1)?.node;
    if step.field != Some("body") {
        return None;
    }
    match (parent.kind(), step.node.kind()) {
        ("function_item", "block") => {
            rust_default(source.field(parent, "return_type"))?;
            let last = *children(step.node).last()?;
            let is_value =
                !matches!(last.kind(), "let_declaration" | "empty_statement") && !last.kind().ends_with("_item");
            let last = match last.kind() {
                "expression_statement" if source.of(last).ends_with(';') => return None,
                "expression_statement" => *children(last).first()?,
                _ => last,
            };
            let ends = ["return_expression", "loop_expression", "while_expression", "for_expression"];
            (is_value && !is(&ends, last.kind())).then_some(last)
        }
        ("method" | "singleton_method", "body_statement") => {
            let name = source.field(parent, "name");
            let last = *children(step.node).last()?;
            let is_value = !matches!(last.kind(), "return" | "rescue" | "ensure" | "else" | "nil" | "while" | "until");
            (is_value && !matches!(name, "initialize") && !name.ends_with('=')).then_some(last)
        }
        ("arrow_function", kind) if crate::grammar::is_script(source.language) && kind != "statement_block" => {
            Some(step.node)
        }
        _ => None,
    }
}
