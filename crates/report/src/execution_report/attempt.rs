//! The attempts of an action that was retried (ruling 13).

use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::{Action, Plan};
use referee_model::record::Record;
use referee_model::report::Ran;

use referee_model::evidence_name;
use referee_model::number::Count;

use super::evidence;

/// One attempt of an action, judged by itself.
#[document]
pub(super) struct AttemptDocument {
    /// Number of the attempt, from 1.
    number: u32,
    /// Outcome of the attempt, judged by itself.
    status: Outcome,
    /// Reason for the outcome, in one sentence.
    reason: String,
    /// Duration of the attempt in milliseconds.
    duration: Count,
    /// Record of the attempt, which also names the files with its output.
    evidence: String,
}

/// Returns all attempts of an action, in order.
pub(super) fn all(plan: &Plan, action: &Action, ran: &Ran) -> Vec<AttemptDocument> {
    let one = |record: &Record, status, judgement: &Judgement| AttemptDocument {
        number: record.attempt,
        status,
        reason: judgement.reason.clone(),
        duration: record.span.duration_ms.into(),
        evidence: evidence::shown(plan, &evidence_name::record(action, record.attempt)),
    };
    let earlier = ran.earlier.iter().map(|attempt| one(&attempt.record, attempt.judgement.outcome, &attempt.judgement));
    // A policy may turn a pass after a failure into a failure; the last attempt itself still passed.
    let last = if ran.judgement.flaky { Outcome::Success } else { ran.judgement.outcome };
    earlier.chain([one(&ran.record, last, &ran.judgement)]).collect()
}
