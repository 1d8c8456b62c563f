//! GNAT, the Ada compiler: `a.adb:63:14: warning: variable "E" is not referenced [-gnatwu]`,
//! `a.adb:96:80: (style) this line is too long`. An error may also have no severity.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("gnat", &["gnatmake", "gprbuild"], Role::Compile)
    .lines(&[LineFormat::rows(&[".adb:", ".ads:", ".ada:"], &TEXT)]);

static TEXT: Rows = Rows::new("gnat", "text").rows(&[finding(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:adb|ads|ada)):(?<line>\d+):(?<column>\d+): (?:(?<level>error|warning|info|note): |(?<level2>\(style\)) )?(?<message>\S.*?)(?: \[(?<code>-gnat\w+)\])?$",
    )
    .levels(&[("(style)", Level::Info)])]);
