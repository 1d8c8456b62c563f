//! The compilers of the Flex SDK, mxmlc and compc: `/src/Tag.as(115): col: 35 Warning: return value has no type declaration.`

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim;
use crate::claim::Standing;
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The SDK.
pub(crate) const TOOL: Tool = Tool {
    name: "flexsdk",
    aliases: &["mxmlc", "compc"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: &[": col: ", ".mxml(", ".as("], reader: |_| TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

/// A finding, behind the task of Ant that may stand before it.
static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\s*(?:\[\w+\] )?(?<file>\S.*?\.(?:as|mxml|css|fxg))(?:\((?<line>\d+)\))?: (?: ?col: (?<column>\d+):? )?(?<level>Warning|Error): (?<message>.*)$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "flexsdk",
    format: "text",
    rule: "flexsdk/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};
