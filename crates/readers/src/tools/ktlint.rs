//! ktlint's plain report: `/src/App.kt:3:1: Unexpected blank line(s) (standard:no-consecutive-blank-lines)`.
//! Every finding fails the run.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("ktlint", &[], Role::Format).lines(&[LineFormat::rows(&[".kt:", ".kts:"], &TEXT)]);

static TEXT: Rows = Rows::new("ktlint", "text").rows(&[finding(r"^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<message>.*?)(?: \(cannot be auto-corrected\))? \((?<code>[a-z][\w-]*(?::[a-z][\w-]*)?)\)$")
    // The Kotlin compiler prints a level in this position.
    .check(|made, _| !["error: ", "warning: "].iter().any(|level| made.message.starts_with(level)))]);
