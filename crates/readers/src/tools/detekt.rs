//! detekt's report on the console: `/src/App.kt:5:9: This expression contains a magic number. [MagicNumber]`. It tells no levels.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim;
use crate::claim::Standing;
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// detekt.
pub(crate) const TOOL: Tool = Tool {
    name: "detekt",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[".kt:", ".kts:"], reader: |_| TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \[(?<code>[A-Z]\w+)\]$")
});

static TEXT: OneLine = OneLine {
    tool: "detekt",
    format: "text",
    rule: "detekt/text",
    pattern: &FINDING,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, _| !["error: ", "warning: "].iter().any(|level| found.message.starts_with(level)),
};
