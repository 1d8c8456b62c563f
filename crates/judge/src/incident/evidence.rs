//! Evidence rows of an incident: judged diagnostics first, then its own fields, then the end of its log.
//!
//! | order | from                | which                                                                     |
//! |-------|---------------------|---------------------------------------------------------------------------|
//! | 1     | `diagnostics.json`  | blocking ones, then the most severe                                       |
//! | 2     | `incident.json`     | the message; the signature without it                                     |
//! | 3     | `context.json`      | reason, inferred_from, mode, returncode, source, if they are informative  |
//! | 4     | `log_tail.txt`      | the last lines that report a failure, else the last line                  |

use std::collections::BTreeSet;

use referee_model::incident::evidence::{EvidenceKind, EvidenceRow, EvidenceSource};
use referee_model::limit::{PLAN_EVIDENCE, PLAN_EXCERPT_CHARACTERS, SIGNATURE_MESSAGE_CHARACTERS};
use referee_syntax::line::{self, one_line};
use serde_json::Value;

use super::finding::Finding;
use super::signal;

/// Minimum number of log lines among the rows, however many diagnostics there are.
const LOG_LINES_LEAST: usize = 2;

/// Keys of the context that may describe a failure, in this order.
const KEYS: [&str; 5] = ["reason", "inferred_from", "mode", "returncode", "source"];

/// Data of an incident's failure, with secrets removed.
#[derive(Debug, Clone, Copy)]
pub struct FailureEvidence<'material> {
    pub message: &'material str,
    pub signature: &'material str,
    pub context: &'material Value,
    pub log: &'material str,
    /// Diagnostics, most severe first.
    pub findings: &'material [Finding],
}

/// Returns the rows of evidence without duplicates; at most 12.
pub fn rows(material: &FailureEvidence<'_>) -> Vec<EvidenceRow> {
    let own: Vec<EvidenceRow> = of_incident(material).into_iter().chain(of_context(material.context)).collect();
    let log = of_log(material.log);
    let room = PLAN_EVIDENCE.saturating_sub(own.len() + log.len().min(LOG_LINES_LEAST));
    let mut seen = BTreeSet::new();
    let mut is_new =
        |row: &EvidenceRow| !row.excerpt.is_empty() && seen.insert((row.path.clone(), row.excerpt.clone()));
    let diagnostics = material.findings.iter().map(of_finding).filter(&mut is_new).take(room);
    let mut rows: Vec<EvidenceRow> = diagnostics.collect();
    rows.extend(own.into_iter().filter(&mut is_new));
    let log: Vec<EvidenceRow> = log.into_iter().filter(&mut is_new).collect();
    // A log ends with its failure, so rows that do not fit are dropped from the beginning.
    let dropped = (rows.len() + log.len()).saturating_sub(PLAN_EVIDENCE);
    rows.extend(log.into_iter().skip(dropped));
    for (place, row) in (1..).zip(&mut rows) {
        row.id = format!("E{place}");
    }
    rows
}

/// Returns the row of a diagnostic.
pub fn of_finding(finding: &Finding) -> EvidenceRow {
    row(EvidenceSource::Diagnostics, "diagnostics.json", EvidenceKind::Diagnostic, &finding.sentence())
}

/// Returns whether a log reports a failure.
pub fn has_signal(log: &str) -> bool {
    log.lines().any(signal::is_signal)
}

/// Returns a text as one line for a row: white space as single spaces, no control characters, limited length.
pub fn excerpt(text: &str) -> String {
    line::bounded(text, PLAN_EXCERPT_CHARACTERS)
}

fn row(source: EvidenceSource, path: &str, kind: EvidenceKind, text: &str) -> EvidenceRow {
    EvidenceRow { id: String::new(), source, path: path.to_owned(), kind, excerpt: excerpt(text) }
}

fn of_incident(material: &FailureEvidence<'_>) -> Vec<EvidenceRow> {
    let message =
        row(EvidenceSource::Incident, "incident.json:message", EvidenceKind::SummaryMessage, material.message);
    let signature = row(
        EvidenceSource::Incident,
        "incident.json:error_signature",
        EvidenceKind::ErrorSignature,
        &without_message(material.signature, material.message),
    );
    [message, signature].into_iter().filter(|row| !row.excerpt.is_empty()).collect()
}

/// Removes the message, which is the last part of the signature.
fn without_message(signature: &str, message: &str) -> String {
    let (signature, message) = (one_line(signature), one_line(message));
    let kept: String = message.chars().take(SIGNATURE_MESSAGE_CHARACTERS).collect();
    let kept = kept.trim_end();
    let rest = match signature.strip_suffix(kept) {
        Some(rest) if !kept.is_empty() => rest.to_owned(),
        // Written by other programs: class and step are the first two parts.
        _ => signature.split(" | ").take(2).collect::<Vec<_>>().join(" | "),
    };
    rest.trim_end_matches([' ', '|']).to_owned()
}

fn of_context(context: &Value) -> Vec<EvidenceRow> {
    let of = |key: &&str| {
        let own = context.get(*key).map(|value| (format!("context.json:{key}"), value));
        let captured = || Some((format!("context.json:capture.{key}"), context.get("capture")?.get(*key)?));
        let (path, value) = own.filter(|(_, value)| says_something(key, value)).or_else(captured)?;
        let text = told(value)?;
        says_something(key, value)
            .then(|| row(EvidenceSource::Context, &path, EvidenceKind::ContextSignal, &format!("{key}={text}")))
    };
    KEYS.iter().filter_map(of).collect()
}

fn told(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        _ => None,
    }
}

/// Returns whether the value of a key is informative: a return code of 0 is not a failure.
fn says_something(key: &str, value: &Value) -> bool {
    const BLANK: [&str; 8] = ["", "-", "none", "null", "nil", "n/a", "na", "unknown"];
    told(value).is_some_and(|text| {
        let text = text.to_ascii_lowercase();
        let is_success = key == "returncode" && text.parse::<f64>() == Ok(0.0);
        !is_success && !BLANK.contains(&text.as_str())
    })
}

fn of_log(log: &str) -> Vec<EvidenceRow> {
    let mut signals: Vec<&str> = log.lines().rev().filter(|line| signal::is_signal(line)).take(PLAN_EVIDENCE).collect();
    signals.reverse();
    if signals.is_empty() {
        let last = log.lines().rev().find(|line| !one_line(line).is_empty());
        return last
            .map(|line| row(EvidenceSource::LogTail, "log_tail.txt", EvidenceKind::LogContext, line))
            .into_iter()
            .collect();
    }
    let of = |line: &&str| row(EvidenceSource::LogTail, "log_tail.txt", EvidenceKind::LogSignal, line);
    signals.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(material: &FailureEvidence<'_>) -> Vec<String> {
        rows(material).iter().map(|row| format!("{} {} {}", row.kind.as_str(), row.path, row.excerpt)).collect()
    }

    #[test]
    fn weak_evidence_is_taken_as_it_is() {
        let context = json!({"reason": "worker_exit", "inferred_from": " ", "mode": "N/A", "returncode": 1,
            "source": "Unknown", "other": "x"});
        let material = FailureEvidence {
            message: "Run  failed\nin the end",
            signature: "run_failed | download | Run failed in the end",
            context: &context,
            log: "started provider run\n\n",
            findings: &[],
        };
        // IN-02.
        assert_eq!(
            told(&material),
            [
                "summary_message incident.json:message Run failed in the end",
                "error_signature incident.json:error_signature run_failed | download",
                "context_signal context.json:reason reason=worker_exit",
                "context_signal context.json:returncode returncode=1",
                "log_context log_tail.txt started provider run",
            ]
        );
        let context = json!({"returncode": "0", "capture": {"returncode": 2, "reason": null}});
        let material = FailureEvidence { message: "", signature: "", context: &context, log: "", findings: &[] };
        assert_eq!(told(&material), ["context_signal context.json:capture.returncode returncode=2"]);
    }

    #[test]
    fn the_end_of_a_log_counts_and_diagnostics_stand_first() {
        let lines: Vec<String> = (0..50).map(|number| format!("step {number} failed\n")).collect();
        let mut log = lines.concat();
        log.push_str("\u{1b}[31mTypeError:\u{1b}[0m x is not a function\nstep 49 failed\nbye\n");
        let findings: Vec<Finding> = (0..20)
            .map(|number| {
                super::super::finding::read(&json!([{"message": format!("m{number}"), "file": "a.ts"}])).remove(0)
            })
            .collect();
        let context = json!({"reason": "exit"});
        let material =
            FailureEvidence { message: "it failed", signature: "", context: &context, log: &log, findings: &findings };
        let found = told(&material);
        assert_eq!(found.len(), PLAN_EVIDENCE);
        assert_eq!(found[0], "diagnostic diagnostics.json a.ts: error: m0");
        assert_eq!(found[10], "log_signal log_tail.txt step 49 failed");
        assert_eq!(found[11], "log_signal log_tail.txt TypeError: x is not a function");
        let alone = FailureEvidence { findings: &[], context: &Value::Null, ..material };
        assert_eq!(told(&alone).len(), PLAN_EVIDENCE);
    }

    #[test]
    fn an_excerpt_is_one_bounded_line() {
        assert_eq!(excerpt("a\u{1b}[31mb\u{1b}[0m\n\n# c\u{202e}\u{7}"), "ab # c");
        assert_eq!(excerpt(&"é".repeat(500)).chars().count(), PLAN_EXCERPT_CHARACTERS);
    }

    proptest::proptest! {
        #[test]
        fn any_material_makes_few_bounded_rows(message in ".{0,300}", signature in ".{0,300}", log in "(.{0,80}\n){0,30}") {
            let material =
                FailureEvidence { message: &message, signature: &signature, context: &Value::Null, log: &log, findings: &[] };
            let found = rows(&material);
            assert!(found.len() <= PLAN_EVIDENCE);
            assert!(found.iter().all(|row| row.excerpt.chars().count() <= PLAN_EXCERPT_CHARACTERS));
        }
    }
}
