//! HLint: text and `--json`.
//!
//! ```text
//! Warn.hs:6:27-43: Warning: Use concatMap
//! Found:
//!   concat (map g xs)
//! Perhaps:
//!   concatMap g xs
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::rows::{Rows, head, part, sum};
use crate::shapes::json_findings::{JsonFindings, RecordKind};
use crate::shapes::members::{Members, said};
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "hlint",
    aliases: &["hlint-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[": Suggestion: ", ": Warning: ", ": Error: ", "No hints"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"module\":", "[{\"decl\":"], keys: &[], empty: Some("[]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "hlint",
        "text",
        [
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
        ],
    )
});

static JSON: JsonFindings = JsonFindings {
    rule: "hlint/json",
    record: |record| match said(&record.value, "severity") {
        Some("Ignore") => RecordKind::Nothing,
        _ => MEMBERS.told(record),
    },
    ..JsonFindings::LIST
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
