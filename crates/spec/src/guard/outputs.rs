//! Files and directories that the checks write: they are not inputs (design, "Tree digest").

use referee_syntax::tree::Node;

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Reads the patterns, in order of the document, without duplicates. A pattern must match paths in the
/// workspace, but not all of them: then nothing would be an input.
pub(super) fn read(patterns: &[Node], findings: &mut Findings) -> Vec<String> {
    let mut outputs: Vec<String> = Vec::new();
    for node in patterns {
        let Some(text) = node.text() else { continue };
        match normal(text) {
            Ok(pattern) if !outputs.contains(&pattern) => outputs.push(pattern),
            Ok(_) => {}
            Err(wrong) => {
                let help = "name what the checks write, such as `dist`, `coverage` or `packages/*/dist`";
                findings.push(Finding::error(wrong.code(), node.span, wrong.message(text)).help(help));
            }
        }
    }
    outputs
}

/// Problem of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Leaves,
    NamesAll,
    NoPattern,
}

impl Wrong {
    fn code(self) -> Code {
        match self {
            Self::Leaves => Code::LeavesWorkspace,
            Self::NamesAll => Code::Vacuous,
            Self::NoPattern => Code::InvalidGlob,
        }
    }

    fn message(self, text: &str) -> String {
        let text = quote(text);
        match self {
            Self::Leaves => format!("{text} is outside the workspace"),
            Self::NamesAll => format!("{text} names every file of the workspace: none would be an input"),
            Self::NoPattern => format!("invalid path pattern {text}"),
        }
    }
}

/// Normalizes a pattern: no `.` and no empty part.
fn normal(text: &str) -> Result<String, Wrong> {
    if text.starts_with('/') {
        return Err(Wrong::Leaves);
    }
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return Err(Wrong::Leaves);
    }
    // A pattern whose parts are all wildcards matches everything.
    let names_anything = |part: &&str| part.chars().all(|character| matches!(character, '*' | '?' | '{' | '}' | ','));
    if parts.iter().all(names_anything) {
        return Err(Wrong::NamesAll);
    }
    if !is_balanced(text) {
        return Err(Wrong::NoPattern);
    }
    Ok(parts.join("/"))
}

/// Returns whether brackets and braces are closed, and not nested in their own kind.
fn is_balanced(text: &str) -> bool {
    let mut open = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (open, character) {
            // The next character is literal.
            (_, '\\') if characters.next().is_none() => return false,
            (None, '[' | '{') => open = Some(character),
            (Some('['), ']') | (Some('{'), '}') => open = None,
            (None, ']' | '}') | (Some('{'), '{') => return false,
            _ => {}
        }
    }
    open.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_lie_in_the_workspace_and_are_not_all_of_it() {
        for (text, normalized) in [
            ("dist", Ok("dist")),
            ("./dist//js/", Ok("dist/js")),
            ("packages/*/dist", Ok("packages/*/dist")),
            ("**/*.snap", Ok("**/*.snap")),
            ("{a,b}/out", Ok("{a,b}/out")),
            ("a..b", Ok("a..b")),
            ("/tmp", Err(Wrong::Leaves)),
            ("../x", Err(Wrong::Leaves)),
            ("a/../..", Err(Wrong::Leaves)),
            ("**", Err(Wrong::NamesAll)),
            ("*", Err(Wrong::NamesAll)),
            ("**/*", Err(Wrong::NamesAll)),
            ("./", Err(Wrong::NamesAll)),
            ("{*,**}", Err(Wrong::NamesAll)),
            ("src[", Err(Wrong::NoPattern)),
            ("src{a,{b}}", Err(Wrong::NoPattern)),
            ("src\\", Err(Wrong::NoPattern)),
        ] {
            assert_eq!(normal(text).as_deref(), normalized.as_deref(), "{text}");
        }
    }
}
