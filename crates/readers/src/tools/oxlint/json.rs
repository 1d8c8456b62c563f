//! The JSON report: `{ "diagnostics": [{"message": "…","code": "eslint(no-debugger)","labels": [{"span": {"line": 2,"column": 1}}]}], "number_of_files": 4 }`.

use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use serde_json::Value;

use crate::claim::{Standing, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{named, position, said};
use crate::text;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening {
    compact: &["{ \"diagnostics\": [", "{\"diagnostics\":[{\"message\":"],
    keys: &["\"diagnostics\": ["],
    empty: None,
};

/// Labels that are kept beside the first.
const RELATED_KEPT: usize = 8;

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "oxlint/json",
    paths: &[&["diagnostics", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |members| members.contains_key("number_of_files"),
    is_strict: true,
    standing: Standing::Certain,
};

/// Makes a finding of a record.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let level = match said(value, "severity")? {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "advice" | "info" => Level::Info,
        _ => return None,
    };
    let file = name(&text::path(said(value, "filename")?));
    let labels = value.get("labels").and_then(Value::as_array)?;
    let mut places = labels.iter().map(|label| place(label, &file));
    let first = places.next();
    let mut found = finding("oxlint", level, said(value, "message")?);
    found.line = first.as_ref().and_then(|place| place.line);
    found.column = first.as_ref().and_then(|place| place.column);
    found.code = named(value, "code");
    found.suggestion = named(value, "help");
    found.related = places.take(RELATED_KEPT).collect();
    found.file = Some(file);
    Some(found)
}

fn place(label: &Value, file: &str) -> RelatedPlace {
    RelatedPlace {
        file: Some(file.to_owned()),
        line: position(label, "span/line"),
        column: position(label, "span/column"),
        message: said(label, "label").map(name).unwrap_or_default(),
    }
}
