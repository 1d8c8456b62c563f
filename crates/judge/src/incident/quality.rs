//! Strength of evidence, and the confidence that it allows a plan (seed 3).
//!
//! | row                                            | signal | strong | weight |
//! |------------------------------------------------|--------|--------|--------|
//! | judged diagnostic, line of the log that fails  | yes    | yes    | 2 + 4  |
//! | context: reason                                | yes    | yes    | 2 + 5  |
//! | context: returncode                            | yes    | yes    | 2 + 3  |
//! | context: any other key                         | yes    |        | 2      |
//! | message, signature, last line of the log       |        |        | 1 - 1  |
//! | a planner's inference                          |        |        | 1      |

use referee_model::incident::evidence::{EvidenceKind, EvidenceQuality, EvidenceRow, Strength};

/// Default confidence of a plan.
pub const CONFIDENCE: f64 = 0.55;

/// Confidence below which one hypothesis is not enough, and below which a person must approve.
pub const UNSURE: f64 = 0.60;

/// Maximum number of rows named as the strongest.
const STRONGEST: usize = 3;

pub fn of(rows: &[EvidenceRow]) -> EvidenceQuality {
    let count = |is: fn(&EvidenceRow) -> bool| rows.iter().filter(|row| is(row)).count();
    let (total, signals, strong) = (rows.len(), count(is_signal), count(is_strong));
    EvidenceQuality {
        total_count: total,
        signal_count: signals,
        strong_signal_count: strong,
        weak_signal_count: total - signals,
        has_failure_signal: strong > 0,
        score: score(rows),
        assessment: strength(rows).as_str().to_owned(),
        strongest_evidence_ids: by_weight(rows).into_iter().take(STRONGEST).map(|place| format!("E{place}")).collect(),
    }
}

/// Returns the score, from 0 to 1 in hundredths.
fn score(rows: &[EvidenceRow]) -> f64 {
    let points = |row: &EvidenceRow| match (is_strong(row), is_signal(row)) {
        (true, _) => 5,
        (false, true) => 2,
        (false, false) => 1,
    };
    if rows.is_empty() { 0.0 } else { hundredths(number(rows.iter().map(points).sum()) / number(5 * rows.len())) }
}

/// Returns the strength of rows.
pub fn strength(rows: &[EvidenceRow]) -> Strength {
    match score(rows) {
        score if score >= 0.75 && rows.iter().any(is_strong) => Strength::Strong,
        score if score >= 0.45 => Strength::Medium,
        _ => Strength::Weak,
    }
}

/// Limits the confidence of a plan, from 0 to 1, by the quality of its evidence.
pub fn confidence(said: f64, quality: &EvidenceQuality) -> f64 {
    let said = if said.is_finite() { said.clamp(0.0, 1.0) } else { CONFIDENCE };
    let most = match (quality.strong_signal_count, quality.score) {
        (0, score) if score < 0.30 => 0.45,
        (0, _) => 0.55,
        (_, score) if score < 0.45 => 0.60,
        _ => 1.0,
    };
    hundredths(said.min(most))
}

/// Returns whether a row is a signal.
fn is_signal(row: &EvidenceRow) -> bool {
    matches!(row.kind, EvidenceKind::ContextSignal | EvidenceKind::LogSignal | EvidenceKind::Diagnostic)
}

/// Returns whether a row says what failed.
pub fn is_strong(row: &EvidenceRow) -> bool {
    match row.kind {
        EvidenceKind::LogSignal | EvidenceKind::Diagnostic => true,
        EvidenceKind::ContextSignal => matches!(key(row), "reason" | "returncode"),
        _ => false,
    }
}

/// Returns the 1-based indexes of all rows, strongest first. Equal ones are ordered by id as text (`E10` before
/// `E2`), like other programs of the contract do.
pub fn by_weight(rows: &[EvidenceRow]) -> Vec<usize> {
    let mut places: Vec<usize> = (1..=rows.len()).collect();
    let weight_at = |place: usize| place.checked_sub(1).and_then(|index| rows.get(index)).map_or(0, weight);
    places.sort_by_key(|place| (std::cmp::Reverse(weight_at(*place)), place.to_string()));
    places
}

fn weight(row: &EvidenceRow) -> i32 {
    let base = if is_signal(row) { 2 } else { 1 };
    base + match &row.kind {
        EvidenceKind::LogSignal | EvidenceKind::Diagnostic => 4,
        EvidenceKind::ContextSignal if key(row) == "reason" => 5,
        EvidenceKind::ContextSignal if key(row) == "returncode" => 3,
        EvidenceKind::ContextSignal | EvidenceKind::AiInferred | EvidenceKind::Other(_) => 0,
        EvidenceKind::SummaryMessage | EvidenceKind::ErrorSignature | EvidenceKind::LogContext => -1,
    }
}

/// Returns the key of the context that a row quotes.
fn key(row: &EvidenceRow) -> &str {
    row.path.rsplit([':', '.']).next().unwrap_or_default()
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "hundredths are made by one division, and compared with what that gives")]
mod tests {
    use std::path::Path;

    use referee_model::incident::evidence::EvidenceSource;
    use serde_json::Value;

    use super::*;

    fn row(kind: &str, path: &str) -> EvidenceRow {
        let kind = match kind {
            "summary_message" => EvidenceKind::SummaryMessage,
            "error_signature" => EvidenceKind::ErrorSignature,
            "context_signal" => EvidenceKind::ContextSignal,
            "log_signal" => EvidenceKind::LogSignal,
            "log_context" => EvidenceKind::LogContext,
            "diagnostic" => EvidenceKind::Diagnostic,
            "ai_inferred" => EvidenceKind::AiInferred,
            other => panic!("{other}"),
        };
        EvidenceRow {
            id: String::new(),
            source: EvidenceSource::Incident,
            path: path.to_owned(),
            kind,
            excerpt: String::new(),
        }
    }

    // IN-40.
    #[test]
    fn evidence_is_weighed_as_the_original_was_seen_to_do() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/cases/incident.observed.json");
        #[expect(clippy::disallowed_methods, reason = "the vectors are outside the project, and may be absent")]
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let vectors: Value = serde_json::from_str(&text).unwrap();
        for vector in vectors["evidence_quality"].as_array().unwrap() {
            let given = vector["rows"].as_array().unwrap();
            let rows: Vec<EvidenceRow> =
                given.iter().map(|one| row(one["kind"].as_str().unwrap(), one["path"].as_str().unwrap())).collect();
            let (found, seen) = (of(&rows), &vector["observed"]);
            assert_eq!(&serde_json::to_value(&found).unwrap(), seen, "{}", vector["name"]);
            for start in ["0.55", "0.95"] {
                let capped = confidence(start.parse().unwrap(), &found);
                assert_eq!(Some(capped), vector[format!("confidence_from_{start}")].as_f64(), "{}", vector["name"]);
            }
        }
    }

    #[test]
    fn evidence_is_weighed_by_the_table() {
        type Rows = &'static [(&'static str, &'static str)];
        let (message, log) = (("summary_message", "incident.json:message"), ("log_signal", "log_tail.txt"));
        let reason = ("context_signal", "context.json:reason");
        for (rows, score, assessment, strongest, most) in [
            (&[] as Rows, 0.0, Strength::Weak, vec![], 0.45),
            (&[message], 0.2, Strength::Weak, vec![1], 0.45),
            (&[("context_signal", "context.json:mode")], 0.4, Strength::Weak, vec![1], 0.55),
            (&[("diagnostic", "diagnostics.json")], 1.0, Strength::Strong, vec![1], 0.95),
            (&[message, reason], 0.6, Strength::Medium, vec![2, 1], 0.95),
            (
                &[log, reason, ("context_signal", "context.json:capture.returncode")],
                1.0,
                Strength::Strong,
                vec![2, 1, 3],
                0.95,
            ),
            (&[message, message, message, message, log], 0.36, Strength::Weak, vec![5, 1, 2], 0.6),
        ] {
            let rows: Vec<EvidenceRow> = rows.iter().map(|(kind, path)| row(kind, path)).collect();
            let found = of(&rows);
            let strongest: Vec<String> = strongest.into_iter().map(|place: usize| format!("E{place}")).collect();
            assert_eq!((found.score, strength(&rows)), (score, assessment));
            assert_eq!((found.assessment.as_str(), &found.strongest_evidence_ids), (assessment.as_str(), &strongest));
            assert_eq!(confidence(0.95, &found), most);
        }
        assert_eq!(confidence(f64::NAN, &of(&[])), 0.45);
        assert_eq!(confidence(-3.0, &of(&[])), 0.0);
    }
}
