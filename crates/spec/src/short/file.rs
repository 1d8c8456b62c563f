//! What is expected of a file.

use referee_model::id::Digest;
use referee_model::plan::{FileCheck, FileContent, FileExpectation};
use regex::RegexBuilder;

use super::Reader;
use crate::complaint::{Code, Finding};
use crate::source::{Span, quote};
use crate::tree::Node;
use crate::variables::Variables;

/// Keys that speak of a file that is there.
const CONTENT_KEYS: [&str; 5] = ["minSize", "maxSize", "contains", "matches", "sha256"];

impl Reader<'_> {
    /// Reads a file check. A check that every project would pass is an error (ruling 5).
    pub(super) fn file(&mut self, node: &Node, file: &Node, variables: &Variables<'_>) -> Option<FileCheck> {
        let path = self.path(file, variables);
        if node.get("absent").and_then(Node::boolean) == Some(true) {
            for entry in CONTENT_KEYS.into_iter().filter_map(|key| node.entry(key)) {
                let message = format!("a file that must be absent cannot have `{}` too", entry.key);
                self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
            }
            return Some(FileCheck { path: path?, expectation: FileExpectation::Absent });
        }
        let content = FileContent {
            min_size: size(node, "minSize"),
            max_size: size(node, "maxSize"),
            contains: self.needles(node),
            matches: self.patterns(node),
            sha256: node
                .get("sha256")
                .and_then(Node::text)
                .and_then(|text| Digest::parse(&text.to_ascii_lowercase()).ok()),
        };
        self.sizes(node, &content);
        let path = path?;
        if path.as_str().is_empty() && content == FileContent::default() {
            self.vacuous(file.span, "the workspace itself is always there");
        }
        Some(FileCheck { path, expectation: FileExpectation::Present(content) })
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
            let unit = if most == 1 { "byte" } else { "bytes" };
            let message = format!("no file has at least {least} and at most {most} {unit}");
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
        let mut patterns = Vec::new();
        for pattern in node.get("matches").map(Node::one_or_more).unwrap_or_default() {
            let Some(text) = pattern.text() else { continue };
            match RegexBuilder::new(text).multi_line(true).build() {
                // What matches nothing and also a character that nobody writes asks for nothing.
                Ok(regex) if regex.is_match("") && regex.is_match("\u{f8ff}\u{f8ff}") => {
                    self.vacuous(pattern.span, &format!("the regular expression {} matches every text", quote(text)));
                }
                Ok(_) => patterns.push(text.to_owned()),
                Err(error) => {
                    let reason = error.to_string();
                    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    let message = format!("the regular expression {} cannot be read: {reason}", quote(text));
                    self.findings.push(Finding::error(Code::InvalidRegex, pattern.span, message));
                }
            }
        }
        patterns
    }

    fn vacuous(&mut self, span: Span, message: &str) {
        self.findings.push(Finding::error(Code::Vacuous, span, message));
    }
}

fn size(node: &Node, key: &str) -> Option<u64> {
    u64::try_from(node.get(key)?.integer()?).ok()
}
