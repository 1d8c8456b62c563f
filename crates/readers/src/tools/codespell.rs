//! codespell: one finding a line.
//!
//! ```text
//! README.md:12: teh ==> the
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Standing};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// codespell.
pub(crate) const TOOL: Tool = Tool {
    name: "codespell",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[" ==> "], reader: |_| TEXT.reader() }],
    documents: &[],
    settle: claim::together,
};

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:WARNING: )?(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): (?<message>(?<wrong>\S+(?: \S+){0,3}) ==> (?<right>\S.*))$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "codespell",
    format: "text",
    rule: "codespell/text",
    pattern: &LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, captures| {
        // Several words, or one with a reason, are for a person to choose.
        let right = &captures["right"];
        found.suggestion = Some(right.to_owned());
        found.fixable = !right.contains([',', '|']);
        true
    },
};
