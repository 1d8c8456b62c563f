//! The compilers of IAR: `C:\dev\daqtask.c(43) : Warning[Pe177]: variable "x" was declared but never referenced` or, since
//! version 6, `"C:\dev\daqtask.c",43  Warning[Pe177]: …`.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "iar",
    aliases: &["iccarm", "iarbuild"],
    role: Role::Compile,
    lines: &[LineFormat { prefilter: &["Warning[", "Error[", "Remark["], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "iar",
        "text",
        [finding(
            r#"^ *(?:"(?<file2>[^"]+)",(?<line>\d+) +|(?<file>\S[^"()]*)\((?<line2>\d+)(?:,(?<column>\d+))?\) : )?(?<level>Fatal Error|Internal Error|Error|Warning|Remark)\[(?<code>[A-Z][A-Za-z]{0,2}\d{1,5})\]: ?(?<message>.*)$"#,
        )],
    )
});
