//! Verilator: `%Warning-WIDTH: top.v:8:12: Operator ASSIGN expects 8 bits` and, at the end,
//! `%Error: Exiting due to 2 error(s)`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Verilator.
pub(crate) const TOOL: Tool = Tool {
    name: "verilator",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &["%Error: ", "%Error-", "%Warning-", "%Warning: "], reader: |_| FORMAT.reader() }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^%(?<level>Error|Warning)(?:-(?<code>[A-Z][A-Z0-9_]*))?: (?:(?<file>[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? )?(?<message>\S.*)$",
    )
});

static FORMAT: OneLine = OneLine {
    tool: "verilator",
    format: "text",
    rule: "verilator/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, _| !found.message.starts_with("Exiting due to ") && !found.message.starts_with("Command Failed"),
};
