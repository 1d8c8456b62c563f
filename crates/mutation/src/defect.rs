//! Defects of files that a tool must report.

use tree_sitter::Node;

use crate::kind::{STRINGS, is};
use crate::source::{Next, Refusal, Source};
use referee_model::mutant::Language;

/// Returns the text with a defect that every compiler and parser of the language rejects.
pub fn syntax_break(language: Language, text: &str) -> String {
    // At the beginning, since the end may be data (`__END__`) or outside of the program (`?>`).
    let defect = if language == Language::Php { "<?php ) ?>\n" } else { ")\n" };
    [defect, text].concat()
}

/// Returns the text with an ill-typed declaration at its end. None: the language has no type checks.
pub fn type_error(language: Language, text: &str) -> Option<String> {
    let name = unused_name(text);
    let declaration = match language {
        Language::JavaScript | Language::Php | Language::Ruby => return None,
        Language::Python => format!("{name}: int = \"text\"\n"),
        Language::TypeScript | Language::Tsx => format!("const {name}: number = \"text\";\n"),
        Language::Go => "var _ int = \"text\"\n".to_owned(),
        Language::Rust => "const _: u8 = \"text\";\n".to_owned(),
        Language::Java | Language::CSharp => format!("class {name} {{ int field = \"text\"; }}\n"),
        Language::C | Language::Cpp => {
            format!("struct {name} {{ int field; }};\nint {name}_value(struct {name} value) {{ return value; }}\n")
        }
    };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some([text, end, &declaration].concat())
}

/// Returns variants of the text, each with a violation of a common linter rule, the most common first. Which
/// rules a project enables only its linter knows. The last variant cannot be parsed, which every linter reports.
pub fn lint_violations(language: Language, text: &str) -> Vec<String> {
    let name = unused_name(text);
    let violations: Vec<String> = match language {
        Language::JavaScript => vec![format!("var {name} = 1;"), format!("function {name}() {{ debugger; }}")],
        Language::TypeScript | Language::Tsx => {
            vec![format!("var {name}: any = 1;"), format!("function {name}() {{ debugger; }}")]
        }
        Language::Python => vec![format!("import os as {name}"), format!("def {name}():\n    value = 1")],
        Language::Go => vec![format!("func {name}(value int) {{\n\tvalue = value\n}}")],
        Language::Rust => vec![format!("fn {name}(value: bool) -> bool {{\n    return value == true;\n}}")],
        Language::Ruby => vec![format!("def {name}\n  value = 1\nend")],
        Language::Php => vec![format!("function {name}() {{ return {name}_missing(); }}")],
        Language::C | Language::Cpp => {
            vec![format!("static int {name}(void) {{\n    int values[1] = {{0}};\n    return values[1];\n}}")]
        }
        Language::Java | Language::CSharp => vec![],
    };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let appended = violations.iter().map(|violation| [text, end, violation, "\n"].concat());
    appended.chain(std::iter::once(syntax_break(language, text))).collect()
}

/// Returns a name that does not occur in the text.
fn unused_name(text: &str) -> String {
    let names = std::iter::once("planted".to_owned()).chain((1_u64..).map(|number| format!("planted{number}")));
    names.into_iter().find(|name| !text.contains(name.as_str())).unwrap_or_default()
}

/// Returns the text with trailing blanks on a line where they are insignificant and every formatter removes them.
/// None: there is no such line.
pub fn unformatted(language: Language, text: &str) -> Result<Option<String>, Refusal> {
    let source = Source::parse(language, text)?;
    let mut at = None;
    source.walk(&mut |trail| {
        let Some(node) = trail.last().map(|step| step.node).filter(|_| at.is_none()) else { return Next::Past };
        if is_verbatim(node) {
            return Next::Past;
        }
        let ends_line = || text[node.end_byte()..].starts_with('\n');
        if node.child_count() == 0
            && ends_line()
            && matches!(source.of(node), "}" | ")" | "]" | ";" | ":" | "{" | "end")
        {
            at = Some(node.end_byte());
        }
        Next::Into
    });
    Ok(at.map(|at| [&text[..at], "   ", &text[at..]].concat()))
}

/// Returns whether formatters leave a node unchanged: strings, macros, markup, comments, errors.
fn is_verbatim(node: Node) -> bool {
    let kind = node.kind();
    node.is_named() && is(&STRINGS, kind)
        || node.is_extra()
        || node.is_error()
        || kind.starts_with("jsx_")
        || kind.starts_with("heredoc")
        || kind.starts_with("preproc_")
        || matches!(kind, "macro_invocation" | "macro_definition" | "token_tree" | "text" | "attribute_item")
        || matches!(
            kind,
            "regex" | "string_array" | "symbol_array" | "interpolation" | "uninterpreted" | "text_interpolation"
        )
}
