//! Wind River's Diab compiler: `"lint.c", line 7: warning (dcc:1521): missing return expression`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The Diab compiler.
pub(crate) const TOOL: Tool = Tool {
    name: "diabc",
    aliases: &["dcc", "diab"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: &["(dcc:", "(etoa:", "(dplus:"], reader: |_| FORMAT.reader() }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^"(?<file>[^"]+)", line (?<line>\d+)(?:, pos \d+)?: (?<level>info|warning|error|fatal error) \((?:dcc|etoa|dplus|das|dld):(?<code>\d+)\): (?<message>\S.*)$"#,
    )
});

static FORMAT: OneLine = OneLine {
    tool: "diabc",
    format: "text",
    rule: "diabc/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};
