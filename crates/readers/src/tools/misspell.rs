//! misspell: `docs/a.md:3:10: "recieve" is a misspelling of "receive"`, which golint prints too.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Standing, name};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The spell checker.
pub(crate) const TOOL: Tool = Tool {
    name: "misspell",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &["\" is a misspelling of \""], reader: |_| TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>"[^"]+" is a misspelling of "(?<right>[^"]+)")$"#,
    )
});

static TEXT: OneLine = OneLine {
    tool: "misspell",
    format: "text",
    rule: "misspell/text",
    pattern: &LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, captures| {
        found.suggestion = captures.name("right").map(|right| name(right.as_str()));
        found.fixable = true;
        true
    },
};
