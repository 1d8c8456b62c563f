//! JSON, one object per line: Cargo's `{"reason":"compiler-message","message":{…}}` and rustc's own
//! `{"$message_type":"diagnostic","message":"…","spans":[…],"level":"error",…}`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use referee_model::reading::{EditPlace, FixEdit};
use serde::Deserialize;

use super::{attributed, summary};
use crate::candidate::edits;
use crate::prelude::*;

/// Texts one of which is in some line of every output in this format.
pub(crate) const PREFILTER: &[&str] =
    &["\"reason\":\"compiler-", "\"reason\":\"build-", "\"$message_type\":\"", "\"rendered\":\""];

/// Maximum number of findings remembered in order to drop those repeated for another target of the package.
const REMEMBERED: usize = 100_000;

#[derive(Deserialize)]
struct Cargo {
    reason: String,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "message")]
    said: String,
    code: Option<Code>,
    level: String,
    #[serde(default)]
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Child>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Child {
    message: String,
    level: String,
    #[serde(default)]
    spans: Vec<Span>,
}

/// A span of source. All members are optional, as programs that pass messages on may leave some out.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Span {
    file_name: String,
    line_start: u32,
    line_end: u32,
    column_start: u32,
    column_end: u32,
    is_primary: bool,
    text: Vec<Text>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<String>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

#[derive(Default)]
pub(crate) struct Json {
    findings: Findings,
    seen: HashSet<u64>,
    is_recognized: bool,
}

impl LineReader for Json {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim();
        if !text.starts_with('{') {
            return Use::None;
        }
        if text.contains("\"reason\":\"") {
            let Ok(Cargo { reason, message }) = serde_json::from_str(text) else { return Use::None };
            let is_cargo = matches!(
                reason.as_str(),
                "compiler-message" | "compiler-artifact" | "build-finished" | "build-script-executed"
            );
            self.is_recognized |= is_cargo;
            if let Some(message) = message.filter(|_| is_cargo) {
                self.message(message, line);
            }
            return if is_cargo { Use::Line } else { Use::None };
        }
        if !text.contains("\"$message_type\":\"") && !text.contains("\"rendered\":") {
            return Use::None;
        }
        if let Ok(message) = serde_json::from_str::<Message>(text) {
            self.is_recognized = true;
            self.message(message, line);
            return Use::Line;
        }
        if text.contains("\"$message_type\":\"") { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.is_recognized.then(|| Candidate { format: "json", findings: self.findings, ..Candidate::default() })
    }
}

impl Json {
    fn message(&mut self, message: Message, line: &Line<'_>) {
        let level = match message.level.as_str() {
            "warning" => Level::Warning,
            word if word.starts_with("error") => Level::Error,
            // `failure-note` and similar levels only refer to further reading.
            _ => return,
        };
        if message.spans.is_empty() && summary::sum(level, &message.said).is_some() {
            return;
        }
        let mut hasher = DefaultHasher::new();
        (message.rendered.as_deref(), &message.said, message.level.as_str()).hash(&mut hasher);
        for span in &message.spans {
            (&span.file_name, span.line_start, span.column_start).hash(&mut hasher);
        }
        if self.seen.len() < REMEMBERED && !self.seen.insert(hasher.finish()) {
            return;
        }
        self.findings.add(attributed(message.finding(level, line)));
    }
}

impl Message {
    fn finding(self, level: Level, line: &Line<'_>) -> Diagnostic {
        let mut found = diagnostic("rustc", "rustc/json", line, level, &self.said);
        found.code = self.code.map(|code| name(&code.code));
        if let Some(span) = self.spans.iter().find(|span| span.is_primary).map(Span::in_project) {
            found.file = Some(name(&text::path(&span.file_name)));
            found.line = position(span.line_start);
            found.column = position(span.column_start);
            found.end_line = position(span.line_end);
            found.end_column = position(span.column_end);
            found.source = span.text.first().map(|line| cut::head(&line.text, limit::MESSAGE_BYTES).to_owned());
        }
        for child in &self.children {
            let proposed = child.spans.iter().find(|span| span.suggested_replacement.is_some());
            if let Some(span) = proposed {
                if found.edits.is_empty() {
                    found.edits = edits(child.spans.iter().map(Span::edit).collect());
                }
                found.fixable |= span.suggestion_applicability.as_deref() == Some("MachineApplicable");
                found.suggestion.get_or_insert_with(|| {
                    let replacement = span.suggested_replacement.as_deref().unwrap_or_default();
                    let shown = if replacement.is_empty() { &child.message } else { replacement };
                    cut::head(shown, limit::MESSAGE_BYTES).to_owned()
                });
            } else if child.level == "note" {
                let place = child.spans.iter().find(|span| span.is_primary).map(|span| RelatedPlace {
                    file: Some(name(&text::path(&span.file_name))),
                    line: position(span.line_start),
                    column: position(span.column_start),
                    message: child.message.clone(),
                });
                candidate::relate(&mut found, place);
            }
        }
        found
    }
}

impl Span {
    /// Returns the suggested edit, or `None` if the span has no suggestion or no location.
    fn edit(&self) -> Option<FixEdit> {
        let place = EditPlace::Span {
            line: position(self.line_start)?,
            column: position(self.column_start)?,
            end_line: position(self.line_end)?,
            end_column: position(self.column_end)?,
        };
        let file = Some(name(&text::path(&self.file_name)));
        Some(FixEdit { file, place, text: self.suggested_replacement.clone()? })
    }

    /// Returns the location in the project from which a foreign macro was called.
    fn in_project(&self) -> &Self {
        let is_foreign = self.file_name.starts_with('<') || self.file_name.starts_with("/rustc/");
        match &self.expansion {
            Some(expansion) if is_foreign => expansion.span.in_project(),
            _ => self,
        }
    }
}

fn position(number: u32) -> Option<u32> {
    (0 < number).then_some(number)
}
