//! buf: `shop/v1/order.proto:31:10:Field name "fullName" should be lower_snake_case, such as "full_name".`, without a space behind
//! the column; JSON, one object a line; `msvs` (`order.proto(31,10) : error FIELD_LOWER_SNAKE_CASE : …`).

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Standing, name};
use crate::shapes::json_findings::{JsonLines, finding};
use crate::shapes::members::{file, position, words};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The linter of protocol buffers.
pub(crate) const TOOL: Tool = Tool {
    name: "buf",
    aliases: &["buf-lint", "buf-breaking"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &[".proto:"], reader: |_| TEXT.reader() },
        LineFormat { wakes: &[".proto("], reader: |_| MSVS.reader() },
        LineFormat { wakes: &["\"start_line\":"], reader: |_| JSON.reader() },
    ],
    documents: &[],
    settle: claim::gravest,
};

static LINE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+):(?<message>[^\s:].*)$"));

static TEXT: OneLine = OneLine {
    tool: "buf",
    format: "text",
    rule: "buf/text",
    pattern: &LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};

static OF_MSVS: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.proto)\((?<line>\d+),(?<column>\d+)\) : error (?<code>[A-Z][A-Z0-9_]+) : (?<message>.+)$",
    )
});

static MSVS: OneLine = OneLine { format: "msvs", rule: "buf/msvs", pattern: &OF_MSVS, level: Level::Error, ..TEXT };

static JSON: JsonLines = JsonLines {
    format: "json",
    rule: "buf/json",
    keys: &["\"start_line\":"],
    record: |record| of_object(&record.value).into(),
};

/// Makes a finding of an object of the JSON format.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let code = words(value, "type")?;
    let mut found = finding("buf", Level::Error, words(value, "message")?);
    found.file = Some(file(value, "path")?);
    found.code = Some(name(code));
    found.line = position(value, "start_line");
    found.column = position(value, "start_column");
    found.end_line = position(value, "end_line");
    found.end_column = position(value, "end_column");
    Some(found)
}
