//! The compilers of the Flex SDK, mxmlc and compc:
//! `/src/Tag.as(115): col: 35 Warning: return value has no type declaration.`

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("flexsdk", &["mxmlc", "compc"], Role::Compile)
    .lines(&[LineFormat::rows(&[": col: ", ".mxml(", ".as("], &TEXT)]);

static TEXT: Rows = Rows::new("flexsdk", "text").rows(&[
    // Ant's task may stand before it.
    finding(r"^\s*(?:\[\w+\] )?(?<file>\S.*?\.(?:as|mxml|css|fxg))(?:\((?<line>\d+)\))?: (?: ?col: (?<column>\d+):? )?(?<level>Warning|Error): (?<message>.*)$"),
]);
