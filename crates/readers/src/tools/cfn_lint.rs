//! cfn-lint: text, `parseable` and `json`.
//!
//! ```text
//! E3006 Resource type 'AWS::S3::Bucketx' does not exist in 'us-east-1'
//! t.yaml:3:5
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("cfn-lint", &["cfn-lint-json"], Role::Lint)
    .lines(&[LineFormat::rows(&[".yaml:", ".yml:", ".json:", ".template:"], &TEXT)])
    .documents(&[DocumentFormat::json(&["[{\"Filename\":"], &["\"Filename\":"], &JSON).or_empty("[]")])
    .merge(candidate::together);

static TEXT: Rows = Rows::new("cfn-lint", "text").rows(&[
    rest(r"^(?<file>\S.*\.(?:ya?ml|json|template|cfn)):(?<line>\d+):(?<column>\d+)$").last(),
    lead(r"^(?<code>[EWI]\d{4}) (?<message>\S.*)$").level_of(level).tentative(),
    finding(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+):(?<end_line>\d+):(?<end_column>\d+):(?<code>[EWI]\d{4}):(?<message>\S.*)$",
    )
    .level_of(level),
]);

fn level(found: &Groups<'_, '_>) -> Level {
    match found.text("code").bytes().next() {
        Some(b'E') => Level::Error,
        Some(b'W') => Level::Warning,
        _ => Level::Info,
    }
}

static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

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
