//! The JSON report: a list of sources, each with its warnings, whose text ends in the rule:
//! `[{"source":"a.css","warnings":[{"line":1,"column":3,"rule":"block-no-empty","severity":"error","text":"… (block-no-empty)"}]}]`.

use referee_model::reading::Diagnostic;
use serde_json::Value;

use crate::claim::{Standing, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{position, said};
use crate::shapes::pattern;
use crate::text;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"source\":"], keys: &["\"source\":"], empty: Some("[]") };

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "stylelint/json",
    paths: &[&[ANY, "warnings", ANY]],
    record: |record| warning(record).into(),
    is_own: |members| members.contains_key("errored"),
    is_strict: false,
    standing: Standing::Certain,
};

/// Makes a finding of a warning, which stands below its source.
fn warning(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let level = pattern::level(said(value, "severity")?)?;
    let rule = value.get("rule")?.as_str();
    let said = said(value, "text")?;
    let message = rule.and_then(|rule| said.strip_suffix(')')?.strip_suffix(rule)?.strip_suffix(" (")).unwrap_or(said);
    let mut found = finding("stylelint", level, message);
    found.file = record.around("source").and_then(Value::as_str).map(|file| name(&text::path(file)));
    // A plugin may report a range that ends before it begins.
    (found.line, found.end_line) = match (position(value, "line"), position(value, "endLine")) {
        (Some(line), Some(end)) if end < line => (Some(end), Some(line)),
        lines => lines,
    };
    found.column = position(value, "column");
    found.end_column = position(value, "endColumn");
    found.code = rule.map(name);
    found.fixable = value.get("fix").is_some_and(Value::is_object);
    Some(found)
}
