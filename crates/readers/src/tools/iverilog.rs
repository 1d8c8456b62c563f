//! Icarus Verilog: `top.v:8: error: malformed statement` and, without a severity, `top.v:7: syntax error`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Icarus Verilog.
pub(crate) const TOOL: Tool = Tool {
    name: "iverilog",
    aliases: &["vvp"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: &[".v:", ".sv:", ".vh:", ".svh:"], reader: |_| FORMAT.reader() }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>[^\s:][^:]*\.(?:v|sv|vh|svh|vl)):(?<line>\d+): (?:(?<level>error|warning|sorry): )?(?<message>\S.*)$",
    )
});

static FORMAT: OneLine = OneLine {
    tool: "iverilog",
    format: "text",
    rule: "iverilog/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Likely,
    complete: |found, captures| {
        let is_continued = found.message.starts_with(": ");
        !is_continued && (captures.name("level").is_some() || found.message.starts_with("syntax error"))
    },
};
