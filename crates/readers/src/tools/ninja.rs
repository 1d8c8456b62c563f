//! Ninja: what it says itself, `ninja: error: 'a.c', needed by 'a.o', missing and no known rule to make it`. What its
//! commands print is read by the tools that print it.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Ninja.
pub(crate) const TOOL: Tool = Tool {
    name: "ninja",
    aliases: &["samu"],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &["ninja: error: ", "ninja: fatal: ", "ninja: warning: ", "samu: "],
        reader: |_| FORMAT.reader(),
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\S*/)?(?:ninja|samu): (?:(?<level>error|fatal|warning): )(?:(?<file>[^\s:]+):(?<line>\d+): )?(?<message>\S.*)$",
    )
});

static FORMAT: OneLine = OneLine {
    tool: "ninja",
    format: "text",
    rule: "ninja/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, _| !found.message.starts_with("build stopped"),
};
