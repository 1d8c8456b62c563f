//! bandit: `screen` and `txt`, `custom`, and `json`. High severity is an error, medium a warning, low an
//! information.
//!
//! ```text
//! >> Issue: [B307:blacklist] Use of possibly insecure function - consider using safer ast.literal_eval.
//!    Severity: Medium   Confidence: High
//!    Location: ./app.py:38:27
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("bandit", &["bandit-json"], Role::Lint)
    .lines(&[LineFormat::rows(
        &[">> Issue: [", "[bandit]: ", "No issues identified.", "Total issues (by severity):"],
        &TEXT,
    )])
    .documents(&[DocumentFormat::json(&["{\"errors\":"], &["\"errors\":", "\"results\":", "\"generated_at\":"], &JSON)])
    .merge(candidate::together);

const LEVELS: &[(&str, Level)] =
    &[("high", Level::Error), ("medium", Level::Warning), ("low", Level::Info), ("undefined", Level::Info)];

static TEXT: Rows = Rows::new("bandit", "text").level(Level::Warning).rows(&[
    // Before version 1.6 the name of the test was missing.
    head(r"^>> Issue: \[(?<code>B\d{3})(?::[^\]]*)?\] ?(?<message>.*)$"),
    part(r"^ +Severity: (?<level>\w+) +Confidence: \w+$").levels(LEVELS),
    part(r"^ +Location: (?<file>\S.*?):(?<line>\d+)(?::(?<column0>\d+))?$").last(),
    part("^   "),
    // The default template of the format `custom`.
    finding(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): (?<code>B\d{3})\[bandit\]: (?<level>LOW|MEDIUM|HIGH|UNDEFINED): (?<message>.*)$",
    )
    .rule("bandit/custom")
    .levels(LEVELS),
    known(r"^\s*No issues identified\.$"),
]);

static JSON: JsonFindings = JsonFindings {
    paths: &[&["results", ANY]],
    is_own: |members| members.contains_key("generated_at") && members.contains_key("metrics"),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "bandit",
    message: "issue_text",
    file: "filename",
    line: "line_number",
    column: "col_offset+1",
    code: "test_id",
    level: "issue_severity",
    levels: LEVELS,
    otherwise: Level::Info,
    needs: &["test_id", "issue_severity"],
    ..Members::MESSAGE
};
