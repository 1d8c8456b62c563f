//! detekt's console report: `/src/App.kt:5:9: This expression contains a magic number. [MagicNumber]`. It has
//! no levels.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("detekt", &[], Role::Lint).lines(&[LineFormat::rows(&[".kt:", ".kts:"], &TEXT)]);

static TEXT: Rows = Rows::new("detekt", "text").level(Level::Warning).rows(&[
    // The compiler prints a level before the message.
    finding(r"^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \[(?<code>[A-Z]\w+)\]$")
        .check(|made, _| !["error: ", "warning: "].iter().any(|level| made.message.starts_with(level))),
]);
