//! ruff: `ruff check` in its formats `concise`, `full`, `grouped`, `pylint`, `json` and `json-lines`, and `ruff format` with
//! `--check` or `--diff`.
//!
//! ```text
//! app.py:1:8: F401 [*] `os` imported but unused
//! Found 1 error.
//! [*] 1 fixable with the `--fix` option.
//! ```

mod lines;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, EditPlace, FixEdit, Level};
use serde_json::Value;

use crate::claim::{self, Standing, edits};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, JsonLines, finding};
use crate::shapes::members::{file, named, position, words};
use crate::shapes::pattern;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// ruff.
pub(crate) const TOOL: Tool = Tool {
    name: "ruff",
    aliases: &["ruff-json"],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &[
                ".py:",
                ".pyi:",
                ".ipynb:",
                "Found 1 error",
                " errors.",
                "All checks passed!",
                "[*] ",
                "Would reformat: ",
                " would be reformatted",
                " already formatted",
                "invalid-syntax",
                " --> ",
                "unformatted: ",
            ],
            reader: |is_hinted| Box::new(lines::Ruff::new(is_hinted)),
        },
        LineFormat { wakes: &["\"noqa_row\""], reader: |_| JSON_LINES.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["[{\"cell\":", "[{\"code\":"],
            keys: &["\"cell\":", "\"code\":"],
            empty: Some("[]"),
        },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::together,
};

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "ruff/json",
    paths: &[&[ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

static JSON_LINES: JsonLines = JsonLines {
    format: "json-lines",
    rule: "ruff/json-lines",
    keys: &["\"noqa_row\"", "\"filename\"", "\"location\""],
    record: |record| of_object(&record.value).into(),
};

/// Makes a finding of an object: `{"code": "F401", "filename": …, "location": {"row": 1, "column": 8}, "message": …}`.
/// The code of a syntax error was null before version 0.12.
fn of_object(value: &Value) -> Option<Diagnostic> {
    value.get("noqa_row")?;
    value.get("filename")?;
    let level = words(value, "severity").and_then(pattern::level).unwrap_or(Level::Error);
    let mut found = finding("ruff", level, words(value, "message")?);
    found.file = file(value, "filename");
    found.line = position(value, "location/row");
    found.column = position(value, "location/column");
    found.end_line = position(value, "end_location/row");
    found.end_column = position(value, "end_location/column");
    found.code = named(value, "code");
    let fix = value.get("fix").filter(|fix| !fix.is_null());
    // Other fixes ruff makes only when it is told so.
    found.fixable = fix.and_then(|fix| fix.get("applicability")).and_then(Value::as_str).is_some_and(is_made_unasked);
    found.suggestion = fix.and_then(|fix| fix.get("message")).and_then(Value::as_str).map(str::to_owned);
    let proposed = fix.and_then(|fix| fix.get("edits")?.as_array());
    found.edits = edits(proposed.and_then(|proposed| proposed.iter().map(edit).collect()));
    Some(found)
}

/// An edit: `{"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}`.
fn edit(value: &Value) -> Option<FixEdit> {
    let place = EditPlace::Span {
        line: position(value, "location/row")?,
        column: position(value, "location/column")?,
        end_line: position(value, "end_location/row")?,
        end_column: position(value, "end_location/column")?,
    };
    Some(FixEdit { file: None, place, text: value.get("content")?.as_str()?.to_owned() })
}

fn is_made_unasked(applicability: &str) -> bool {
    matches!(applicability, "safe" | "automatic" | "Always" | "always")
}
