//! PHPMD: its text, `/project/a.php:5   CyclomaticComplexity   The method …`, and its JSON.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Standing, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{named, position, said};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// PHPMD.
pub(crate) const TOOL: Tool = Tool {
    name: "phpmd",
    aliases: &["phpmd-json"],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[".php:"], reader: |_| TEXT.reader() }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"version\":\"", "{\"files\":[{"],
            keys: &["\"version\":", "\"files\":"],
            empty: None,
        },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

static TEXT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.php):(?<line>\d+)(?:\t|\s{2,})(?<code>[A-Z][A-Za-z]+)(?:\t|\s{2,})(?<message>[A-Z].*)$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "phpmd",
    format: "text",
    rule: "phpmd/text",
    pattern: &TEXT_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `{"version":"2.10.0","files":[{"file":"a.php","violations":[{"beginLine":5,"rule":…,"priority":1,"description":…}]}]}`;
/// some write `name`, `beginline` and `message`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "phpmd/json",
    paths: &[&["files", ANY, "violations", ANY]],
    record: |record| violation(record).into(),
    is_own: |members| members.get("package").is_some_and(|package| package == "phpmd"),
    is_strict: false,
    standing: Standing::Certain,
};

fn violation(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    // Of five priorities 1 is the highest.
    let level = match value.get("priority").and_then(Value::as_u64)? {
        1 | 2 => Level::Error,
        5 => Level::Info,
        _ => Level::Warning,
    };
    value.get("ruleSet").or_else(|| value.get("ruleset"))?;
    let mut found = finding("phpmd", level, said(value, "description").or_else(|| said(value, "message"))?);
    found.code = named(value, "rule");
    let file = record.around("file").or_else(|| record.around("name")).and_then(Value::as_str);
    found.file = file.map(|file| name(&text::path(file)));
    found.line = position(value, "beginLine").or_else(|| position(value, "beginline"));
    found.end_line = position(value, "endLine").or_else(|| position(value, "endline"));
    Some(found)
}
