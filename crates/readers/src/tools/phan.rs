//! Phan: its text, `src/a.php:12 PhanUndeclaredVariable Variable $x is undeclared`, and its JSON.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, said};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Phan.
pub(crate) const TOOL: Tool = Tool {
    name: "phan",
    aliases: &["phan-json"],
    role: Role::Typecheck,
    lines: &[LineFormat { wakes: &[" Phan"], reader: |_| TEXT.reader() }],
    documents: &[
        DocumentFormat {
            opening: Opening { compact: &["[{\"type\":\"issue\","], keys: &["\"type\":"], empty: Some("[]") },
            reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
        },
        DocumentFormat {
            opening: Opening {
                compact: &["{\"status\":\"ok\",\"issue_count\":"],
                keys: &["\"status\":", "\"issues\":"],
                empty: None,
            },
            reader: |stream, is_hinted| WRAPPED.reader(stream, is_hinted),
        },
    ],
    settle: claim::gravest,
};

static TEXT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))? (?<code>Phan\w+) (?<message>.*)$")
});

static TEXT: OneLine = OneLine {
    tool: "phan",
    format: "text",
    rule: "phan/text",
    pattern: &TEXT_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, _| {
        // What the parser cannot read is an error; of all else the text does not say how bad it is.
        if found.code.as_deref() == Some("PhanSyntaxError") {
            found.level = Level::Error;
        }
        true
    },
};

/// `[{"type":"issue","check_name":"PhanSyntaxError","description":"Syntax PhanSyntaxError …","severity":10,"location":{…}}]`.
const LIST: JsonFindings = JsonFindings {
    format: "json",
    rule: "phan/json",
    paths: &[&[ANY]],
    record: |record| issue(record).into(),
    is_own: |members| members.contains_key("issue_count"),
    is_strict: false,
    standing: Standing::Certain,
};

static JSON: JsonFindings = LIST;

/// The same list under `issues`.
static WRAPPED: JsonFindings = JsonFindings { paths: &[&["issues", ANY]], ..LIST };

fn issue(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = named(value, "check_name").filter(|code| code.starts_with("Phan") || value.get("type_id").is_some())?;
    let level = match value.get("severity").and_then(Value::as_u64)? {
        0..5 => Level::Info,
        5..10 => Level::Warning,
        _ => Level::Error,
    };
    let description = said(value, "description")?;
    // The category and the name stand before the message.
    let message = description.split_once(&format!("{code} ")).map_or(description, |(_, message)| message);
    let mut found = finding("phan", level, message);
    if let Some(location) = value.get("location") {
        found.file = file(location, "path");
        if let Some(lines) = location.get("lines") {
            found.line = position(lines, "begin");
            found.column = position(lines, "begin_column");
            found.end_line = position(lines, "end");
        }
    }
    found.suggestion = named(value, "suggestion");
    found.code = Some(code);
    Some(found)
}
