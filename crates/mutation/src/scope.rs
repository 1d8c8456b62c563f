//! The function that encloses a node.

use tree_sitter::Node;

use crate::kind::{CLOSURES, CONTAINERS, FUNCTIONS, is};
use crate::source::{Source, Trail};

/// Maximum length of a function's path, in characters.
const PATH_CHARACTERS_MAX: usize = 200;

/// The function that encloses a node, and its containers.
pub(crate) struct Scope {
    /// Names from the outermost container to the function, such as `Cart.total`. None: outside of functions.
    pub(crate) function: Option<String>,
    /// Index in the trail of the innermost named function; 0 outside of functions.
    pub(crate) depth: usize,
    /// Whether the innermost function is an anonymous one.
    pub(crate) is_closure: bool,
}

impl Scope {
    pub(crate) fn of(source: &Source, trail: &Trail) -> Self {
        let (mut names, mut depth, mut is_closure) = (Vec::new(), 0, false);
        for (at, step) in trail.iter().enumerate().take(trail.len().saturating_sub(1)) {
            let node = step.node;
            if !node.is_named() {
                continue;
            }
            let is_function =
                is(&FUNCTIONS, node.kind()) && node.child_by_field_name("name").or(declarator(node)).is_some();
            if is_function || is(&CONTAINERS, node.kind()) {
                names.extend(name(source, node));
            } else if is(&CLOSURES, node.kind()) {
                is_closure = true;
                if let Some(name) = closure_name(source, trail, at) {
                    names.push(name);
                    (depth, is_closure) = (at, false);
                }
            }
            if is_function {
                (depth, is_closure) = (at, false);
            }
        }
        let path: String = names.join(".").chars().take(PATH_CHARACTERS_MAX).collect();
        Self { function: (depth > 0).then_some(path), depth, is_closure }
    }
}

/// Returns the name of a declaration, prefixed with the type for a method declared outside of it.
pub(crate) fn name(source: &Source, node: Node) -> Option<String> {
    if let Some(declarator) = declarator(node) {
        return Some(source.of(declared(declarator)).replace("::", "."));
    }
    if node.kind() == "impl_item" {
        return Some(bare(source.field(node, "type")));
    }
    let name = source.of(node.child_by_field_name("name")?);
    let receiver = bare(source.field(node, "receiver").trim_matches(['(', ')']));
    let receiver = receiver.rsplit([' ', '*']).next().unwrap_or_default();
    Some(if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") })
}

/// Returns a type without its arguments.
fn bare(kind: &str) -> String {
    kind.split(['<', '[']).next().unwrap_or_default().trim().to_owned()
}

fn declarator(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("declarator").filter(|_| node.kind() == "function_definition")
}

/// Returns the name within a C declarator.
fn declared(declarator: Node<'_>) -> Node<'_> {
    let mut inner = declarator;
    while let Some(next) = inner
        .child_by_field_name("declarator")
        .or_else(|| (inner.kind() == "reference_declarator").then(|| inner.named_child(0)).flatten())
    {
        inner = next;
    }
    inner
}

/// Returns the name that a function value is bound to: `const total = () => 0`, `{ total: () => 0 }`.
fn closure_name(source: &Source, trail: &Trail, at: usize) -> Option<String> {
    let (closure, parent) = (trail.get(at)?, trail.get(at.checked_sub(1)?)?.node);
    if let Some(own) = closure.node.child_by_field_name("name") {
        return Some(source.of(own).to_owned());
    }
    let field = match parent.kind() {
        "variable_declarator" | "public_field_definition" => "name",
        "pair" => "key",
        "field_definition" => "property",
        "assignment_expression" => "left",
        _ => return None,
    };
    let name = source.field(parent, field);
    (matches!(closure.field, Some("value" | "right")) && !name.is_empty()).then(|| name.to_owned())
}
