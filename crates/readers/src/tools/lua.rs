//! Lua and its compiler: `lua: a.lua:3: attempt to index a nil value (local 'x')`.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "lua",
    aliases: &["luac", "luajit", "texlua"],
    role: Role::Compile,
    lines: &[LineFormat {
        prefilter: &["lua: ", "luac: ", "luajit: ", "lua5.", "luac5.", "texlua: "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "lua",
        "text",
        [finding(
            r"^(?:\S*/)?(?:lua|luac|luajit|texlua)(?:-?\d[\w.-]*)?(?:\.exe)?: (?<file>[^\s:][^:]*):(?<line>\d+): (?<message>\S.*)$",
        )],
    )
});
