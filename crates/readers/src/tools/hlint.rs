//! HLint: the text format and `--json`.
//!
//! ```text
//! Warn.hs:6:27-43: Warning: Use concatMap
//! Found:
//!   concat (map g xs)
//! Perhaps:
//!   concatMap g xs
//! ```

use crate::prelude::*;
use crate::shapes::record_kind::RecordKind;

pub(crate) static TOOL: Tool = Tool::new("hlint", &["hlint-json"], Role::Lint)
    .lines(&[LineFormat::rows(&[": Suggestion: ", ": Warning: ", ": Error: ", "No hints"], &TEXT)])
    .documents(&[DocumentFormat::json(&["[{\"module\":", "[{\"decl\":"], &[], &JSON).or_empty("[]")]);

static TEXT: Rows = Rows::new("hlint", "text").rows(&[
    head(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.l?hs):(?:(?<line>\d+):(?<column>\d+)(?:-(?<last_column>\d+))?|\((?<line2>\d+),(?<column2>\d+)\)-\((?<end_line>\d+),(?<last_column2>\d+)\)): (?<level>Suggestion|Warning|Error): (?<message>\S.*)$",
    )
    .enters("message"),
    part("^Found:$").enters("found"),
    part(r"^Perhaps(?: you should remove it\.|:)$").enters("perhaps"),
    part("^Note: ").enters("note"),
    part("^  (?<source>.*)$").inside("found"),
    part("^  (?<suggestion>.*)$").inside("perhaps"),
    sum(r"^(?<all>\d+|No) hints?(?: \(\d+ ignored\))?$").clean(),
]);

static JSON: JsonFindings = JsonFindings {
    record: Some(|record| match said(&record.value, "severity") {
        Some("Ignore") => RecordKind::Nothing,
        _ => MEMBERS.told(record),
    }),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "hlint",
    message: "hint",
    file: "file",
    line: "startLine",
    column: "startColumn",
    end_line: "endLine",
    end_column: "endColumn",
    suggestion: "to",
    source: "from",
    level: "severity",
    otherwise: Level::Info,
    needs: &["severity", "file"],
    ..Members::MESSAGE
};
