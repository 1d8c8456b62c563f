//! PHPMD: its text, `/project/a.php:5   CyclomaticComplexity   The method …`, and its JSON.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::json::ANY;
use crate::rows::{Rows, finding};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "phpmd",
    aliases: &["phpmd-json"],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[".php:"], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"version\":\"", "{\"files\":[{"],
            keys: &["\"version\":", "\"files\":"],
            empty: None,
        },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "phpmd",
        "text",
        [finding(
            r"^(?<file>\S.*?\.php):(?<line>\d+)(?:\t|\s{2,})(?<code>[A-Z][A-Za-z]+)(?:\t|\s{2,})(?<message>[A-Z].*)$",
        )],
    )
    .level(Level::Warning)
});

/// `{"version":"2.10.0","files":[{"file":"a.php","violations":[{"beginLine":5,"rule":…,"priority":1,"description":…}]}]}`;
/// some write `name`, `beginline` and `message`.
static JSON: JsonFindings = JsonFindings {
    rule: "phpmd/json",
    paths: &[&["files", ANY, "violations", ANY]],
    record: |record| MEMBERS.told(record),
    is_own: |members| members.get("package").is_some_and(|package| package == "phpmd"),
    ..JsonFindings::LIST
};

const MEMBERS: Members = Members {
    tool: "phpmd",
    message: "description|message",
    file: "^file|^name",
    line: "beginLine|beginline",
    end_line: "endLine|endline",
    code: "rule",
    level: "priority",
    // Of five priorities 1 is the highest.
    levels: &[("1", Level::Error), ("2", Level::Error), ("5", Level::Info)],
    otherwise: Level::Warning,
    needs: &["priority", "ruleSet|ruleset"],
    ..Members::MESSAGE
};
