//! Files that are kept of a failure: those of seed 3's bundle, without secrets.

use referee_ledger::incidents::{Part, PartFile};
use referee_ledger::redact::Redactor;
use referee_model::diagnostic_log::Finding;
use referee_model::incident::{self, seconds};
use referee_model::limit;
use referee_model::time::Timestamp;
use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::{CaptureRequest, CapturedFile, tail};
use crate::incident::{IncidentError, part_file};

/// Returns the files of a bundle, in addition to the incident itself.
pub(super) fn files(
    request: &CaptureRequest,
    failure: &Failure,
    at: Timestamp,
    redactor: &Redactor,
) -> Result<Vec<PartFile>, IncidentError> {
    let audit = request.audit.as_ref().map(|audit| tail::audit_tail(&audit.bytes, request.audit_lines, redactor));
    let context = Value::Object(context(request, failure, at)?);
    let mut context = serde_json::to_vec_pretty(&redactor.data_strictly(context))?;
    context.push(b'\n');
    let mut files = vec![
        file(incident::LOG_TAIL, failure.log.clone().into_bytes()),
        file(incident::AUDIT_TAIL, audit.unwrap_or_default().into_bytes()),
        file(incident::CONTEXT, context),
    ];
    if request.report.is_some() {
        let redact = |text: &str| redactor.text_strictly(text);
        let kept = failure.diagnostics.iter().take(limit::INCIDENT_DIAGNOSTICS);
        let kept: Vec<Finding> = kept.map(|finding| finding.with_texts(&redact)).collect();
        let bytes = referee_model::document::to_bytes(&kept)?;
        files.push(file(incident::DIAGNOSTICS, bytes));
    }
    Ok(files)
}

pub(super) fn file(name: &str, bytes: Vec<u8>) -> PartFile {
    part_file(Part::Incident, name, bytes)
}

/// Returns the context: the file, overridden by the inline context, and `capture` (seed 3). Facts about the
/// failure fill in what neither of them has.
fn context(request: &CaptureRequest, failure: &Failure, at: Timestamp) -> Result<Map<String, Value>, IncidentError> {
    let mut context = match &request.context {
        Some(taken) => of_file(taken)?,
        None => Map::new(),
    };
    if let Some(text) = &request.inline_context {
        bounded(text.len(), "the inline context")?;
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => context.extend(members),
            Ok(other) => {
                context.insert("inline_context".to_owned(), other);
            }
            Err(error) => {
                context.insert("inline_context_parse_error".to_owned(), json!(error.to_string()));
            }
        }
    }
    let facts = request.facts.iter().map(|(name, value)| (name.as_str(), value));
    let known = failure.facts.iter().map(|(name, value)| (*name, value));
    for (name, value) in facts.chain(known) {
        context.entry(name).or_insert_with(|| value.clone());
    }
    context.insert("capture".to_owned(), capture(request, failure, at));
    Ok(context)
}

fn capture(request: &CaptureRequest, failure: &Failure, at: Timestamp) -> Value {
    let mut capture = Map::new();
    for (name, value) in [
        ("captured_at", json!(seconds::text(at))),
        ("script", json!(request.script)),
        ("run_id", json!(failure.run_id)),
        ("year", json!(request.year)),
        ("month", json!(request.month)),
        ("step", json!(failure.step)),
        ("failure_class", json!(failure.document.name)),
    ] {
        capture.insert(name.to_owned(), value);
    }
    capture.extend(failure.captured.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    Value::Object(capture)
}

/// Reads a context file. Content that is no JSON object is kept as it is: a capture must not fail because of its
/// context.
fn of_file(taken: &CapturedFile) -> Result<Map<String, Value>, IncidentError> {
    bounded(taken.bytes.len(), "the context")?;
    let one = |name: &str, value: Value| Map::from_iter([(name.to_owned(), value)]);
    Ok(match serde_json::from_slice(&taken.bytes) {
        Ok(Value::Object(members)) => members,
        Ok(other) => one("file_context", other),
        Err(error) => one("file_context_parse_error", json!(error.to_string())),
    })
}

fn bounded(bytes: usize, what: &str) -> Result<(), IncidentError> {
    let most = limit::INCIDENT_CONTEXT_BYTES;
    if bytes <= most {
        return Ok(());
    }
    Err(IncidentError::Invalid(format!("{what} has {bytes} bytes, and may have {most}")))
}
