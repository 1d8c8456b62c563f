//! Ninja: what it says itself, `ninja: error: 'a.c', needed by 'a.o', missing and no known rule to make it`. What its
//! commands print is read by the tools that print it.

use crate::prelude::*;

pub(crate) const TOOL: Tool = Tool::new("ninja", &["samu"], Role::Compile)
    .lines(&[LineFormat::new(&["ninja: error: ", "ninja: fatal: ", "ninja: warning: ", "samu: "], |is_hinted| {
        TEXT.reader(is_hinted)
    })]);

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("ninja", "text").rows([finding(r"^(?:\S*/)?(?:ninja|samu): (?:(?<level>error|fatal|warning): )(?:(?<file>[^\s:]+):(?<line>\d+): )?(?<message>\S.*)$")
            .check(|made, _| !made.message.starts_with("build stopped"))])
});
