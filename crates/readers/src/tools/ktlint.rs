//! ktlint's plain report: `/src/App.kt:3:1: Unexpected blank line(s) (standard:no-consecutive-blank-lines)`. Whatever it reports
//! fails its run.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim;
use crate::claim::Standing;
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// ktlint.
pub(crate) const TOOL: Tool = Tool {
    name: "ktlint",
    aliases: &[],
    role: Role::Format,
    lines: &[LineFormat { wakes: &[".kt:", ".kts:"], reader: |_| TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<message>.*?)(?<manual> \(cannot be auto-corrected\))? \((?<code>[a-z][\w-]*(?::[a-z][\w-]*)?)\)$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "ktlint",
    format: "text",
    rule: "ktlint/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, _| !["error: ", "warning: "].iter().any(|level| found.message.starts_with(level)),
};
