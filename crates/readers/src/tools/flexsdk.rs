//! The compilers of the Flex SDK, mxmlc and compc: `/src/Tag.as(115): col: 35 Warning: return value has no type declaration.`

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "flexsdk",
    aliases: &["mxmlc", "compc"],
    role: Role::Compile,
    lines: &[LineFormat { prefilter: &[": col: ", ".mxml(", ".as("], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "flexsdk",
        "text",
        // Ant's task may stand before it.
        [finding(
            r"^\s*(?:\[\w+\] )?(?<file>\S.*?\.(?:as|mxml|css|fxg))(?:\((?<line>\d+)\))?: (?: ?col: (?<column>\d+):? )?(?<level>Warning|Error): (?<message>.*)$",
        )],
    )
});
