//! CodeChecker:
//! `[LOW] /src/a.cpp:17:8: class 'A' defines a default destructor … [cppcoreguidelines-special-member-functions]`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("codechecker", &["CodeChecker"], Role::Lint).lines(&[LineFormat::rows(
    &["[LOW] ", "[MEDIUM] ", "[HIGH] ", "[CRITICAL] ", "[STYLE] ", "[UNSPECIFIED] "],
    &TEXT,
)]);

static TEXT: Rows = Rows::new("codechecker", "text").level(Level::Warning).rows(&[finding(
        r"^\[(?<level>CRITICAL|HIGH|MEDIUM|LOW|STYLE|UNSPECIFIED)\] (?<file>\S[^:]*):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<code>[\w.,-]+)\]$",
    )
    .levels(&[("HIGH", Level::Error), ("UNSPECIFIED", Level::Info)])]);
