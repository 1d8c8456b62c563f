//! Recognizes test functions.

use tree_sitter::Node;

use crate::call::Callee;
use crate::kind::{CLOSURES, STRINGS, is};
use crate::scope;
use crate::source::{Source, children};
use referee_model::mutant::Language;

/// Attributes and annotations that mark a test function, by their last name.
const MARKS: [&str; 14] = [
    "DataTestMethod",
    "Fact",
    "ParameterizedTest",
    "Property",
    "RepeatedTest",
    "Test",
    "TestCase",
    "TestMethod",
    "TestTemplate",
    "Theory",
    "proptest",
    "rstest",
    "test",
    "test_case",
];

/// Returns the name of the test that a node defines. None: the node is not a test.
pub(crate) fn is_test(source: &Source, node: Node) -> Option<String> {
    if !node.is_named() {
        return None;
    }
    match source.language {
        Language::JavaScript | Language::Tsx | Language::TypeScript | Language::Ruby => {
            by_call(source, node).or_else(|| by_name(source, node).filter(|_| source.language == Language::Ruby))
        }
        Language::Python | Language::Go | Language::C | Language::Cpp => by_name(source, node),
        Language::Php => by_name(source, node).or_else(|| by_mark(source, node)),
        Language::Rust | Language::Java | Language::CSharp => by_mark(source, node),
    }
}

/// Recognizes tests defined by a call: `it('adds', () => {})`, `it "adds" do … end`.
fn by_call(source: &Source, node: Node) -> Option<String> {
    let called = Callee::of(source, node)?;
    let is_word =
        matches!(called.names.first()?.as_str(), "it" | "test" | "specify" | "scenario" | "fit" | "xit" | "xtest");
    if !is_word || called.names.len() > 2 {
        return None;
    }
    let arguments = children(node.child_by_field_name("arguments")?);
    let name = arguments.first().filter(|first| is(&STRINGS, first.kind()))?;
    let is_run = arguments.iter().any(|one| is(&CLOSURES, one.kind())) || node.child_by_field_name("block").is_some();
    is_run.then(|| source.of(*name).trim_matches(['\'', '"', '`']).to_owned())
}

fn by_name(source: &Source, node: Node) -> Option<String> {
    if !matches!(node.kind(), "function_definition" | "function_declaration" | "method" | "method_declaration") {
        return None;
    }
    let name = scope::name(source, node)?;
    let own = name.rsplit('.').next().unwrap_or_default();
    let starts = |words: &[&str]| words.iter().any(|word| own.starts_with(word));
    let is_test = match source.language {
        Language::Go => {
            starts(&["Test", "Fuzz", "Benchmark", "Example"]) && source.field(node, "parameters").contains("testing.")
        }
        Language::C | Language::Cpp => starts(&["test_"]) || ["TEST", "TEST_F", "TEST_P", "TYPED_TEST"].contains(&own),
        Language::Php => starts(&["test"]),
        _ => starts(&["test_"]) || own == "test",
    };
    let is_macro = own.starts_with("TEST") || own == "TYPED_TEST";
    let whole = || source.field(node, "declarator").split_whitespace().collect::<Vec<_>>().join(" ");
    is_test.then(|| if is_macro && node.kind() == "function_definition" { whole() } else { name })
}

/// Recognizes tests marked by an attribute: `#[test]`, `@Test`, `[Fact]`.
fn by_mark(source: &Source, node: Node) -> Option<String> {
    if !matches!(node.kind(), "function_item" | "method_declaration") {
        return None;
    }
    let mut texts = Vec::new();
    let mut before = node.prev_named_sibling();
    while let Some(one) = before.filter(|one| one.kind() == "attribute_item" || one.is_extra()) {
        texts.push(source.of(one));
        before = one.prev_named_sibling();
    }
    let within = children(node)
        .into_iter()
        .filter(|child| matches!(child.kind(), "modifiers" | "attribute_list" | "attribute_group"));
    texts.extend(within.map(|child| source.of(child)));
    texts.iter().any(|text| is_mark(text)).then(|| scope::name(source, node)).flatten()
}

fn is_mark(text: &str) -> bool {
    if text.starts_with("//") || text.starts_with("/*") {
        return false;
    }
    let names = text.split(['@', '[', ',', ']', ' ', '\n', '#']).map(|part| part.split('(').next().unwrap_or_default());
    names.filter_map(|name| name.rsplit([':', '.', '\\']).next()).any(|name| MARKS.contains(&name.trim()))
}
