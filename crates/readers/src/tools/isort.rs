//! isort: which files it would write anew.
//!
//! ```text
//! ERROR: /project/app.py Imports are incorrectly sorted and/or formatted.
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Standing};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// isort.
pub(crate) const TOOL: Tool = Tool {
    name: "isort",
    aliases: &[],
    role: Role::Format,
    lines: &[LineFormat { wakes: &["Imports are incorrectly sorted"], reader: |_| CHECK.reader() }],
    documents: &[],
    settle: claim::together,
};

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<level>ERROR): (?<file>\S.*?) (?<message>Imports are incorrectly sorted(?: and/or formatted)?\.)$",
    )
});

static CHECK: OneLine = OneLine {
    tool: "isort",
    format: "check",
    rule: "isort/check",
    pattern: &LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, _| {
        found.fixable = true;
        true
    },
};
