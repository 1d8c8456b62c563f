//! Microsoft's compiler and linker: `a.c(3): error C2065: 'x': undeclared identifier` and
//! `main.obj : error LNK2019: unresolved external symbol x referenced in function main`.
//! Findings printed by MSBuild, with the project in brackets at the end, are read as MSBuild's.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("msvc", &["cl", "link.exe"], Role::Compile)
    .lines(&[LineFormat::rows(&["error C", "warning C", "error LNK", "warning LNK", "error D", "warning D"], &TEXT)]);

static TEXT: Rows = Rows::new("msvc", "text").rows(&[finding(r"^ *(?:\[exec\] )?(?:\d+>)?(?:(?:cl|LINK|link) |(?<file>[^\s()\[>][^()>]*?)(?:\((?<line>\d+)(?:,(?<column>\d+))?\) ?| ))?: (?:Command line )?(?<level>fatal error|error|warning) (?<code>(?:C|D|LNK)\d{4}) ?: (?<message>\S.*)$")
        .check(|made, _| !made.message.ends_with("proj]"))]);
