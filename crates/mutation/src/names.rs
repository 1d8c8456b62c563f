//! Uses of names: the Go compiler rejects unused variables and imports.

use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::kind::{IDENTIFIERS, is};
use crate::source::{Next, Source, Trail, walk};
use referee_model::mutant::Language;

/// The names in a Go file, with the byte offsets of their uses; empty for other languages.
pub(crate) struct Names<'text> {
    read: BTreeMap<&'text str, Vec<usize>>,
    written: BTreeMap<&'text str, Vec<usize>>,
}

impl<'text> Names<'text> {
    pub(crate) fn of(source: &Source<'text>) -> Self {
        let mut names = Self { read: BTreeMap::new(), written: BTreeMap::new() };
        if source.language == Language::Go {
            source.walk(&mut |trail| {
                let Some(node) = trail.last().map(|step| step.node) else { return Next::Past };
                if matches!(node.kind(), "identifier" | "package_identifier") {
                    let names = if is_written(trail) { &mut names.written } else { &mut names.read };
                    names.entry(source.of(node)).or_default().push(node.start_byte());
                }
                Next::Into
            });
        }
        names
    }

    /// Returns whether a name in the dropped node is used nowhere else, so that the file would not compile
    /// without the node.
    pub(crate) fn leaves_unused(&self, source: &Source, trail: &Trail, dropped: Node) -> bool {
        let is_function = |node: &Node| matches!(node.kind(), "function_declaration" | "method_declaration");
        let function = trail.iter().map(|step| step.node).find(is_function);
        let mut unused = false;
        walk(dropped, &mut |trail| {
            let Some(node) = trail.last().map(|step| step.node).filter(|_| !unused) else { return Next::Past };
            if is(&IDENTIFIERS, node.kind()) {
                let above = trail.iter().rev().nth(1);
                let is_operand = above.is_some_and(|above| above.node.kind() == "selector_expression");
                let name = source.of(node);
                let local = function.filter(|function| lies(&self.written, name, *function, None));
                unused = match local {
                    Some(function) => !lies(&self.read, name, function, Some(dropped)),
                    None if is_operand && node.kind() == "identifier" => {
                        !lies(&self.read, name, source.tree.root_node(), Some(dropped))
                    }
                    None => false,
                };
            }
            Next::Into
        });
        unused
    }
}

/// Returns whether a name occurs within a node, outside of the dropped part.
fn lies(names: &BTreeMap<&str, Vec<usize>>, name: &str, within: Node, dropped: Option<Node>) -> bool {
    let is_dropped = |at: usize| dropped.is_some_and(|dropped| dropped.byte_range().contains(&at));
    let places = names.get(name).map_or(&[][..], Vec::as_slice);
    let first = places.partition_point(|at| *at < within.start_byte());
    places[first..].iter().take_while(|at| **at < within.end_byte()).any(|at| !is_dropped(*at))
}

/// Returns whether the last node of a trail is a variable that is declared or assigned there.
fn is_written(trail: &Trail) -> bool {
    let mut above = trail.iter().rev();
    let Some(step) = above.next().filter(|step| step.node.kind() == "identifier") else { return false };
    let Some(parent) = above.next() else { return false };
    match parent.node.kind() {
        "expression_list" => parent.field == Some("left"),
        "var_spec" | "const_spec" => step.field == Some("name"),
        _ => false,
    }
}
