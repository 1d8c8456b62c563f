//! ktlint's plain report: `/src/App.kt:3:1: Unexpected blank line(s) (standard:no-consecutive-blank-lines)`. Whatever it reports
//! fails its run.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "ktlint",
    aliases: &[],
    role: Role::Format,
    lines: &[LineFormat { prefilter: &[".kt:", ".kts:"], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "ktlint",
        "text",
        [finding(r"^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<message>.*?)(?: \(cannot be auto-corrected\))? \((?<code>[a-z][\w-]*(?::[a-z][\w-]*)?)\)$")
        // The compiler prints a level there.
        .check(|made, _| !["error: ", "warning: "].iter().any(|level| made.message.starts_with(level)))],
    )
});
