//! Verilator: `%Warning-WIDTH: top.v:8:12: Operator ASSIGN expects 8 bits` and, at the end,
//! `%Error: Exiting due to 2 error(s)`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("verilator", &[], Role::Lint)
    .lines(&[LineFormat::rows(&["%Error: ", "%Error-", "%Warning-", "%Warning: "], &TEXT)]);

static TEXT: Rows = Rows::new("verilator", "text").rows(&[finding(r"^%(?<level>Error|Warning)(?:-(?<code>[A-Z][A-Z0-9_]*))?: (?:(?<file>[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? )?(?<message>\S.*)$").check(
        |made, _| !["Exiting due to ", "Command Failed"].iter().any(|start| made.message.starts_with(start)),
    )]);
