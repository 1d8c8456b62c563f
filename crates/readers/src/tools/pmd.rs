//! PMD's text report: `/src/App.java:5:    UnusedLocalVariable:    Avoid unused local variables such as 'x'.`
//! It has no levels.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("pmd", &["pmd-xml"], Role::Lint)
    .lines(&[LineFormat::rows(&[".java:", ".kt:", ".js:", ".cls:", ".xml:", ".jsp:", ".sql:"], &TEXT)])
    .documents(crate::formats::pmd_xml::DOCUMENTS);

static TEXT: Rows = Rows::new("pmd", "text").level(Level::Warning).rows(&[
    finding(r"^(?<file>\S.*?\.\w+):(?<line>\d+):\t(?<code>[A-Z]\w+):\t(?<message>.*)$"),
    // Older versions leave out the rule.
    finding(r"^(?<file>\S.*?\.\w+):(?<line>\d+):\t(?<message>.*)$").hinted(),
]);
