//! Verilator: `%Warning-WIDTH: top.v:8:12: Operator ASSIGN expects 8 bits` and, at the end,
//! `%Error: Exiting due to 2 error(s)`.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "verilator",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &["%Error: ", "%Error-", "%Warning-", "%Warning: "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "verilator",
        "text",
        [finding(r"^%(?<level>Error|Warning)(?:-(?<code>[A-Z][A-Z0-9_]*))?: (?:(?<file>[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? )?(?<message>\S.*)$").check(
            |made, _| !["Exiting due to ", "Command Failed"].iter().any(|start| made.message.starts_with(start)),
        )],
    )
});
