//! Ninja: its own messages, `ninja: error: 'a.c', needed by 'a.o', missing and no known rule to make it`.
//! Output of its commands is read by the readers of the tools that print it.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("ninja", &["samu"], Role::Compile)
    .lines(&[LineFormat::rows(&["ninja: error: ", "ninja: fatal: ", "ninja: warning: ", "samu: "], &TEXT)]);

static TEXT: Rows = Rows::new("ninja", "text").rows(&[finding(r"^(?:\S*/)?(?:ninja|samu): (?:(?<level>error|fatal|warning): )(?:(?<file>[^\s:]+):(?<line>\d+): )?(?<message>\S.*)$")
        .check(|made, _| !made.message.starts_with("build stopped"))]);
