//! The JSON report: `[{"fileName":"README.md","lineNumber":1,"ruleNames":["MD018","no-missing-space-atx"],"ruleDescription":"…"}]`.

use referee_model::reading::{Diagnostic, Level};
use serde_json::Value;

use crate::claim::{Standing, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{position, said};
use crate::text;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"fileName\":"], keys: &["\"fileName\":"], empty: None };

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "markdownlint/json",
    paths: &[&[ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

/// Makes a finding of a record.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let code = value.get("ruleNames")?.as_array()?.first()?.as_str()?;
    let range = value.get("errorRange").and_then(Value::as_array);
    let number = |at: usize| range?.get(at)?.as_u64().and_then(|number| u32::try_from(number).ok());
    let mut message = said(value, "ruleDescription")?.to_owned();
    if let Some(detail) = said(value, "errorDetail") {
        message = format!("{message} [{detail}]");
    }
    let level = if said(value, "severity") == Some("warning") { Level::Warning } else { Level::Error };
    let mut found = finding("markdownlint", level, &message);
    found.file = said(value, "fileName").map(|file| name(&text::path(file)));
    found.line = position(value, "lineNumber");
    found.column = number(0).filter(|column| 0 < *column);
    found.end_line = found.column.and(number(1)).and(found.line);
    found.end_column = found.column.zip(number(1)).and_then(|(column, length)| column.checked_add(length));
    found.code = Some(name(code));
    found.fixable = value.get("fixInfo").is_some_and(Value::is_object);
    found.source = said(value, "errorContext").map(name);
    Some(found)
}
