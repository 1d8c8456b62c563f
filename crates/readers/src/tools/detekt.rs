//! detekt's report on the console: `/src/App.kt:5:9: This expression contains a magic number. [MagicNumber]`. It tells no levels.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "detekt",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[".kt:", ".kts:"], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "detekt",
        "text",
        [finding(r"^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \[(?<code>[A-Z]\w+)\]$")
            // The compiler prints a level there.
            .check(|made, _| !["error: ", "warning: "].iter().any(|level| made.message.starts_with(level)))],
    )
    .level(Level::Warning)
});
