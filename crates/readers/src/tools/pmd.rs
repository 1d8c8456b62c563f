//! PMD's text report: `/src/App.java:5:    UnusedLocalVariable:    Avoid unused local variables such as 'x'.` It tells no levels.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim;
use crate::claim::Standing;
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// PMD.
pub(crate) const TOOL: Tool = Tool {
    name: "pmd",
    aliases: &["pmd-xml"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[".java:", ".kt:", ".js:", ".cls:", ".xml:", ".jsp:", ".sql:"],
        reader: |is_hinted| if is_hinted { HINTED.reader() } else { TEXT.reader() },
    }],
    documents: crate::formats::pmd_xml::DOCUMENTS,
    settle: claim::gravest,
};

/// A finding with its rule.
static FINDING: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?\.\w+):(?<line>\d+):\t(?<code>[A-Z]\w+):\t(?<message>.*)$"));

/// A finding, whose rule older versions leave out.
static OLD: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?\.\w+):(?<line>\d+):\t(?:(?<code>[A-Z]\w+):\t)?(?<message>.*)$"));

static TEXT: OneLine = OneLine {
    tool: "pmd",
    format: "text",
    rule: "pmd/text",
    pattern: &FINDING,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

static HINTED: OneLine = OneLine {
    tool: "pmd",
    format: "text",
    rule: "pmd/text",
    pattern: &OLD,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};
