//! buf: `shop/v1/order.proto:31:10:Field name "fullName" should be lower_snake_case, such as "full_name".`, without a space behind
//! the column; JSON, one object a line; `msvs` (`order.proto(31,10) : error FIELD_LOWER_SNAKE_CASE : …`).

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, diagnostic, name};
use crate::pattern::OneLine;
use crate::recorded::{file, position, words};
use crate::scan::Line;
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
        LineFormat { wakes: &["\"start_line\":"], reader: |_| Box::new(Json::default()) },
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
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, _| {
        if found.message.starts_with("syntax error") {
            found.level = Level::Error;
        }
        true
    },
};

static OF_MSVS: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.proto)\((?<line>\d+),(?<column>\d+)\) : error (?<code>[A-Z][A-Z0-9_]+) : (?<message>.+)$",
    )
});

static MSVS: OneLine = OneLine { format: "msvs", rule: "buf/msvs", pattern: &OF_MSVS, level: Level::Error, ..TEXT };

/// Reads the JSON format.
#[derive(Default)]
struct Json {
    findings: Findings,
}

impl LineReader for Json {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim();
        if !text.starts_with('{') || !text.contains("\"start_line\":") {
            return Use::None;
        }
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return Use::None;
        };
        let (Some(code), Some(message), Some(path)) =
            (words(&value, &["type"]), words(&value, &["message"]), file(&value, &["path"]))
        else {
            return Use::None;
        };
        let level = if code == "COMPILE" { Level::Error } else { Level::Warning };
        let mut found = diagnostic("buf", "buf/json", line, level, message);
        (found.file, found.code) = (Some(path), Some(name(code)));
        found.line = position(&value, &["start_line"]);
        found.column = position(&value, &["start_column"]);
        found.end_line = position(&value, &["end_line"]);
        found.end_column = position(&value, &["end_column"]);
        self.findings.add(found);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "json", findings: self.findings, ..Claim::default() })
    }
}
