//! The IAR compilers: `C:\dev\daqtask.c(43) : Warning[Pe177]: variable "x" was declared but never referenced`
//! or, since version 6, `"C:\dev\daqtask.c",43  Warning[Pe177]: …`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("iar", &["iccarm", "iarbuild"], Role::Compile)
    .lines(&[LineFormat::rows(&["Warning[", "Error[", "Remark["], &TEXT)]);

static TEXT: Rows = Rows::new("iar", "text").rows(&[finding(
        r#"^ *(?:"(?<file2>[^"]+)",(?<line>\d+) +|(?<file>\S[^"()]*)\((?<line2>\d+)(?:,(?<column>\d+))?\) : )?(?<level>Fatal Error|Internal Error|Error|Warning|Remark)\[(?<code>[A-Z][A-Za-z]{0,2}\d{1,5})\]: ?(?<message>.*)$"#,
    )]);
