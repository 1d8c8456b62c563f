//! Code without mutants: code that does not run, that matters only to people or compilers, or that is a test itself.

use tree_sitter::Node;

use crate::call::Callee;
use crate::kind::{STRINGS, is};
use crate::source::{Source, Step, Trail, children};
use crate::test::is_test;
use referee_model::mutant::Language;

/// Kinds of nodes without code under test: imports, types, annotations, macros, assertions.
const KINDS: [&str; 65] = [
    "ERROR",
    "annotation",
    "annotation_type_declaration",
    "array_declarator",
    "array_type",
    "assert_statement",
    "attribute_declaration",
    "attribute_group",
    "attribute_item",
    "attribute_list",
    "attribute_specifier",
    "bitfield_clause",
    "case_pattern",
    "comment",
    "concept_definition",
    "const_block",
    "declare_statement",
    "decorator",
    "enum_assignment",
    "extern_crate_declaration",
    "future_import_statement",
    "generic_type",
    "heredoc",
    "heredoc_body",
    "implements_clause",
    "import_alias",
    "import_declaration",
    "import_from_statement",
    "import_statement",
    "include_expression",
    "include_once_expression",
    "inner_attribute_item",
    "interface_declaration",
    "literal_type",
    "macro_definition",
    "macro_invocation",
    "marker_annotation",
    "match_pattern",
    "module_declaration",
    "namespace_use_declaration",
    "package_clause",
    "package_declaration",
    "preproc_call",
    "preproc_def",
    "preproc_function_def",
    "preproc_include",
    "require_expression",
    "require_once_expression",
    "requires_clause",
    "static_assert_declaration",
    "string_array",
    "switch_label",
    "template_argument_list",
    "template_parameter_list",
    "tuple_struct_pattern",
    "type",
    "type_alias_declaration",
    "type_annotation",
    "type_arguments",
    "type_item",
    "type_parameter_list",
    "type_parameters",
    "union_type",
    "use_declaration",
    "using_directive",
];

/// Returns whether a node and its descendants are excluded from mutation.
pub(crate) fn is_excluded(source: &Source, trail: &Trail) -> bool {
    let Some(Step { node, field }) = trail.last().copied() else { return true };
    let parent = trail.iter().rev().nth(1).map(|step| step.node);
    node.is_missing()
        || node.is_named() && is(&KINDS, node.kind())
        || parent.is_some_and(|parent| is_constant_of_syntax(parent, field))
        || is_text_for_itself(node)
        || is_stream(source, node)
        || is_main_guard(source, node)
        || is_version_of_class(source, node)
        || is_for_tests(source, node)
        || is_test(source, node).is_some()
        || Callee::of(source, node)
            .is_some_and(|called| called.is_quiet() || called.is_loader() || called.is_assertion() || called.is_suite())
}

/// Returns whether a child must be a constant: labels of a switch must be distinct, and preprocessor conditions
/// and array lengths are evaluated by the compiler.
fn is_constant_of_syntax(parent: Node, field: Option<&str>) -> bool {
    let kinds: &[&str] = match field {
        Some("type" | "return_type") => return true,
        Some("value") => &[
            "case_statement",
            "const_parameter",
            "enum_case",
            "expression_case",
            "linkage_specification",
            "switch_case",
            "type_case",
        ],
        Some("condition") => &["preproc_elif", "preproc_if"],
        Some("length") => &["array_expression", "array_type"],
        Some("field") => &["field_expression"],
        Some("pattern") => &["for_expression", "let_condition", "let_declaration", "match_arm", "parameter"],
        Some("key") => &["keyed_element", "pair"],
        _ => &[],
    };
    is(kinds, parent.kind())
}

/// Returns whether a node is a docstring or a directive such as `'use strict'`.
fn is_text_for_itself(node: Node) -> bool {
    node.kind() == "expression_statement"
        && matches!(children(node).as_slice(), [only] if is(&STRINGS, only.kind()) || only.kind() == "concatenated_string")
}

/// Returns whether a node is an output stream expression: `std::cout << a << b`.
fn is_stream(source: &Source, node: Node) -> bool {
    if source.language != Language::Cpp || node.kind() != "binary_expression" {
        return false;
    }
    let text = source.of(node).trim_start().trim_start_matches("std::");
    ["cout", "cerr", "clog"].iter().any(|stream| text.starts_with(stream))
}

/// Returns whether a node is a main guard: `if __name__ == "__main__":`.
fn is_main_guard(source: &Source, node: Node) -> bool {
    let condition = || source.field(node, "condition");
    match source.language {
        Language::Python => node.kind() == "if_statement" && condition().contains("__name__"),
        Language::Ruby => node.kind() == "if" && condition().contains("__FILE__") && condition().contains('$'),
        _ => false,
    }
}

/// Returns whether a node declares `static final long serialVersionUID = 1L`, which identifies a serialized form
/// and has no behavior.
fn is_version_of_class(source: &Source, node: Node) -> bool {
    source.language == Language::Java
        && node.kind() == "variable_declarator"
        && source.field(node, "name") == "serialVersionUID"
}

/// Returns whether a Rust item has the attribute `#[cfg(test)]`.
fn is_for_tests(source: &Source, node: Node) -> bool {
    if source.language != Language::Rust || !node.kind().ends_with("_item") || node.kind() == "attribute_item" {
        return false;
    }
    let mut before = node.prev_named_sibling();
    while let Some(attribute) = before.filter(|before| before.kind() == "attribute_item" || before.is_extra()) {
        let text: String = source.of(attribute).split_whitespace().collect();
        let words: Vec<&str> = text.split(|one: char| !one.is_alphanumeric() && one != '_').collect();
        if text.starts_with("#[cfg(") && words.contains(&"test") && !words.contains(&"not") {
            return true;
        }
        before = attribute.prev_named_sibling();
    }
    false
}

/// Returns whether a string is meant for people: an error message, a markup attribute, a format string.
pub(crate) fn is_message(source: &Source, trail: &Trail) -> bool {
    let Some(Step { node, .. }) = trail.last().copied() else { return true };
    let is_throw = |step: &Step| {
        matches!(
            step.node.kind(),
            "throw_statement" | "throw_expression" | "raise_statement" | "jsx_attribute" | "property_signature"
        ) || Callee::of(source, step.node).is_some_and(|called| {
            called.names == ["errors", "New"]
                || matches!(
                    called.names.last().map(String::as_str),
                    Some(
                        "Err"
                            | "raise"
                            | "panic"
                            | "expect"
                            | "context"
                            | "with_context"
                            | "fail"
                            | "bail"
                            | "abort"
                            | "Errorf"
                    )
                )
        })
    };
    let is_format =
        matches!(source.language, Language::C | Language::Cpp | Language::Go) && source.of(node).contains('%');
    is_format || trail.iter().rev().take(8).any(is_throw)
}
