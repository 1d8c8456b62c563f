//! Lua and its compiler: `lua: a.lua:3: attempt to index a nil value (local 'x')`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Lua.
pub(crate) const TOOL: Tool = Tool {
    name: "lua",
    aliases: &["luac", "luajit", "texlua"],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &["lua: ", "luac: ", "luajit: ", "lua5.", "luac5.", "texlua: "],
        reader: |_| FORMAT.reader(),
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\S*/)?(?:lua|luac|luajit|texlua)(?:-?\d[\w.-]*)?(?:\.exe)?: (?<file>[^\s:][^:]*):(?<line>\d+): (?<message>\S.*)$",
    )
});

static FORMAT: OneLine = OneLine {
    tool: "lua",
    format: "text",
    rule: "lua/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};
