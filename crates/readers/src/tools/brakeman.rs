//! Brakeman: warnings in blocks, in lines with tabs, and in JSON.
//!
//! ```text
//! Confidence: High
//! Category: SQL Injection
//! Check: SQL
//! Message: Possible SQL injection
//! Code: User.where("name = #{params[:name]}")
//! File: app/controllers/users_controller.rb
//! Line: 12
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("brakeman", &["brakeman-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&["Confidence: ", "Brakeman Report"], &BLOCKS),
        LineFormat::rows(&["High", "Medium", "Weak"], &TABS),
    ])
    .documents(&[DocumentFormat::json(&["{\"scan_info\":{"], &["\"scan_info\":"], &JSON)]);

static BLOCKS: Rows = Rows::new("brakeman", "text")
    .level(Level::Warning)
    .complete(|found| found.code.is_some() && !found.message.is_empty())
    .rows(&[
        within("^== Brakeman Report ==$").enters("report"),
        known("^(?:No warnings found|Security Warnings: 0)$").inside("report"),
        head("^Confidence: (?:High|Medium|Weak)$"),
        part("^Category: (?<code>.*)$"),
        part("^Check: (?<code>.*)$").then(|made, _| made.code = None),
        part("^Message: (?<message>.*)$"),
        part("^Code: (?<source>.*)$"),
        part("^File: (?<file>.*)$"),
        part(r"^Line: (?<line>\d+)$"),
        part("^[^:]+: "),
    ]);

/// `/app/package.rb⇥13⇥Command Injection⇥General⇥Possible command injection near line 13: …⇥High`, with tabs for `⇥`.
static TABS: Rows = Rows::new("brakeman", "tabs").level(Level::Warning).rows(&[finding(
    r"^(?<file>/\S.*?\.\w+)(?:\t| +)(?<line>\d+)(?:\t| +)(?<code>[A-Z][^\t]*?)(?:\t[^\t]+\t| +General +| {2,}[A-Z]\w* +)(?<message>.*?)(?:\t| +)(?:High|Medium|Weak)$",
)]);

/// `{"scan_info":{…},"warnings":[{"warning_type":"SQL Injection","message":…,"file":…,"line":12}],…}`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["warnings", ANY], &["errors", ANY]],
    is_own: |members| members.get("scan_info").is_some_and(|info| info.get("brakeman_version").is_some()),
    record: Some(|record| if record.path == 0 { WARNING.told(record) } else { ERROR.told(record) }),
    ..JsonFindings::of(&WARNING)
};

const WARNING: Members = Members {
    tool: "brakeman",
    file: "file",
    line: "line",
    code: "check_name|warning_type",
    source: "code",
    otherwise: Level::Warning,
    needs: &["check_name|warning_type"],
    ..Members::MESSAGE
};

const ERROR: Members = Members { tool: "brakeman", message: "error", ..Members::MESSAGE };
