//! SpotBugs' text report: `M D NP: Possible null pointer dereference of x in demo.App.run()  At App.java:[line 12]`, and that
//! of its plugin for Maven: `[ERROR] Medium: … [demo.App] At App.java:[line 12] NP_NULL_ON_SOME_PATH`. Priority and category
//! are no levels.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim;
use crate::claim::Standing;
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// SpotBugs.
pub(crate) const TOOL: Tool = Tool {
    name: "spotbugs",
    aliases: &["findbugs", "spotbugs-xml"],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[":[line "], reader: |_| TEXT.reader() }],
    documents: crate::formats::spotbugs_xml::DOCUMENTS,
    settle: claim::gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:[HML] [A-Z] (?<code>[A-Z][A-Za-z0-9]*): |\[ERROR\] (?:High|Medium|Low): )(?<message>.*?) *(?:\[[\w.$]+\] )?(?:[A-Z][a-z]+(?: [a-z]+)* )?(?:At|at|In|in) (?<file>[\w$./-]+\.\w+):\[lines? (?<line>\d+)(?:-(?<end_line>\d+))?\](?: (?<pattern>[A-Z][A-Z0-9_]+))?$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "spotbugs",
    format: "text",
    rule: "spotbugs/text",
    pattern: &FINDING,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, captures| {
        if let Some(pattern) = captures.name("pattern") {
            found.code = Some(claim::name(pattern.as_str()));
        }
        true
    },
};
