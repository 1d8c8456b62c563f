//! cfn-lint: text, `parseable` and `json`.
//!
//! ```text
//! E3006 Resource type 'AWS::S3::Bucketx' does not exist in 'us-east-1'
//! t.yaml:3:5
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::pattern::Groups;
use crate::rows::{Rows, finding, lead, rest};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "cfn-lint",
    aliases: &["cfn-lint-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[".yaml:", ".yml:", ".json:", ".template:"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"Filename\":"], keys: &["\"Filename\":"], empty: Some("[]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::together,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "cfn-lint",
        "text",
        [
            rest(r"^(?<file>\S.*\.(?:ya?ml|json|template|cfn)):(?<line>\d+):(?<column>\d+)$").last(),
            lead(r"^(?<code>[EWI]\d{4}) (?<message>\S.*)$").level_of(level).tentative(),
            finding(
                r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+):(?<end_line>\d+):(?<end_column>\d+):(?<code>[EWI]\d{4}):(?<message>\S.*)$",
            )
            .level_of(level),
        ],
    )
});

fn level(found: &Groups<'_, '_>) -> Level {
    match found.text("code").bytes().next() {
        Some(b'E') => Level::Error,
        Some(b'W') => Level::Warning,
        _ => Level::Info,
    }
}

static JSON: JsonFindings =
    JsonFindings { rule: "cfn-lint/json", record: |record| MEMBERS.told(record), ..JsonFindings::LIST };

const MEMBERS: Members = Members {
    tool: "cfn-lint",
    message: "Message",
    file: "Filename",
    line: "Location/Start/LineNumber",
    column: "Location/Start/ColumnNumber",
    end_line: "Location/End/LineNumber",
    end_column: "Location/End/ColumnNumber",
    code: "Rule/Id",
    level: "Level",
    levels: &[("Error", Level::Error), ("Warning", Level::Warning)],
    otherwise: Level::Info,
    needs: &["Rule/Id", "Level"],
    ..Members::MESSAGE
};
