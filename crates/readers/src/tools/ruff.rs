//! ruff: `ruff check` in its formats `concise`, `full`, `grouped`, `pylint`, `json` and `json-lines`, and
//! `ruff format` with `--check` or `--diff`.
//!
//! ```text
//! app.py:1:8: F401 [*] `os` imported but unused
//! Found 1 error.
//! [*] 1 fixable with the `--fix` option.
//! ```

mod lines;

use referee_model::reading::{EditPlace, FixEdit};

use crate::candidate::edits;
use crate::prelude::*;
use crate::shapes::members::position;
use crate::shapes::python::names_test;

pub(crate) static TOOL: Tool = Tool::new("ruff", &["ruff-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(
            &[
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
            &lines::TEXT,
        )
        .unless(names_test),
        LineFormat::new(&["\"noqa_row\""], |_| JSON_LINES.reader()),
    ])
    .documents(&[
        DocumentFormat::json(&["[{\"cell\":", "[{\"code\":"], &["\"cell\":", "\"code\":"], &JSON).or_empty("[]")
    ])
    .merge(candidate::together);

static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

static JSON_LINES: JsonLines = JsonLines::of("json-lines", &["\"noqa_row\"", "\"filename\"", "\"location\""], &MEMBERS);

/// `{"code": "F401", "filename": …, "location": {"row": 1, "column": 8}, "message": …}`. The code of a syntax
/// error was null before version 0.12.
const MEMBERS: Members = Members {
    tool: "ruff",
    file: "filename",
    line: "location/row",
    column: "location/column",
    end_line: "end_location/row",
    end_column: "end_location/column",
    code: "code",
    suggestion: "fix/message",
    level: "severity",
    check: |made, record| {
        let value = &record.value;
        // ruff applies other fixes only on request.
        made.fixable = said(value, "fix/applicability").is_some_and(is_made_unasked);
        let proposed = value.get("fix").and_then(|fix| fix.get("edits")?.as_array());
        made.edits = edits(proposed.and_then(|proposed| proposed.iter().map(edit).collect()));
        value.get("noqa_row").is_some() && value.get("filename").is_some()
    },
    ..Members::MESSAGE
};

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
