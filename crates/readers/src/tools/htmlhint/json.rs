//! The JSON report: `[{"file":"index.html","messages":[{"type":"error","message":"…","line":2,"col":14,"rule":{"id":"title-require"}}]}]`.

use referee_model::limit;
use referee_model::reading::Diagnostic;
use referee_syntax::cut;

use crate::claim::{Standing, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{position, said};
use crate::shapes::pattern;
use crate::text;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"file\":"], keys: &["\"file\":"], empty: Some("[]") };

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "htmlhint/json",
    paths: &[&[ANY, "messages", ANY]],
    record: |record| message(record).into(),
    is_own: |_| false,
    is_strict: true,
    standing: Standing::Certain,
};

/// Makes a finding of a message, which stands below its file.
fn message(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let mut found = finding("htmlhint", pattern::level(said(value, "type")?)?, said(value, "message")?);
    found.file = Some(name(&text::path(record.around("file")?.as_str()?)));
    found.line = position(value, "line");
    found.column = position(value, "col");
    found.code = Some(name(said(value, "rule/id")?));
    found.source = said(value, "evidence").map(|source| cut::head(source, limit::MESSAGE_BYTES).to_owned());
    Some(found)
}
