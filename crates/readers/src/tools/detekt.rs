//! detekt's console report: `/src/App.kt:5:9: This expression contains a magic number. [MagicNumber]`. It has
//! no levels.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("detekt", &[], Role::Lint).lines(&[LineFormat::rows(&[".kt:", ".kts:"], &TEXT)]);

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("detekt", "text").level(Level::Warning).rows([finding(
        r"^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \[(?<code>[A-Z]\w+)\]$",
    )
    // The compiler prints a level in this position.
    .check(|made, _| !["error: ", "warning: "].iter().any(|level| made.message.starts_with(level)))])
});
