//! protolint: `[api/order.proto:7:3] Found an incorrect indentation style`, and JSON:
//! `{"lints":[{"filename":"api/order.proto","line":7,"column":3,"message":"…","rule":"INDENT"}]}`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, words};
use crate::shapes::pattern::{self, OneLine};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The linter of protocol buffers.
pub(crate) const TOOL: Tool = Tool {
    name: "protolint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[".proto:"], reader: |_| TEXT.reader() }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"lints\":", "{\"basedir\":"],
            keys: &["\"lints\":", "\"basedir\":"],
            empty: None,
        },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

static LINE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\[(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+)\] (?<message>\S.*)$"));

static TEXT: OneLine = OneLine {
    tool: "protolint",
    format: "text",
    rule: "protolint/text",
    pattern: &LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "protolint/json",
    paths: &[&["lints", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| true,
    is_strict: false,
    standing: Standing::Certain,
};

/// Makes a finding of a record of the JSON format.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let message = words(value, "message")?;
    let level = words(value, "severity").and_then(pattern::level).unwrap_or(Level::Warning);
    let mut found = finding("protolint", level, message);
    found.code = named(value, "rule");
    found.file = file(value, "filename");
    found.line = position(value, "line");
    found.column = position(value, "column");
    Some(found)
}
