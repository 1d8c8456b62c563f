//! Ends of logs that are kept of a failure, without secrets.

use referee_ledger::redact::Redactor;
use referee_model::limit;

/// Returns the end of a log, in whole lines, without secrets. It is cut after redaction: a secret that begins
/// before the cut is only recognized by its beginning.
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

/// Returns the last `bytes` bytes of a text, from the first line that begins in them; of one long line, as much as
/// fits.
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

/// Returns the last lines of an audit log, without secrets, each with a line end.
pub(super) fn audit_tail(audit: &[u8], lines: Option<usize>, redactor: &Redactor) -> String {
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
        // A partial line is no line of an audit log.
        all.remove(0);
    }
    let kept = all.get(all.len().saturating_sub(lines)..).unwrap_or_default();
    kept.iter().map(|line| redactor.line_strictly(line) + "\n").collect()
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
        // No line end at the end, and a line that is longer than the whole limit.
        assert_eq!(audit_tail(b"a\nb", Some(1), &redactor()), "b\n");
        let long = "x".repeat(limit::INCIDENT_AUDIT_BYTES + 5) + "\nlast";
        assert_eq!(audit_tail(long.as_bytes(), None, &redactor()), "last\n");
    }
}
