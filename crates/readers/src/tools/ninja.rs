//! Ninja: what it says itself, `ninja: error: 'a.c', needed by 'a.o', missing and no known rule to make it`. What its
//! commands print is read by the tools that print it.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "ninja",
    aliases: &["samu"],
    role: Role::Compile,
    lines: &[LineFormat {
        prefilter: &["ninja: error: ", "ninja: fatal: ", "ninja: warning: ", "samu: "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "ninja",
        "text",
        [finding(r"^(?:\S*/)?(?:ninja|samu): (?:(?<level>error|fatal|warning): )(?:(?<file>[^\s:]+):(?<line>\d+): )?(?<message>\S.*)$")
            .check(|made, _| !made.message.starts_with("build stopped"))],
    )
});
