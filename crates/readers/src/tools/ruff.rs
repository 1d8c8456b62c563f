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
use referee_model::reading::{Diagnostic, Level};
use serde_json::Value;

use crate::claim::{self, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::pattern;
use crate::reported::{self, Reported, ReportedLines, finding};
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

static JSON: Reported = Reported {
    tool: "ruff",
    format: "json",
    rule: "ruff/json",
    paths: &[&[ANY]],
    finding: |record| of_object(&record.value),
    is_own: |_| false,
};

static JSON_LINES: ReportedLines = ReportedLines {
    tool: "ruff",
    format: "json-lines",
    rule: "ruff/json-lines",
    keys: &["\"noqa_row\"", "\"filename\"", "\"location\""],
    finding: of_object,
};

/// Makes a finding of an object: `{"code": "F401", "filename": …, "location": {"row": 1, "column": 8}, "message": …}`.
/// The code of a syntax error was null before version 0.12.
fn of_object(value: &Value) -> Option<Diagnostic> {
    value.get("noqa_row")?;
    value.get("filename")?;
    let level = reported::text(value, "severity").and_then(pattern::level).unwrap_or(Level::Error);
    let mut found = finding(level, reported::text(value, "message")?);
    found.file = reported::file(value, "filename");
    found.line = reported::position(value, "/location/row", 1);
    found.column = reported::position(value, "/location/column", 1);
    found.end_line = reported::position(value, "/end_location/row", 1);
    found.end_column = reported::position(value, "/end_location/column", 1);
    found.code = reported::text(value, "code").map(name);
    let fix = value.get("fix").filter(|fix| !fix.is_null());
    // Other fixes ruff makes only when it is told so.
    found.fixable = fix.and_then(|fix| fix.get("applicability")).and_then(Value::as_str).is_some_and(is_made_unasked);
    found.suggestion = fix.and_then(|fix| fix.get("message")).and_then(Value::as_str).map(str::to_owned);
    Some(found)
}

fn is_made_unasked(applicability: &str) -> bool {
    matches!(applicability, "safe" | "automatic" | "Always" | "always")
}
