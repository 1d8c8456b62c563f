//! Mutation operators.

mod conditions;
mod literals;
mod returns;
mod statements;
mod tokens;

use tree_sitter::Node;

use crate::names::Names;
use crate::scope::Scope;
use crate::source::{Source, Trail};
use referee_model::mutant::Operator;

/// A replacement of bytes, and the expression whose meaning changes.
pub(crate) struct Edit<'tree> {
    pub(crate) operator: Operator,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) replacement: String,
    pub(crate) expression: Node<'tree>,
}

impl<'tree> Edit<'tree> {
    fn whole(operator: Operator, node: Node<'tree>, replacement: impl Into<String>) -> Self {
        Self::part(operator, node, node, replacement)
    }

    /// Replaces a part of an expression.
    fn part(operator: Operator, expression: Node<'tree>, part: Node, replacement: impl Into<String>) -> Self {
        let (start, end) = (part.start_byte(), part.end_byte());
        Self { operator, start, end, replacement: replacement.into(), expression }
    }
}

/// Returns the edits of the last node of a trail, without those of its descendants.
pub(crate) fn edits<'tree>(source: &Source, names: &Names, trail: &Trail<'tree>) -> Vec<Edit<'tree>> {
    let Some(node) = trail.last().map(|step| step.node).filter(Node::is_named) else { return Vec::new() };
    let mut edits = tokens::edits(source, node);
    edits.extend(literals::edit(source, trail));
    edits.extend(conditions::edit(source, node));
    let scope = || Scope::of(source, trail);
    edits.extend(returns::edit(source, names, trail, &scope));
    edits.extend(statements::edit(source, names, trail, &scope));
    edits.retain(|edit| source.text.get(edit.start..edit.end) != Some(edit.replacement.as_str()));
    edits
}
