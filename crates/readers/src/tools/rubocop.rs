//! RuboCop, and what is built on it: its formatters for people (progress, clang, fuubar, TAP), emacs, simple, and JSON.
//!
//! ```text
//! lib/calc.rb:5:3: C: [Correctable] Layout/EmptyLineBetweenDefs: Expected 1 empty line; found 0.
//!   def div(a,b)
//!   ^^^^^^^
//!
//! 6 files inspected, 41 offenses detected, 31 offenses autocorrectable
//! ```
//! Conventions and refactorings are remarks on style; what is `[Corrected]` already is no finding any more.

mod text;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use serde_json::Value;

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, Told, finding};
use crate::shapes::members::{is_true, named, position, said};
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// RuboCop.
pub(crate) const TOOL: Tool = Tool {
    name: "rubocop",
    aliases: &["rubocop-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[": C: ", ": W: ", ": E: ", ": F: ", ": R: ", ": I: ", "C: ", "W: ", "E: ", " inspected, "],
        reader: |is_hinted| Box::new(text::Text::new(is_hinted)),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"metadata\":{\"rubocop_version\":"], keys: &["\"metadata\":"], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// Returns the level that a letter or a word means.
fn level(severity: &str) -> Option<Level> {
    match severity {
        "E" | "F" | "error" | "fatal" => Some(Level::Error),
        "W" | "warning" => Some(Level::Warning),
        "C" | "R" | "I" | "convention" | "refactor" | "info" => Some(Level::Info),
        _ => None,
    }
}

/// `{"metadata":{"rubocop_version":"1.39.0",…},"files":[{"path":"a.rb","offenses":[{"severity":"convention",…}]}],…}`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "rubocop/json",
    paths: &[&["files", ANY, "offenses", ANY]],
    record: offense,
    is_own: |members| members.get("metadata").is_some_and(|metadata| metadata.get("rubocop_version").is_some()),
    is_strict: false,
    standing: Standing::Certain,
};

fn offense(record: &Record<'_>) -> Told {
    if is_true(&record.value, "corrected") {
        return Told::Nothing;
    }
    uncorrected(record).into()
}

fn uncorrected(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = named(value, "cop_name")?;
    let message = said(value, "message")?;
    // With `--extra-details` and the like the cop's name stands before the message, too.
    let message = message.strip_prefix(code.as_str()).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
    let mut found = finding("rubocop", level(said(value, "severity")?)?, message);
    found.file = record.around("path").and_then(Value::as_str).map(|path| claim::name(&crate::text::path(path)));
    if let Some(location) = value.get("location") {
        found.line = position(location, "start_line").or_else(|| position(location, "line"));
        found.column = position(location, "start_column").or_else(|| position(location, "column"));
        found.end_line = position(location, "last_line");
        // The last column is that of the last character.
        found.end_column = position(location, "last_column").and_then(|column| column.checked_add(1));
    }
    found.fixable = is_true(value, "correctable");
    found.code = Some(code);
    Some(found)
}

/// standardrb, which prints RuboCop's offenses in a list of its own.
pub(crate) const STANDARDRB: Tool = Tool {
    name: "standardrb",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["standard: Use Ruby Standard Style", ".rb:"],
        reader: |is_hinted| Box::new(text::Standardrb::new(is_hinted)),
    }],
    documents: &[],
    settle: claim::gravest,
};
