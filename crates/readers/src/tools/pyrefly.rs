//! pyrefly: `full-text`, with a frame, `min-text` and `json`.
//!
//! ```text
//! ERROR Cannot find module `x` [missing-import]
//!  --> app.py:4:8
//! ERROR app.py:4:8-28: Cannot find module `x` [missing-import]
//!  INFO 2 errors
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::framed::{Closing, Framed};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, words};
use crate::shapes::pattern;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// pyrefly.
pub(crate) const TOOL: Tool = Tool {
    name: "pyrefly",
    aliases: &["pyrefly-json"],
    role: Role::Typecheck,
    lines: &[LineFormat {
        wakes: &["ERROR ", " WARN ", "WARN ", " INFO "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"errors\":[{\"line\":"], keys: &["\"errors\":"], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

static TEXT: Framed = Framed { tool: "pyrefly", rule: "pyrefly/text", head: &HEAD, short: &SHORT, mark: " [", closing };

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "pyrefly/json",
    paths: &[&["errors", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

static HEAD: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ ?(?<level>ERROR|WARN|INFO) (?<message>\S.*?) \[(?<code>[a-z][a-z0-9-]*)\]$"));

/// The end is printed behind the beginning: a column, or a line and a column.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ ?(?<level>ERROR|WARN|INFO) (?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+)(?:-(?:(?<end_line>\d+):)?(?<end_column>\d+))?: (?<message>\S.*?) \[(?<code>[a-z][a-z0-9-]*)\]$",
    )
});

static ERRORS: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ ?INFO (?:errors shown: )?(?<errors>\d+)(?: errors?)?(?:[ ,(].*)?$"));

fn closing(line: &str) -> Option<Closing> {
    if !line.trim_start().starts_with("INFO ") {
        let is_own = line.starts_with("No `pyrefly.toml` found") || line.starts_with("Run `pyrefly init`");
        return is_own.then_some(Closing::Line);
    }
    let captures = ERRORS.captures(line)?;
    line.contains("error").then(|| text::count(&captures["errors"]).map(Closing::Errors))?
}

/// Makes a finding of an object: `{"line": 4, "column": 8, "stop_line": 4, "stop_column": 28, "path": …, "name":
/// "missing-import", "description": …, "concise_description": …, "severity": "error"}`.
fn of_object(value: &Value) -> Option<Diagnostic> {
    value.get("stop_line")?;
    let level = words(value, "severity").and_then(pattern::level).unwrap_or(Level::Error);
    let message = words(value, "description").or_else(|| words(value, "concise_description"))?;
    let mut found = finding("pyrefly", level, message);
    found.file = file(value, "path");
    found.line = position(value, "line");
    found.column = position(value, "column");
    found.end_line = position(value, "stop_line");
    found.end_column = position(value, "stop_column");
    found.code = named(value, "name");
    Some(found)
}
