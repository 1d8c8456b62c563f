//! Sets of node kinds for all grammars at once: a name that two grammars share has the same meaning in both.

/// Named functions.
pub(crate) const FUNCTIONS: [&str; 11] = [
    "constructor_declaration",
    "function_declaration",
    "function_definition",
    "function_item",
    "generator_function_declaration",
    "local_function_statement",
    "method",
    "method_declaration",
    "method_definition",
    "property_declaration",
    "singleton_method",
];

/// Function values.
pub(crate) const CLOSURES: [&str; 13] = [
    "anonymous_function",
    "anonymous_function_creation_expression",
    "anonymous_method_expression",
    "arrow_function",
    "block_argument",
    "closure_expression",
    "do_block",
    "func_literal",
    "function",
    "function_expression",
    "generator_function",
    "lambda",
    "lambda_expression",
];

/// Named containers of functions.
pub(crate) const CONTAINERS: [&str; 19] = [
    "abstract_class_declaration",
    "class",
    "class_declaration",
    "class_definition",
    "class_specifier",
    "enum_declaration",
    "impl_item",
    "interface_declaration",
    "internal_module",
    "mod_item",
    "module",
    "namespace_declaration",
    "namespace_definition",
    "record_declaration",
    "struct_declaration",
    "struct_specifier",
    "trait_declaration",
    "trait_item",
    "union_specifier",
];

/// Binary expressions.
pub(crate) const BINARIES: [&str; 5] =
    ["binary", "binary_expression", "binary_operator", "boolean_operator", "comparison_operator"];

/// Compound assignments.
pub(crate) const AUGMENTED: [&str; 6] = [
    "assignment_expression",
    "assignment_statement",
    "augmented_assignment",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "operator_assignment",
];

/// Increments and decrements such as `x++`.
pub(crate) const INCREMENTS: [&str; 5] =
    ["dec_statement", "inc_statement", "postfix_unary_expression", "prefix_unary_expression", "update_expression"];

pub(crate) const CALLS: [&str; 7] = [
    "call",
    "call_expression",
    "function_call_expression",
    "invocation_expression",
    "member_call_expression",
    "method_invocation",
    "scoped_call_expression",
];

pub(crate) const RETURNS: [&str; 3] = ["return", "return_expression", "return_statement"];

pub(crate) const STRINGS: [&str; 8] = [
    "encapsed_string",
    "interpreted_string_literal",
    "interpolated_string_expression",
    "raw_string_literal",
    "string",
    "string_literal",
    "template_string",
    "verbatim_string_literal",
];

pub(crate) const BOOLEANS: [&str; 4] = ["boolean", "boolean_literal", "false", "true"];

pub(crate) const NUMBERS: [&str; 10] = [
    "decimal_floating_point_literal",
    "decimal_integer_literal",
    "float",
    "float_literal",
    "int_literal",
    "integer",
    "integer_literal",
    "number",
    "number_literal",
    "real_literal",
];

/// Branches with their condition in the field `condition`.
pub(crate) const BRANCHES: [&str; 13] = [
    "conditional",
    "conditional_expression",
    "elif_clause",
    "else_if_clause",
    "elsif",
    "if",
    "if_expression",
    "if_modifier",
    "if_statement",
    "ternary_expression",
    "unless",
    "unless_modifier",
    "while_statement",
];

/// Loops. Their conditions are negated, except constant ones, whose loops end by other means.
pub(crate) const LOOPS: [&str; 9] = [
    "do_statement",
    "for_clause",
    "for_statement",
    "until",
    "until_modifier",
    "while",
    "while_expression",
    "while_modifier",
    "while_statement",
];

pub(crate) const IDENTIFIERS: [&str; 8] = [
    "constant",
    "field_identifier",
    "identifier",
    "name",
    "package_identifier",
    "property_identifier",
    "shorthand_property_identifier",
    "variable_name",
];

pub(crate) fn is(kinds: &[&str], kind: &str) -> bool {
    kinds.contains(&kind)
}
