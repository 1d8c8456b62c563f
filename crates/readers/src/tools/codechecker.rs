//! CodeChecker: `[LOW] /src/a.cpp:17:8: class 'A' defines a default destructor … [cppcoreguidelines-special-member-functions]`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "codechecker",
    aliases: &["CodeChecker"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &["[LOW] ", "[MEDIUM] ", "[HIGH] ", "[CRITICAL] ", "[STYLE] ", "[UNSPECIFIED] "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "codechecker",
        "text",
        [finding(
            r"^\[(?<level>CRITICAL|HIGH|MEDIUM|LOW|STYLE|UNSPECIFIED)\] (?<file>\S[^:]*):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<code>[\w.,-]+)\]$",
        )
        .levels(&[("HIGH", Level::Error), ("UNSPECIFIED", Level::Info)])],
    )
    .level(Level::Warning)
});
