//! `-fdiagnostics-format=json`: one array for each compiled file, with notes as children of their diagnostic.

use super::CRASH;
use crate::prelude::*;
use crate::shapes::record_kind::RecordKind;

/// The order of the keys differs between versions.
pub(crate) const FORMAT: DocumentFormat = DocumentFormat::json(
    &[
        "[{\"kind\": \"error\"",
        "[{\"kind\": \"warning\"",
        "[{\"kind\": \"fatal error\"",
        "[{\"kind\": \"note\"",
        "[{\"locations\": [{\"caret\"",
        "[{\"locations\": [{\"finish\"",
        "[{\"column-origin\": ",
        "[{\"escape-source\": ",
        "[{\"option\": \"-W",
        "[{\"option_url\": ",
        "[{\"children\": [",
        "[{\"fixits\": [",
        "[{\"message\": \"",
    ],
    &[],
    &JSON,
);

static JSON: JsonFindings = JsonFindings { record: Some(findings), ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "gcc",
    file: "locations/0/caret/file",
    line: "locations/0/caret/line",
    column: "locations/0/caret/column",
    end_line: "locations/0/finish/line",
    end_column: "locations/0/finish/column+1",
    code: "option",
    suggestion: "fixits/0/string",
    fix: "fixits",
    level: "kind",
    levels: &[(CRASH, Level::Error), ("sorry, unimplemented", Level::Error)],
    otherwise: Level::Info,
    needs: &["kind", "locations"],
    complete: |made, record| {
        if said(&record.value, "kind") == Some(CRASH) {
            made.message = format!("{CRASH}: {}", made.message);
        }
    },
    ..Members::MESSAGE
};

/// Reads a finding and its notes, which are findings and related locations too.
fn findings(record: &Record<'_>) -> RecordKind {
    let Some(mut found) = MEMBERS.finding(record) else { return RecordKind::Stranger };
    let children = record.value.get("children").and_then(Value::as_array).into_iter().flatten();
    let notes = children.filter_map(|child| MEMBERS.finding(&Record { value: child.clone(), ..*record }));
    let notes: Vec<Diagnostic> = notes.collect();
    candidate::relate(&mut found, notes.iter().map(candidate::place));
    RecordKind::Findings([found].into_iter().chain(notes).collect())
}
