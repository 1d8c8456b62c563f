//! Judges a handback: its claim is compared with control, inputs, outputs and the verdict (seed 5; ruling 28).
//!
//! All objections are listed, not only the first, in the order of [`StandingName::ALL`].
//!
//! | objection              | missing | invalid | error | question | success | where                                                  |
//! |------------------------|---------|---------|-------|----------|---------|--------------------------------------------------------|
//! | `handback_missing`     | x       |         |       |          |         | always                                                 |
//! | `handback_invalid`     |         | x       |       |          |         | always                                                 |
//! | `handback_error`       |         |         | x     |          |         | always                                                 |
//! | `handback_question`    |         |         |       | x        |         | always                                                 |
//! | `without_control`      | x       | x       | x     | x        | x       | by the log the stage is not active                     |
//! | `stale_handback`       |         |         | x     | x        | x       | written before control was given                       |
//! | `inputs_changed`       | x       | x       |       |          | x       | inputs or their stages are other than at the accept    |
//! | `outputs_contradict`   |         |         |       |          | x       | the outputs do not pass                                |
//! | `verdict_contradicts`  |         |         |       |          | x       | a specification is named, and it is not passed         |
//! | `result_contradicts`   |         |         | x     |          | x       | `wf-result.json` contradicts it                        |
//! | `record_contradicts` … | x       | x       | x     | x        | x       | as found by the reader of the run's files              |

use std::collections::BTreeMap;

use referee_model::handback::{Handback, HandbackReason};
use referee_model::id::Digest;
use referee_model::stage::check::Checks;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::result::WfResultStatus;
use referee_model::stage::standing::{HandbackStanding, Objection, StandingName};
use referee_model::time::Timestamp;

mod claim;
mod control;

/// A handback, with the facts to compare it with.
#[derive(Debug, Clone)]
pub struct Facts<'facts> {
    pub stage: &'facts StageId,
    /// Content of `handback.json`.
    pub document: Document<'facts>,
    /// Who has control, as far as known.
    pub control: Control<'facts>,
    /// Checks of the outputs.
    pub outputs: &'facts Checks,
    /// Result of the stage's specification.
    pub verdict: Decision<'facts>,
    /// Content of `wf-result.json`.
    pub result: ResultSaid<'facts>,
    /// Contradictions between files of the run and its log.
    pub contradictions: Vec<Objection>,
}

/// Content of `handback.json`.
#[derive(Debug, Clone, Copy)]
pub enum Document<'facts> {
    Missing,
    /// Not a valid handback, with all errors.
    Invalid(&'facts [String]),
    Valid {
        handback: &'facts Handback,
        /// Time when it was written. None: unknown.
        written_at: Option<Timestamp>,
        /// 1-based attempt that was ended by exactly these bytes. None: no attempt was.
        ended: Option<u32>,
    },
}

#[derive(Debug, Clone, Copy)]
pub enum Control<'facts> {
    /// The run has no log, so its files are unconfirmed.
    Unvouched {
        /// Time of the accept by `accept.json`.
        accepted_at: Option<Timestamp>,
    },
    /// The run has a log that cannot be trusted, with the reason.
    Unsound(&'facts str),
    Logged(Logged<'facts>),
}

/// Data of a stage in an intact log, with the current state.
#[derive(Debug, Clone, Copy)]
pub struct Logged<'facts> {
    pub state: StageState,
    /// Current or last attempt, 1-based; 0: there was none.
    pub attempt: u32,
    pub accepted_at: Option<Timestamp>,
    /// Inputs at that time, by path.
    pub inputs_then: &'facts BTreeMap<String, Digest>,
    /// Current inputs, by path.
    pub inputs_now: &'facts BTreeMap<String, Digest>,
    /// Stages from which it was prepared.
    pub sources: &'facts [Source],
}

/// A stage from which another was prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub stage: StageId,
    /// 1-based attempt whose outputs were taken.
    pub taken: u32,
    /// 1-based attempt whose outputs are published now. None: none is.
    pub published: Option<u32>,
}

/// Result of a stage's specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'facts> {
    /// The stage has no specification.
    NotAsked,
    /// The stage has a specification, but there is no run for the current state.
    Unknown,
    Pass,
    Other {
        decision: &'facts str,
        reason: &'facts str,
    },
}

/// Content of `wf-result.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultSaid<'facts> {
    /// The file does not exist.
    Absent,
    /// The file is invalid, with the reason.
    Unreadable(&'facts str),
    Said {
        status: WfResultStatus,
        /// Stage that the file names.
        stage: &'facts StageId,
        completed_at: Timestamp,
    },
}

impl Control<'_> {
    fn accepted_at(&self) -> Option<Timestamp> {
        match self {
            Self::Unvouched { accepted_at } => *accepted_at,
            Self::Unsound(_) => None,
            Self::Logged(logged) => logged.accepted_at,
        }
    }
}

/// Judges a handback.
pub fn judge(facts: &Facts<'_>) -> HandbackStanding {
    let reason = match facts.document {
        Document::Valid { handback, .. } => Some(handback.reason()),
        Document::Missing | Document::Invalid(_) => None,
    };
    let mut objections: Vec<Objection> = claim::of_itself(facts.stage, facts.document).into_iter().collect();
    objections.extend(control::objections(facts, reason));
    if reason == Some(HandbackReason::Success) {
        objections.extend(claim::of_outputs(facts.stage, facts.outputs));
        objections.extend(claim::of_verdict(facts.stage, facts.verdict));
    }
    objections.extend(claim::of_result(facts, reason));
    objections.extend(facts.contradictions.iter().cloned());
    objections.sort_by_key(|objection| objection.name);
    HandbackStanding { reason, objections }
}

/// Compares times at a resolution of one second, which is that of stored times.
fn is_earlier(time: Timestamp, than: Timestamp) -> bool {
    time.as_millisecond().div_euclid(1_000) < than.as_millisecond().div_euclid(1_000)
}

/// Maximum number of items in one sentence.
const LISTED: usize = 10;

fn objection(name: StandingName, message: impl Into<String>, action: impl Into<String>) -> Objection {
    Objection { name, message: message.into(), action: action.into() }
}

#[cfg(test)]
mod tests;
