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

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::json::ANY;
use crate::rows::{Rows, finding, head, known, part, within};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "brakeman",
    aliases: &["brakeman-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { prefilter: &["Confidence: ", "Brakeman Report"], reader: |is_hinted| BLOCKS.reader(is_hinted) },
        LineFormat { prefilter: &["High", "Medium", "Weak"], reader: |is_hinted| TABS.reader(is_hinted) },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"scan_info\":{"], keys: &["\"scan_info\":"], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

static BLOCKS: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "brakeman",
        "text",
        [
            within("^== Brakeman Report ==$").enters("report"),
            known("^(?:No warnings found|Security Warnings: 0)$").inside("report"),
            head("^Confidence: (?:High|Medium|Weak)$"),
            part("^Category: (?<code>.*)$"),
            part("^Check: (?<code>.*)$").check(|made, _| {
                made.code = None;
                true
            }),
            part("^Message: (?<message>.*)$"),
            part("^Code: (?<source>.*)$"),
            part("^File: (?<file>.*)$"),
            part(r"^Line: (?<line>\d+)$"),
            part("^[^:]+: "),
        ],
    )
    .level(Level::Warning)
    .complete(|found| found.code.is_some() && !found.message.is_empty())
});

/// `/app/package.rb⇥13⇥Command Injection⇥General⇥Possible command injection near line 13: …⇥High`, with tabs for `⇥`.
static TABS: LazyLock<Rows> = LazyLock::new(|| {
    let line = finding(
        r"^(?<file>/\S.*?\.\w+)(?:\t| +)(?<line>\d+)(?:\t| +)(?<code>[A-Z][^\t]*?)(?:\t[^\t]+\t| +General +| {2,}[A-Z]\w* +)(?<message>.*?)(?:\t| +)(?:High|Medium|Weak)$",
    );
    Rows::new("brakeman", "tabs", [line]).level(Level::Warning)
});

/// `{"scan_info":{…},"warnings":[{"warning_type":"SQL Injection","check_name":"SQL","message":…,"file":…,"line":12}],…}`.
static JSON: JsonFindings = JsonFindings {
    rule: "brakeman/json",
    paths: &[&["warnings", ANY], &["errors", ANY]],
    record: |record| if record.path == 0 { WARNING.told(record) } else { ERROR.told(record) },
    is_own: |members| members.get("scan_info").is_some_and(|info| info.get("brakeman_version").is_some()),
    ..JsonFindings::LIST
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
