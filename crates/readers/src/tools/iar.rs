//! The compilers of IAR: `C:\dev\daqtask.c(43) : Warning[Pe177]: variable "x" was declared but never referenced` or, since
//! version 6, `"C:\dev\daqtask.c",43  Warning[Pe177]: …`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest, name};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The compilers of IAR.
pub(crate) const TOOL: Tool = Tool {
    name: "iar",
    aliases: &["iccarm", "iarbuild"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: &["Warning[", "Error[", "Remark["], reader: |_| FORMAT.reader() }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^ *(?:"(?<quoted>[^"]+)",(?<line>\d+) +|(?<file>\S[^"()]*)\((?<line2>\d+)(?:,(?<column>\d+))?\) : )?(?<grade>Fatal Error|Internal Error|Error|Warning|Remark)\[(?<code>[A-Z][A-Za-z]{0,2}\d{1,5})\]: ?(?<message>.*)$"#,
    )
});

static FORMAT: OneLine = OneLine {
    tool: "iar",
    format: "text",
    rule: "iar/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, captures| {
        if let Some(quoted) = captures.name("quoted") {
            found.file = Some(name(&text::path(quoted.as_str())));
        }
        if let Some(line) = captures.name("line2") {
            found.line = text::position(line.as_str());
            found.column = captures.name("column").and_then(|column| text::position(column.as_str()));
        }
        found.level = match &captures["grade"] {
            "Warning" => Level::Warning,
            "Remark" => Level::Info,
            _ => Level::Error,
        };
        true
    },
};
