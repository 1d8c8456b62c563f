//! PHPMD: its text, `/project/a.php:5   CyclomaticComplexity   The method …`, and its JSON.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("phpmd", &["phpmd-json"], Role::Lint)
    .lines(&[LineFormat::rows(&[".php:"], &TEXT)])
    .documents(&[DocumentFormat::json(&["{\"version\":\"", "{\"files\":[{"], &["\"version\":", "\"files\":"], &JSON)]);

static TEXT: Rows = Rows::new("phpmd", "text").level(Level::Warning).rows(&[finding(
    r"^(?<file>\S.*?\.php):(?<line>\d+)(?:\t|\s{2,})(?<code>[A-Z][A-Za-z]+)(?:\t|\s{2,})(?<message>[A-Z].*)$",
)]);

/// `{"version":"2.10.0","files":[{"file":"a.php","violations":[{"beginLine":5,"rule":…,"priority":1,"description":…}]}]}`;
/// some versions print `name`, `beginline` and `message` instead.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["files", ANY, "violations", ANY]],
    is_own: |members| members.get("package").is_some_and(|package| package == "phpmd"),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "phpmd",
    message: "description|message",
    file: "^file|^name",
    line: "beginLine|beginline",
    end_line: "endLine|endline",
    code: "rule",
    level: "priority",
    // Priority 1 is the highest of five.
    levels: &[("1", Level::Error), ("2", Level::Error), ("5", Level::Info)],
    otherwise: Level::Warning,
    needs: &["priority", "ruleSet|ruleset"],
    ..Members::MESSAGE
};
