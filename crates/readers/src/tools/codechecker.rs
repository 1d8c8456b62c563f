//! CodeChecker: `[LOW] /src/a.cpp:17:8: class 'A' defines a default destructor … [cppcoreguidelines-special-member-functions]`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// CodeChecker.
pub(crate) const TOOL: Tool = Tool {
    name: "codechecker",
    aliases: &["CodeChecker"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["[LOW] ", "[MEDIUM] ", "[HIGH] ", "[CRITICAL] ", "[STYLE] ", "[UNSPECIFIED] "],
        reader: |_| FORMAT.reader(),
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\[(?<grade>CRITICAL|HIGH|MEDIUM|LOW|STYLE|UNSPECIFIED)\] (?<file>\S[^:]*):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<code>[\w.,-]+)\]$",
    )
});

static FORMAT: OneLine = OneLine {
    tool: "codechecker",
    format: "text",
    rule: "codechecker/text",
    pattern: &FINDING,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, captures| {
        found.level = match &captures["grade"] {
            "CRITICAL" | "HIGH" => Level::Error,
            "STYLE" | "UNSPECIFIED" => Level::Info,
            _ => Level::Warning,
        };
        true
    },
};
