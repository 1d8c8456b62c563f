//! The machine-readable formats: `1590680326283 ERROR "src/a.svelte" 1:16 "Cannot find module."`, and
//! `machine-verbose`, with an object after the timestamp, whose positions are 0-based.

use crate::prelude::*;

pub(crate) static MACHINE: Rows = Rows::new("svelte-check", "machine").rows(&[
    finding(r#"^\d{10,16} (?<level>ERROR|WARNING|HINT) (?<name>"(?:[^"\\]|\\.)*") (?<line>\d+):(?<column>\d+) (?<said>".*")$"#)
        .check(unquote),
    finding(r"^\d{10,16} (?<object>\{.*\})$").check(verbose),
    within(r#"^\d{10,16} (?:START|FAILURE) ""#).vouches(),
    known(r"^\d{10,16} COMPLETED \d+ FILES 0 ERRORS 0 WARNINGS (?:0 HINTS )?\d+ FILES_WITH_PROBLEMS$"),
    sum(r"^\d{10,16} COMPLETED \d+ FILES (?<errors>\d+) ERRORS (?<warnings>\d+) WARNINGS (?:(?<infos>\d+) HINTS )?\d+ FILES_WITH_PROBLEMS$"),
]);

fn unquote(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let quoted = |group| serde_json::from_str::<String>(found.text(group)).ok();
    let (Some(file), Some(said)) = (quoted("name"), quoted("said")) else { return false };
    made.file = Some(name(&text::path(&file)));
    cut::head(without_link(&said), limit::MESSAGE_BYTES).clone_into(&mut made.message);
    true
}

/// Removes the link below a message, which only repeats the code.
fn without_link(said: &str) -> &str {
    match said.rsplit_once('\n') {
        Some((said, link)) if link.starts_with("https://svelte.dev/e/") => said,
        _ => said,
    }
}

/// Reads an object, whose positions are 0-based.
fn verbose(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let Ok(value) = serde_json::from_str(found.text("object")) else { return false };
    let record = Record { path: 0, value, around: &[], key: None, start: 0, end: 0 };
    let told = MEMBERS.finding(&record).map(|told| Diagnostic { origin: made.origin.clone(), ..told });
    told.map(|told| *made = told).is_some()
}

const MEMBERS: Members = Members {
    tool: "svelte-check",
    file: "filename",
    line: "start/line+1",
    column: "start/character+1",
    end_line: "end/line+1",
    end_column: "end/character+1",
    code: "code",
    level: "type",
    needs: &["type", "filename"],
    complete: |made, _| made.message = without_link(&made.message).to_owned(),
    ..Members::MESSAGE
};
