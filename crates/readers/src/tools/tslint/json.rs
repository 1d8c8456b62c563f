//! The JSON report, whose lines and columns count from 0:
//! `[{"endPosition":{…},"failure":"Missing semicolon","name":"a.ts","ruleName":"semicolon","ruleSeverity":"ERROR","startPosition":{…}}]`.

use referee_model::reading::Diagnostic;
use serde_json::Value;

use crate::claim::{Standing, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{position_from_zero, said};
use crate::shapes::pattern;
use crate::text;

/// How the documents begin.
pub(crate) const OPENING: Opening =
    Opening { compact: &["[{\"endPosition\":"], keys: &["\"endPosition\":"], empty: None };

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "tslint/json",
    paths: &[&[ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

/// Makes a finding of a record.
fn of_object(value: &Value) -> Option<Diagnostic> {
    // Before version 5 every finding was an error.
    let level = pattern::level(said(value, "ruleSeverity").unwrap_or("error"))?;
    let mut found = finding("tslint", level, said(value, "failure")?);
    found.file = Some(name(&text::path(said(value, "name")?)));
    found.line = position_from_zero(value, "startPosition/line");
    found.column = position_from_zero(value, "startPosition/character");
    found.end_line = position_from_zero(value, "endPosition/line");
    found.end_column = position_from_zero(value, "endPosition/character");
    found.code = Some(name(said(value, "ruleName")?));
    found.fixable = value.get("fix").is_some_and(|fix| !fix.is_null());
    Some(found)
}
