//! The JSON report: `[{"line":2,"column":1,"severity":"Error","message":"…","ruleId":"compiler-version","filePath":"a.sol"}, {"conclusion":"…"}]`.

use referee_model::reading::Diagnostic;
use serde_json::Value;

use crate::claim::Standing;
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, Told, finding};
use crate::shapes::members::{file, named, position, said};
use crate::shapes::pattern;
use crate::tools::solhint::is_solidity_name;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"line\":"], keys: &["\"line\":"], empty: None };

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "solhint/json",
    paths: &[&[ANY]],
    record: |record| match record.value.get("conclusion") {
        Some(_) => Told::Nothing,
        None => of_object(&record.value).into(),
    },
    is_own: |_| false,
    is_strict: true,
    standing: Standing::Certain,
};

/// Makes a finding of a record.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let mut found = finding("solhint", pattern::level(said(value, "severity")?)?, said(value, "message")?);
    found.file = Some(file(value, "filePath").filter(|file| is_solidity_name(file))?);
    found.line = position(value, "line");
    found.column = position(value, "column");
    found.code = named(value, "ruleId");
    found.fixable = value.get("fix").is_some_and(Value::is_object);
    Some(found)
}
