//! Microsoft's compiler and linker: `a.c(3): error C2065: 'x': undeclared identifier` and
//! `main.obj : error LNK2019: unresolved external symbol x referenced in function main`.
//!
//! What MSBuild prints of them, with the project in brackets behind it, is MSBuild's.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "msvc",
    aliases: &["cl", "link.exe"],
    role: Role::Compile,
    lines: &[LineFormat {
        prefilter: &["error C", "warning C", "error LNK", "warning LNK", "error D", "warning D"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "msvc",
        "text",
        [finding(r"^ *(?:\[exec\] )?(?:\d+>)?(?:(?:cl|LINK|link) |(?<file>[^\s()\[>][^()>]*?)(?:\((?<line>\d+)(?:,(?<column>\d+))?\) ?| ))?: (?:Command line )?(?<level>fatal error|error|warning) (?<code>(?:C|D|LNK)\d{4}) ?: (?<message>\S.*)$")
            .check(|made, _| !made.message.ends_with("proj]"))],
    )
});
