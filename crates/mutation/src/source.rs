//! A text and its syntax tree, parsed and traversed within limits.

use std::ops::ControlFlow;

use thiserror::Error;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

use referee_model::mutant::Language;

/// Maximum size of a file, in bytes; a larger one is assumed to be generated.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// Maximum number of progress callbacks of the parser, one every hundred of its steps. Ordinary code of
/// [`FILE_BYTES_MAX`] stays below; input that makes the parser backtrack ends after the same step on every
/// machine.
const PARSER_CALLS_MAX: usize = 100_000;

/// Maximum depth below the root that is traversed.
const DEPTH_MAX: usize = 500;

/// Reason why a file is not processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("the file has {0} bytes, more than {FILE_BYTES_MAX}")]
    TooLong(usize),
    #[error("the file takes too many steps to parse")]
    TooHard,
    #[error("the grammar of {0:?} does not fit the parser")]
    Grammar(Language),
}

pub(crate) struct Source<'text> {
    pub(crate) language: Language,
    pub(crate) text: &'text str,
    pub(crate) tree: Tree,
}

/// A node and its field in the parent.
#[derive(Clone, Copy)]
pub(crate) struct Step<'tree> {
    pub(crate) node: Node<'tree>,
    pub(crate) field: Option<&'tree str>,
}

/// The path from the root (first) to a node (last).
pub(crate) type Trail<'tree> = [Step<'tree>];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Into,
    Past,
}

impl<'text> Source<'text> {
    pub(crate) fn parse(language: Language, text: &'text str) -> Result<Self, Refusal> {
        if text.len() > FILE_BYTES_MAX {
            return Err(Refusal::TooLong(text.len()));
        }
        let mut parser = Parser::new();
        parser.set_language(&crate::grammar::grammar(language)).map_err(|_| Refusal::Grammar(language))?;
        let mut calls = 0;
        let mut progress = |_: &tree_sitter::ParseState| {
            calls += 1;
            if calls > PARSER_CALLS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = text.as_bytes();
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
        Ok(Self { language, text, tree: tree.ok_or(Refusal::TooHard)? })
    }

    pub(crate) fn of(&self, node: Node) -> &'text str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text of the child in a field; empty if there is none.
    pub(crate) fn field(&self, node: Node, field: &str) -> &'text str {
        node.child_by_field_name(field).map_or("", |child| self.of(child))
    }

    /// Visits the nodes in pre-order.
    pub(crate) fn walk<'tree>(&'tree self, visit: &mut dyn FnMut(&Trail<'tree>) -> Next) {
        walk(self.tree.root_node(), visit);
    }
}

/// Visits a node and its descendants. Not recursive, since nesting may be as deep as the file is long.
pub(crate) fn walk<'tree>(top: Node<'tree>, visit: &mut dyn FnMut(&Trail<'tree>) -> Next) {
    let mut cursor = top.walk();
    let mut trail = vec![Step { node: top, field: None }];
    loop {
        let next = visit(&trail);
        if next == Next::Into && trail.len() <= DEPTH_MAX && cursor.goto_first_child() {
            trail.push(Step { node: cursor.node(), field: cursor.field_name() });
            continue;
        }
        loop {
            trail.pop();
            if trail.is_empty() {
                return;
            }
            if cursor.goto_next_sibling() {
                trail.push(Step { node: cursor.node(), field: cursor.field_name() });
                break;
            }
            cursor.goto_parent();
        }
    }
}

/// Returns the named children of a node, without comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// Returns the node within parentheses.
pub(crate) fn unwrap(node: Node<'_>) -> Node<'_> {
    let mut inner = node;
    for _ in 0..DEPTH_MAX {
        match children(inner).as_slice() {
            [one] if matches!(inner.kind(), "parenthesized_expression" | "parenthesized_statements") => inner = *one,
            _ => break,
        }
    }
    inner
}
