//! Every attempt of an action that was tried more than once (ruling 13).

use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::{Action, Plan};
use referee_model::record::Record;
use referee_model::report::Ran;
use serde::Serialize;

use referee_model::evidence_name;
use referee_model::number::Count;

use super::evidence;

/// One attempt, taken by itself.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(super) struct AttemptDocument {
    /// Number of the attempt, from 1.
    number: u32,
    /// How the attempt came out, taken by itself.
    status: Outcome,
    /// One sentence: why this outcome.
    reason: String,
    /// How long the attempt took, in milliseconds.
    duration: Count,
    /// Its facts, which also name its output.
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
    // A policy may turn a pass after a failure into a failure; the attempt itself passed all the same.
    let last = if ran.judgement.flaky { Outcome::Success } else { ran.judgement.outcome };
    earlier.chain([one(&ran.record, last, &ran.judgement)]).collect()
}
