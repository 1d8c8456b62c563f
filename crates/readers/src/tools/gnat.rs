//! GNAT, the Ada compiler: `a.adb:63:14: warning: variable "E" is not referenced [-gnatwu]`, `a.adb:96:80: (style) this
//! line is too long` and, of an error, also no severity at all.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "gnat",
    aliases: &["gnatmake", "gprbuild"],
    role: Role::Compile,
    lines: &[LineFormat { prefilter: &[".adb:", ".ads:", ".ada:"], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "gnat",
        "text",
        [finding(
            r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:adb|ads|ada)):(?<line>\d+):(?<column>\d+): (?:(?<level>error|warning|info|note): |(?<level2>\(style\)) )?(?<message>\S.*?)(?: \[(?<code>-gnat\w+)\])?$",
        )
        .levels(&[("(style)", Level::Info)])],
    )
});
