//! What is expected of a file.

use referee_model::id::{Digest, WorkspacePath};
use referee_model::plan::{DataSyntax, FileCheck, FileContent, FileExpectation, FileRoot};
use referee_syntax::count::count;

use super::Reader;
use super::scope::Scope;
use crate::complaint::{Code, Finding};
use crate::http::{regex, vacuous};
use crate::source::{Span, quote};
use crate::tree::Node;

/// Keys that speak of a file that is there.
const CONTENT_KEYS: [&str; 7] = ["minSize", "maxSize", "contains", "matches", "sha256", "valid", "schema"];

impl Reader<'_> {
    /// Reads a file check. A check that every project would pass is an error (ruling 5).
    pub(super) fn file(&mut self, node: &Node, file: &Node, scope: &Scope<'_>) -> Option<FileCheck> {
        let path = self.path(file, scope);
        let glob = path.as_ref().is_some_and(|path| self.is_pattern(node, path));
        if let Some(path) = path.as_ref().filter(|_| glob) {
            self.weigh_pattern(node, file.span, path);
        }
        let expectation = if node.get("absent").and_then(Node::boolean) == Some(true) {
            self.weigh_absent(node);
            FileExpectation::Absent
        } else {
            FileExpectation::Present(self.content(node, scope))
        };
        let path = path?;
        let nothing = FileExpectation::Present(FileContent::default());
        if path.as_str().is_empty() && expectation == nothing {
            self.vacuous(file.span, "the workspace itself is always there");
        }
        Some(FileCheck { root: FileRoot::Workspace, path, glob, expectation })
    }

    fn content(&mut self, node: &Node, scope: &Scope<'_>) -> FileContent {
        let sha256 = node.get("sha256").and_then(Node::text);
        let content = FileContent {
            min_size: size(node, "minSize"),
            max_size: size(node, "maxSize"),
            contains: self.needles(node),
            matches: self.patterns(node),
            sha256: sha256.and_then(|text| Digest::parse(&text.to_ascii_lowercase()).ok()),
            syntax: node.get("valid").and_then(syntax),
            schema: node.get("schema").and_then(|schema| self.schema(schema, scope)),
            unspecified: false,
        };
        self.sizes(node, &content);
        content
    }

    fn weigh_absent(&mut self, node: &Node) {
        for entry in CONTENT_KEYS.into_iter().filter_map(|key| node.entry(key)) {
            let message = format!("a file that must be absent cannot have `{}` too", entry.key);
            self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        }
    }

    /// Returns whether a path is a pattern that names several files.
    fn is_pattern(&mut self, node: &Node, path: &WorkspacePath) -> bool {
        let characters = path.as_str().contains(['*', '?', '[', '{']);
        let Some(said) = node.entry("glob") else { return characters };
        if said.value.boolean() == Some(true) && !characters {
            let message = "this path holds none of `*`, `?`, `[` and `{`, and names one file";
            self.findings.push(Finding::error(Code::Contradiction, said.key_span, message));
        }
        said.value.boolean().unwrap_or(characters)
    }

    fn weigh_pattern(&mut self, node: &Node, place: Span, path: &WorkspacePath) {
        if let Some(reason) = broken_pattern(path.as_str()) {
            let message = format!("the pattern {} cannot be read: {reason}", quote(path.as_str()));
            let help = "write `glob: false` beside it if it is the name of one file";
            self.findings.push(Finding::error(Code::InvalidGlob, place, message).help(help));
        }
        if let Some(absent) = node.entry("absent").filter(|entry| entry.value.boolean() == Some(true)) {
            let message = "a pattern must name at least one file, so that what it names cannot be absent";
            let help = "name the files one by one, or run a command that looks for them";
            self.findings.push(Finding::error(Code::Contradiction, absent.key_span, message).help(help));
        }
        let kept = node.get("evidence").and_then(|node| node.entry("content"));
        if let Some(kept) = kept.filter(|entry| entry.value.boolean() == Some(true)) {
            let message = "the content of files that a pattern names is not kept";
            self.findings.push(Finding::error(Code::Contradiction, kept.key_span, message));
        }
    }

    fn sizes(&mut self, node: &Node, content: &FileContent) {
        let Some(min) = node.entry("minSize") else { return };
        let alone = CONTENT_KEYS.iter().filter(|key| node.entry(key).is_some()).count() == 1;
        if content.min_size == Some(0) && alone {
            let message = "`minSize: 0` holds for every file; leave it out to check that the file exists";
            self.vacuous(min.key_span, message);
        }
        if let (Some(least), Some(most)) = (content.min_size, content.max_size)
            && least > most
        {
            let message = format!("no file has at least {least} and at most {}", count(most, "byte"));
            self.findings.push(Finding::error(Code::Contradiction, min.key_span, message));
        }
    }

    fn needles(&mut self, node: &Node) -> Vec<String> {
        let mut needles = Vec::new();
        for needle in node.get("contains").map(Node::one_or_more).unwrap_or_default() {
            match needle.text() {
                Some("") => self.vacuous(needle.span, "every file contains the empty text"),
                Some(text) => needles.push(text.to_owned()),
                None => {}
            }
        }
        needles
    }

    fn patterns(&mut self, node: &Node) -> Vec<String> {
        let patterns = node.get("matches").map(Node::one_or_more).unwrap_or_default();
        patterns.iter().filter_map(|pattern| regex(pattern, self.findings)).collect()
    }

    fn vacuous(&mut self, span: Span, message: &str) {
        vacuous(span, message, self.findings);
    }
}

fn size(node: &Node, key: &str) -> Option<u64> {
    u64::try_from(node.get(key)?.integer()?).ok()
}

fn syntax(node: &Node) -> Option<DataSyntax> {
    match node.text()? {
        "json" => Some(DataSyntax::Json),
        "yaml" => Some(DataSyntax::Yaml),
        _ => None,
    }
}

/// Says why a pattern cannot be read, where that can be seen from its brackets.
pub(super) fn broken_pattern(pattern: &str) -> Option<&'static str> {
    let mut in_class = false;
    let mut in_choice = 0_usize;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '[' if !in_class => {
                in_class = true;
                characters.next_if(|next| matches!(next, '!' | '^'));
                // A bracket right after the opening one belongs to the class.
                characters.next_if_eq(&']');
            }
            ']' if in_class => in_class = false,
            '{' if !in_class => in_choice += 1,
            '}' if !in_class => match in_choice.checked_sub(1) {
                Some(outer) => in_choice = outer,
                None => return Some("a `}` has no `{` before it"),
            },
            _ => {}
        }
    }
    match (in_class, in_choice) {
        (true, _) => Some("a `[` has no `]` after it"),
        (false, 0) => None,
        (false, _) => Some("a `{` has no `}` after it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_of_patterns_belong_together() {
        for (pattern, valid) in [
            ("dist/**/*.js", true),
            ("src/{a,b{c,d}}/[!a-z]?.ts", true),
            ("[]]x", true),
            ("[^]]x", true),
            ("[{]", true),
            ("\\[a", true),
            ("[a", false),
            ("[]", false),
            ("{a,b", false),
            ("a}", false),
            ("{[}", false),
        ] {
            assert_eq!(broken_pattern(pattern).is_none(), valid, "{pattern}");
        }
    }
}
