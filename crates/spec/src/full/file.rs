//! Reads the expectations of a file. Every given key is checked, whatever the type.

use crate::form::full as keys;
use referee_model::id::{Digest, WorkspacePath};
use referee_model::plan::{DataSyntax, FileCheck, FileContent, FileExpectation};
use referee_syntax::count::count;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Member, Node};

use super::Reader;
use crate::complaint::{Code, Finding};
use crate::glob::broken_pattern;
use crate::http::{regex, vacuous};
use crate::quantity::whole;
use crate::source::quote;
use crate::variables::Variables;

impl Reader<'_> {
    /// Reads a file check. A check that every project would pass is an error (ruling 5).
    pub(super) fn file(&mut self, parameters: &Node, variables: &Variables<'_>) -> Option<FileCheck> {
        let written = keys::File::of(parameters);
        let named = written.file_path.node()?;
        let found = self.file_path(named, variables);
        let (tag, word) = written.validation_type.text_node()?;
        let is_workspace = found.as_ref().is_some_and(|(_, path, complete)| *complete && path.as_str().is_empty());
        let glob = found.as_ref().is_some_and(|(_, path, complete)| *complete && self.is_glob(written, named, path));
        let check = |expectation| {
            let (root, path, _) = found?;
            Some(FileCheck { root, path, glob, expectation })
        };
        if word == "NOT_EXISTS" {
            for entry in about_content(written) {
                let message =
                    format!("a file that must not exist cannot have {} too", quote(self.filler.written_key(entry)));
                self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
            }
            return check(FileExpectation::Absent);
        }
        let content = self.content(parameters, variables)?;
        self.weigh_type(written, tag.span, word, &content);
        if is_workspace && word == "EXISTS" && content == FileContent::default() {
            vacuous(named.span, "the workspace itself is always there", self.findings);
        }
        check(FileExpectation::Present(content))
    }

    /// Returns whether a path is a pattern for several files. The short form says so, or it is inferred from
    /// the characters of the path; a broken pattern is an error there.
    fn is_glob(&mut self, written: keys::File<'_>, named: &Node, path: &WorkspacePath) -> bool {
        if !self.is_short() {
            return is_pattern(path.as_str());
        }
        let characters = path.as_str().contains(['*', '?', '[', '{']);
        let said = written.glob.entry().and_then(|entry| Some((entry, entry.value.boolean()?)));
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
        if let Some(kept) = written.content.entry().filter(|_| written.content.is_true()) {
            contradiction(kept, "the content of files that a pattern names is not kept", None);
        }
        if let Some(absent) = written.absent.entry().filter(|_| written.absent.is_true()) {
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
        let filled = keys::File::of(&filled);
        let tag = filled.validation_type.text();
        let schema = filled.schema.node().map(|node| self.schema(node));
        let content = FileContent {
            min_size: filled.min_size.node().and_then(whole),
            max_size: filled.max_size.node().and_then(whole),
            contains: self.needles(filled.expected_content),
            matches: [filled.content_regex, filled.content_pattern]
                .into_iter()
                .flat_map(Member::one_or_more)
                .filter_map(|node| regex(node, self.findings))
                .collect(),
            sha256: filled.expected_hash.text().and_then(digest),
            syntax: match filled.syntax.text() {
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
        let asks_nothing = about_content(keys::File::of(parameters)).next().is_none();
        let unspecified = tag == Some("CONTENT_MATCH") && content == FileContent::default() && asks_nothing;
        Some(FileContent { unspecified, ..content })
    }

    /// Reads the strings that must occur.
    pub(super) fn needles(&mut self, written: Member<'_>) -> Vec<String> {
        let mut needles = Vec::new();
        for needle in written.one_or_more() {
            match needle.text() {
                Some("") => vacuous(needle.span, "the empty text matches every file", self.findings),
                Some(text) => needles.push(text.to_owned()),
                None => {}
            }
        }
        needles
    }

    /// Complains if the type requires a key that is missing, or an expectation is true for every file.
    fn weigh_type(&mut self, written: keys::File<'_>, place: Span, word: &str, content: &FileContent) {
        if content.unspecified {
            let message =
                "`CONTENT_MATCH` without `expectedContent` or `contentRegex` checks that the file exists, and no more";
            self.findings.push(Finding::warning(Code::UnspecifiedContent, place, message));
        }
        let (needed, missing) = match word {
            "CONTENT_PATTERN" => {
                (written.content_pattern.or(written.content_regex), "`contentPattern` or `contentRegex`")
            }
            "SCHEMA_VALID" => (written.schema, "`schema`"),
            "HASH_MATCH" => (written.expected_hash, "`expectedHash`"),
            "SIZE_CHECK" => (written.min_size.or(written.max_size), "`minSize` or `maxSize`"),
            _ => (written.validation_type, ""),
        };
        if !needed.is_given() {
            vacuous(place, &format!("`{word}` needs {missing}: without it there is nothing to check"), self.findings);
        }
        let Some(min) = written.min_size.entry() else { return };
        if content.min_size == Some(0) && about_content(written).count() == 1 && word == "SIZE_CHECK" {
            vacuous(min.key_span, "`minSize: 0` is true of every file", self.findings);
        }
        if let (Some(least), Some(most)) = (content.min_size, content.max_size)
            && least > most
        {
            let message = format!("no file has at least {least} and at most {}", count(most, "byte"));
            self.findings.push(Finding::error(Code::Contradiction, min.key_span, message));
        }
    }
}

/// Returns the keys that only apply to an existing file.
fn about_content(written: keys::File<'_>) -> impl Iterator<Item = &Entry> {
    let texts = [written.expected_content, written.content_regex, written.content_pattern];
    let others = [written.schema, written.expected_hash, written.min_size, written.max_size, written.syntax];
    texts.into_iter().chain(others).filter_map(Member::entry)
}

/// Returns whether a path is a pattern. Brackets alone do not make one: they are common in file names.
fn is_pattern(path: &str) -> bool {
    let braces = path.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    path.contains(['*', '?']) || braces.is_some_and(|(inner, _)| inner.contains(','))
}

fn digest(text: &str) -> Option<Digest> {
    let text = text.to_ascii_lowercase();
    Digest::parse(text.strip_prefix("sha256:").unwrap_or(&text)).ok()
}
