//! Lua and its compiler: `lua: a.lua:3: attempt to index a nil value (local 'x')`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("lua", &["luac", "luajit", "texlua"], Role::Compile)
    .lines(&[LineFormat::rows(&["lua: ", "luac: ", "luajit: ", "lua5.", "luac5.", "texlua: "], &TEXT)]);

static TEXT: Rows = Rows::new("lua", "text").rows(&[finding(
        r"^(?:\S*/)?(?:lua|luac|luajit|texlua)(?:-?\d[\w.-]*)?(?:\.exe)?: (?<file>[^\s:][^:]*):(?<line>\d+): (?<message>\S.*)$",
    )]);
