//! PMD's text report: `/src/App.java:5:    UnusedLocalVariable:    Avoid unused local variables such as 'x'.` It tells no levels.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "pmd",
    aliases: &["pmd-xml"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[".java:", ".kt:", ".js:", ".cls:", ".xml:", ".jsp:", ".sql:"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: crate::formats::pmd_xml::DOCUMENTS,
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "pmd",
        "text",
        [
            finding(r"^(?<file>\S.*?\.\w+):(?<line>\d+):\t(?<code>[A-Z]\w+):\t(?<message>.*)$"),
            // Older versions leave out the rule.
            finding(r"^(?<file>\S.*?\.\w+):(?<line>\d+):\t(?<message>.*)$").hinted(),
        ],
    )
    .level(Level::Warning)
});
