//! What is expected of a file. Whatever is given is checked, whichever the type.

use referee_model::id::{Digest, WorkspacePath};
use referee_model::plan::{DataSyntax, FileCheck, FileContent, FileExpectation};
use referee_syntax::count::count;
use referee_syntax::tree::{Entry, Node};

use super::Reader;
use crate::complaint::{Code, Finding};
use crate::glob::broken_pattern;
use crate::http::{regex, vacuous};
use crate::quantity::whole;
use crate::source::quote;
use crate::variables::Variables;

/// Keys that speak of a file that is there.
const CONTENT_KEYS: [&str; 8] =
    ["expectedContent", "contentRegex", "contentPattern", "schema", "expectedHash", "minSize", "maxSize", "syntax"];

impl Reader<'_> {
    /// Reads a file check. A check that every project would pass is an error (ruling 5).
    pub(super) fn file(&mut self, parameters: &Node, variables: &Variables<'_>) -> Option<FileCheck> {
        let named = parameters.get("filePath")?;
        let found = self.file_path(named, variables);
        let tag = parameters.get("validationType")?;
        let is_workspace = found.as_ref().is_some_and(|(_, path, complete)| *complete && path.as_str().is_empty());
        let glob = found.as_ref().is_some_and(|(_, path, complete)| *complete && self.is_glob(parameters, named, path));
        let check = |expectation| {
            let (root, path, _) = found?;
            Some(FileCheck { root, path, glob, expectation })
        };
        if tag.text()? == "NOT_EXISTS" {
            for entry in CONTENT_KEYS.into_iter().filter_map(|key| parameters.entry(key)) {
                let message =
                    format!("a file that must not exist cannot have {} too", quote(self.filler.written_key(entry)));
                self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
            }
            return check(FileExpectation::Absent);
        }
        let content = self.content(parameters, variables)?;
        self.weigh_type(parameters, tag, &content);
        if is_workspace && tag.text() == Some("EXISTS") && content == FileContent::default() {
            vacuous(named.span, "the workspace itself is always there", self.findings);
        }
        check(FileExpectation::Present(content))
    }

    /// Returns whether a path is a pattern that names several files. The short form says so, or has it told from any of its
    /// characters, and takes no broken one.
    fn is_glob(&mut self, parameters: &Node, named: &Node, path: &WorkspacePath) -> bool {
        if !self.is_short() {
            return is_pattern(path.as_str());
        }
        let characters = path.as_str().contains(['*', '?', '[', '{']);
        let said = parameters.entry("glob").and_then(|entry| Some((entry, entry.value.boolean()?)));
        let mut contradiction = |entry: &Entry, message: &str, help: Option<&str>| {
            let finding = Finding::error(Code::Contradiction, entry.key_span, message);
            self.findings.push(match help {
                Some(help) => finding.help(help),
                None => finding,
            });
        };
        if let Some((entry, true)) = said.filter(|_| !characters) {
            contradiction(entry, "this path holds none of `*`, `?`, `[` and `{`, and names one file", None);
        }
        if !said.map_or(characters, |(_, glob)| glob) {
            return false;
        }
        if let Some(kept) = parameters.entry("content").filter(|entry| entry.value.boolean() == Some(true)) {
            contradiction(kept, "the content of files that a pattern names is not kept", None);
        }
        if let Some(absent) = parameters.entry("absent").filter(|entry| entry.value.boolean() == Some(true)) {
            let message = "a pattern must name at least one file, so that what it names cannot be absent";
            let help = "name the files one by one, or run a command that looks for them";
            contradiction(absent, message, Some(help));
        }
        if let Some(reason) = broken_pattern(path.as_str()) {
            let message = format!("the pattern {} cannot be read: {reason}", quote(path.as_str()));
            let help = "write `glob: false` beside it if it is the name of one file";
            self.findings.push(Finding::error(Code::InvalidGlob, named.span, message).help(help));
        }
        true
    }

    fn content(&mut self, parameters: &Node, variables: &Variables<'_>) -> Option<FileContent> {
        let filled = self.filler.node(parameters, variables, self.findings)?;
        let size = |key: &str| filled.get(key).and_then(whole);
        let tag = filled.get("validationType").and_then(Node::text);
        let schema = filled.get("schema").map(|node| self.schema(node));
        let content = FileContent {
            min_size: size("minSize"),
            max_size: size("maxSize"),
            contains: self.needles(filled.get("expectedContent")),
            matches: [filled.get("contentRegex"), filled.get("contentPattern")]
                .into_iter()
                .flatten()
                .flat_map(Node::one_or_more)
                .filter_map(|node| regex(node, self.findings))
                .collect(),
            sha256: filled.get("expectedHash").and_then(Node::text).and_then(digest),
            syntax: match filled.get("syntax").and_then(Node::text) {
                Some("json") => Some(DataSyntax::Json),
                Some("yaml") => Some(DataSyntax::Yaml),
                _ => (tag == Some("JSON_VALID")).then_some(DataSyntax::Json),
            },
            schema: match schema {
                Some(schema) => Some(schema?),
                None => None,
            },
            unspecified: false,
        };
        let unspecified = tag == Some("CONTENT_MATCH") && content == FileContent::default() && asks_nothing(parameters);
        Some(FileContent { unspecified, ..content })
    }

    /// Reads texts that must occur.
    pub(super) fn needles(&mut self, node: Option<&Node>) -> Vec<String> {
        let mut needles = Vec::new();
        for needle in node.map(Node::one_or_more).unwrap_or_default() {
            match needle.text() {
                Some("") => vacuous(needle.span, "everything contains the empty text", self.findings),
                Some(text) => needles.push(text.to_owned()),
                None => {}
            }
        }
        needles
    }

    /// Complains where the type asks for something that is not given, or that holds for every file.
    fn weigh_type(&mut self, parameters: &Node, tag: &Node, content: &FileContent) {
        let has = |key: &str| parameters.entry(key).is_some();
        if content.unspecified {
            let message =
                "`CONTENT_MATCH` without `expectedContent` or `contentRegex` checks that the file exists, and no more";
            self.findings.push(Finding::warning(Code::UnspecifiedContent, tag.span, message));
        }
        let missing = match tag.text() {
            Some("CONTENT_PATTERN") if !has("contentPattern") && !has("contentRegex") => {
                Some("`contentPattern` or `contentRegex`")
            }
            Some("SCHEMA_VALID") if !has("schema") => Some("`schema`"),
            Some("HASH_MATCH") if !has("expectedHash") => Some("`expectedHash`"),
            Some("SIZE_CHECK") if !has("minSize") && !has("maxSize") => Some("`minSize` or `maxSize`"),
            _ => None,
        };
        if let Some(missing) = missing {
            let word = tag.text().unwrap_or_default();
            vacuous(
                tag.span,
                &format!("`{word}` needs {missing}: without it there is nothing to check"),
                self.findings,
            );
        }
        let Some(min) = parameters.entry("minSize") else { return };
        let alone = CONTENT_KEYS.iter().filter(|key| has(key)).count() == 1;
        if content.min_size == Some(0) && alone && tag.text() == Some("SIZE_CHECK") {
            vacuous(min.key_span, "`minSize: 0` holds for every file", self.findings);
        }
        if let (Some(least), Some(most)) = (content.min_size, content.max_size)
            && least > most
        {
            let message = format!("no file has at least {least} and at most {}", count(most, "byte"));
            self.findings.push(Finding::error(Code::Contradiction, min.key_span, message));
        }
    }
}

fn asks_nothing(parameters: &Node) -> bool {
    CONTENT_KEYS.iter().all(|key| parameters.entry(key).is_none())
}

/// Returns whether a path is a pattern. Brackets alone make none: they are part of many a file's name.
fn is_pattern(path: &str) -> bool {
    let braces = path.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    path.contains(['*', '?']) || braces.is_some_and(|(inner, _)| inner.contains(','))
}

fn digest(text: &str) -> Option<Digest> {
    let text = text.to_ascii_lowercase();
    Digest::parse(text.strip_prefix("sha256:").unwrap_or(&text)).ok()
}
