//! Details below a failed test point: a YAML block, Deno's JSON, or comments.

use crate::prelude::*;
use crate::shapes::locate::{self, Frame};
use crate::shapes::members::position;

/// `location: '/project/calc.test.mjs:4:1'`.
static MEMBER: Pattern = Pattern::new(r"^(?<indent> *)(?<key>[A-Za-z_]\w*|'[^']*') *:(?: +(?<value>.*))?$");

/// `/project/calc.test.mjs:4:1`.
static PLACE: Pattern = Pattern::new(r"^(?:file://)?(?<file>[^\s()].*?):(?<line>\d+):(?<column>\d+)$");

/// `#   at t/a.t line 8.`, printed by Perl.
static PERL: Pattern = Pattern::new(r"\b(?:at|in) (?<file>\S+) line (?<line>\d+)\.?$");

/// `# spec/a_spec.lua @ 3`, printed by busted.
static BUSTED: Pattern = Pattern::new(r"^(?<file>\S+\.\w+) @ (?<line>\d+)$");

/// A YAML block that is being read.
#[derive(Debug, Default)]
pub(super) struct Block {
    key: Key,
    /// Indentation of the member whose lines follow.
    indent: Option<usize>,
    file: Option<String>,
    line: Option<u32>,
}

/// Meaning of the lines of a member.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Key {
    #[default]
    Other,
    Message,
    Stack,
    Expected,
    Received,
}

impl Block {
    /// Reads a line of the block, and returns whether the test point only sums up others.
    pub(super) fn line(&mut self, line: &str, failing: &mut Failing) -> bool {
        let trimmed = line.trim();
        if trimmed.starts_with('{')
            && let Ok(value) = serde_json::from_str::<Value>(trimmed)
        {
            return json(&value, failing);
        }
        let is_content = self.indent.is_some_and(|indent| line.trim().is_empty() || indent < text::indent(line));
        if !is_content && let Some(captures) = MEMBER.find(line) {
            return self.member(captures.text("key"), captures.text("value"), line, failing);
        }
        match self.key {
            Key::Message => failing.say(trimmed),
            Key::Stack => stack(trimmed, failing),
            Key::Expected | Key::Received | Key::Other => {}
        }
        false
    }

    fn member(&mut self, key: &str, value: &str, line: &str, failing: &mut Failing) -> bool {
        self.key = match key {
            "message" | "error" | "failureMessage" => Key::Message,
            "stack" => Key::Stack,
            "expected" | "wanted" => Key::Expected,
            "actual" | "found" => Key::Received,
            // Details of AVA: `'Difference (- actual, + expected):': |-`.
            _ if key.starts_with('\'') => Key::Message,
            _ => Key::Other,
        };
        if key.starts_with('\'') {
            failing.say(key.trim_matches('\''));
        }
        let is_block = matches!(value, "|" | "|-" | "|+" | ">" | ">-");
        self.indent = is_block.then(|| text::indent(line));
        let value = unquoted(value);
        if is_block || value.is_empty() {
            return false;
        }
        match (self.key, key) {
            (Key::Message, _) => value.lines().for_each(|line| failing.say(line)),
            (Key::Stack, _) => stack(&value, failing),
            (Key::Expected, _) => failing.failure.expected = Some(bounded(&value)),
            (Key::Received, _) => failing.failure.received = Some(bounded(&value)),
            (_, "at" | "location") => place(&value, failing),
            (_, "file" | "fileName") => self.file = Some(value.clone()),
            (_, "line" | "lineNumber") => self.line = text::position(&value),
            (_, "failureType") => return value == "subtestsFailed",
            _ => {}
        }
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            failing.frame(Frame { file: text::path(file), line: Some(line), column: None }, "");
        }
        false
    }
}

/// Reads Deno's details, and returns whether they only sum up steps.
fn json(value: &Value, failing: &mut Failing) -> bool {
    let message = said(value, "message").unwrap_or_default();
    for line in message.lines() {
        if !failing.takes_frame(line) {
            failing.say(line);
        }
    }
    if let Some(file) = said(value, "at/file") {
        failing.frame(Frame { file: text::path(file), line: position(value, "at/line"), column: None }, "");
    }
    message.ends_with("test step failed.") || message.ends_with("test steps failed.")
}

/// Reads a line of a stack, which Node prints without `at`.
fn stack(line: &str, failing: &mut Failing) {
    if locate::is_stack_line(line) || line.is_empty() {
        failing.takes_frame(line);
    } else if line.contains("Error: ") {
        if failing.failure.message.is_empty() {
            failing.say(line);
        }
    } else {
        failing.takes_frame(&format!("at {line}"));
    }
}

/// Reads a location, alone or in a stack. The first one is the innermost.
fn place(value: &str, failing: &mut Failing) {
    let frame = PLACE.find(value).map(|captures| Frame::of(&captures));
    // The location where a test begins is used unless the stack has a better one.
    if let Some(frame) = frame.or_else(|| locate::frame(&format!("at {value}"))) {
        failing.failure.file.get_or_insert_with(|| crate::candidate::name(&frame.file));
        failing.begins_at(frame);
    }
}

/// Reads a comment below a test point.
pub(super) fn comment(comment: &str, failing: &mut Failing) {
    let comment = comment.trim();
    let place = PERL.find(comment).or_else(|| BUSTED.find(comment));
    if let Some(captures) = place {
        failing.begins_at(Frame::of(&captures));
        return;
    }
    if !comment.starts_with("Failed test") {
        failing.say(comment.strip_prefix("Failure message: ").unwrap_or(comment));
    }
}

fn bounded(value: &str) -> String {
    cut::head(value, referee_model::limit::MESSAGE_BYTES).to_owned()
}

/// Removes the quotes of a value, and resolves its escapes.
fn unquoted(value: &str) -> String {
    let value = value.trim();
    if let Ok(text) = serde_json::from_str::<String>(value) {
        return text;
    }
    match value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => value.trim_matches('"').to_owned(),
    }
}
