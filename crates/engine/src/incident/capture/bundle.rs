//! What is kept of a failure: the files of seed 3's bundle, without secrets.

use referee_ledger::incidents::{Part, PartFile};
use referee_ledger::redact::Redactor;
use referee_model::diagnostic_log::Finding;
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_wire::incident::{self, seconds};
use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::{CaptureRequest, CapturedFile};
use crate::incident::{IncidentError, part_file};

/// The files of a bundle, beside the incident itself.
pub(super) fn files(
    request: &CaptureRequest,
    failure: &Failure,
    at: Timestamp,
    redactor: &Redactor,
) -> Result<Vec<PartFile>, IncidentError> {
    let audit = request.audit.as_ref().map(|audit| audit_tail(&audit.bytes, request.audit_lines, redactor));
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
        let bytes = referee_wire::to_bytes(&kept)?;
        files.push(file(incident::DIAGNOSTICS, bytes));
    }
    Ok(files)
}

pub(super) fn file(name: &str, bytes: Vec<u8>) -> PartFile {
    part_file(Part::Incident, name, bytes)
}

/// The end of a log, in whole lines, without secrets. It is cut after the secrets: one that begins before the cut is known by
/// its beginning.
pub(super) fn log_tail(log: &[u8], bytes: Option<usize>, redactor: &Redactor) -> String {
    let most = usize::try_from(limit::INCIDENT_FILE_BYTES).unwrap_or(usize::MAX);
    let kept = match bytes {
        None => limit::INCIDENT_LOG_BYTES,
        Some(0) => most,
        Some(bytes) => bytes.min(most),
    };
    let looked_at = log.len().saturating_sub(kept.saturating_add(limit::INCIDENT_LOG_MARGIN_BYTES));
    let text = String::from_utf8_lossy(log.get(looked_at..).unwrap_or_default());
    end_of(&redactor.text_strictly(&text), kept).to_owned()
}

/// The last bytes of a text, from the first line that begins in them; of one long line what fits of it.
fn end_of(text: &str, bytes: usize) -> &str {
    let from = text.len().saturating_sub(bytes);
    if from == 0 || text.as_bytes().get(from - 1) == Some(&b'\n') {
        return text.get(from..).unwrap_or_default();
    }
    let end = text.get(text.ceil_char_boundary(from)..).unwrap_or_default();
    match end.split_once('\n') {
        Some((_, lines)) if !lines.trim().is_empty() => lines,
        _ => end,
    }
}

/// The last lines of an audit log, without secrets, each with a line end.
fn audit_tail(audit: &[u8], lines: Option<usize>, redactor: &Redactor) -> String {
    let lines = match lines {
        None => limit::INCIDENT_AUDIT_LINES,
        Some(0) => usize::MAX,
        Some(lines) => lines,
    };
    let from = audit.len().saturating_sub(limit::INCIDENT_AUDIT_BYTES);
    let text = String::from_utf8_lossy(audit.get(from..).unwrap_or_default());
    let mut all: Vec<&str> = text.lines().collect();
    let is_cut = from > 0 && audit.get(from - 1) != Some(&b'\n');
    if is_cut && !all.is_empty() {
        // Half a line is no line of an audit log.
        all.remove(0);
    }
    let kept = all.get(all.len().saturating_sub(lines)..).unwrap_or_default();
    kept.iter().map(|line| redactor.line_strictly(line) + "\n").collect()
}

/// The context: the file, with what was typed put over it, and `capture` (seed 3). What is known of the failure fills what
/// neither of them says.
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

/// A file's context. What is no object, or no JSON, is kept as what it is: a capture must not fail for its context.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(Vec::new(), Vec::new())
    }

    #[test]
    fn the_end_of_a_log_is_kept_in_whole_lines_and_valid_text() {
        let log = "first\n".repeat(10_000) + "last\n";
        let tail = log_tail(log.as_bytes(), None, &redactor());
        assert!(tail.len() <= limit::INCIDENT_LOG_BYTES && tail.len() > limit::INCIDENT_LOG_BYTES - 7);
        assert!(tail.starts_with("first\n") && tail.ends_with("first\nlast\n"));
        assert_eq!(log_tail(log.as_bytes(), Some(0), &redactor()), log);
        assert_eq!(log_tail(log.as_bytes(), Some(8), &redactor()), "last\n");
        assert_eq!(log_tail("äöü".as_bytes(), Some(3), &redactor()), "ü");
        assert_eq!(log_tail(b"\xff\xfe\n", None, &redactor()), "\u{fffd}\u{fffd}\n");
        assert_eq!(log_tail(b"", None, &redactor()), "");
    }

    #[test]
    fn a_secret_that_begins_before_the_cut_is_covered() {
        let log = format!("password={}\nend\n", "x".repeat(40));
        let tail = log_tail(log.as_bytes(), Some(20), &redactor());
        assert_eq!(tail, "end\n");
        let one_line = format!("password={}", "x".repeat(40));
        assert_eq!(log_tail(one_line.as_bytes(), Some(20), &redactor()), "*".repeat(20));
    }

    #[test]
    fn the_last_lines_of_an_audit_log_are_kept() {
        let audit: Vec<String> = (0..300).map(|line| format!("{{\"line\":{line}}}\n")).collect();
        let audit = audit.concat();
        let tail = audit_tail(audit.as_bytes(), None, &redactor());
        assert_eq!(tail.lines().count(), 200);
        assert!(tail.starts_with("{\"line\":100}\n") && tail.ends_with("{\"line\":299}\n"));
        assert_eq!(audit_tail(audit.as_bytes(), Some(0), &redactor()), audit);
        // No line end at the end, and a line that is longer than all that is kept.
        assert_eq!(audit_tail(b"a\nb", Some(1), &redactor()), "b\n");
        let long = "x".repeat(limit::INCIDENT_AUDIT_BYTES + 5) + "\nlast";
        assert_eq!(audit_tail(long.as_bytes(), None, &redactor()), "last\n");
    }
}
