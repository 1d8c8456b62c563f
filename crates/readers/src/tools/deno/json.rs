//! The report of `deno lint --json`, whose columns count from 0:
//! `{"version":1,"diagnostics":[{"filename":"file:///a.ts","range":{…},"message":"…","code":"no-var"}],"errors":[]}`.

use referee_model::reading::{Diagnostic, Level};
use serde_json::Value;

use crate::claim::{Standing, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{position, position_from_zero, said};
use crate::tools::deno::path;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening {
    compact: &["{\"version\":1,\"diagnostics\":["],
    keys: &["\"version\": 1", "\"diagnostics\": ["],
    empty: None,
};

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "deno/json",
    paths: &[&["diagnostics", ANY], &["errors", ANY]],
    record: |record| match record.path {
        0 => problem(&record.value).into(),
        _ => broken(&record.value).into(),
    },
    is_own: |members| members.contains_key("version") && members.contains_key("checked_files"),
    is_strict: true,
    standing: Standing::Certain,
};

/// Makes a finding of a record.
fn problem(value: &Value) -> Option<Diagnostic> {
    let range = value.get("range")?;
    let mut found = finding("deno", Level::Error, said(value, "message")?);
    found.file = Some(name(&path(said(value, "filename")?)));
    found.line = position(range, "start/line");
    found.column = position_from_zero(range, "start/col").filter(|_| found.line.is_some());
    found.end_line = position(range, "end/line");
    found.end_column = position_from_zero(range, "end/col").filter(|_| found.end_line.is_some());
    found.code = Some(name(said(value, "code")?));
    found.suggestion = said(value, "hint").map(name);
    Some(found)
}

/// Makes a finding of a file that could not be read.
fn broken(value: &Value) -> Option<Diagnostic> {
    let mut found = finding("deno", Level::Error, said(value, "message")?);
    found.file = Some(name(&path(said(value, "file_path")?)));
    Some(found)
}
