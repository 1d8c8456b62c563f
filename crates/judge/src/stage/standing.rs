//! What a handback is worth: the claim, held against who has control, what the work rests on, what it made and what ran
//! (seed 5; ruling 28).
//!
//! Nothing is decided by the first thing that is wrong: all objections are listed, in the order of [`StandingName::ALL`].
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
//! | `result_contradicts`   |         |         | x     |          | x       | `wf-result.json` says otherwise                        |
//! | `record_contradicts` … | x       | x       | x     | x        | x       | as whoever read the run's files found it               |

use std::collections::BTreeMap;

use referee_model::handback::{Handback, HandbackReason};
use referee_model::id::Digest;
use referee_model::stage::check::Checks;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::standing::{HandbackStanding, Objection, StandingName};
use referee_model::time::Timestamp;

mod claim;
mod control;

/// What is known of a handback, and what it is held against.
#[derive(Debug, Clone)]
pub struct Facts<'facts> {
    pub stage: &'facts StageId,
    /// What lies under `handback.json`.
    pub document: Document<'facts>,
    /// Who has control, as far as it is known.
    pub control: Control<'facts>,
    /// What was found of the outputs.
    pub outputs: &'facts Checks,
    /// What the stage's specification came to.
    pub verdict: Decision<'facts>,
    /// What `wf-result.json` says.
    pub result: ResultSaid<'facts>,
    /// Where files of the run and its log say different things.
    pub contradictions: Vec<Objection>,
}

/// What lies under `handback.json`.
#[derive(Debug, Clone, Copy)]
pub enum Document<'facts> {
    Missing,
    /// No handback: everything that is wrong with it.
    Invalid(&'facts [String]),
    Valid {
        handback: &'facts Handback,
        /// When it was written. None: it cannot be told.
        written_at: Option<Timestamp>,
        /// The attempt that the very same bytes ended. None: they ended none.
        ended: Option<u32>,
    },
}

#[derive(Debug, Clone, Copy)]
pub enum Control<'facts> {
    /// The run has no log, and nothing vouches for what its files say.
    Unvouched {
        /// When control was given, as `accept.json` has it.
        accepted_at: Option<Timestamp>,
    },
    /// The run has a log that cannot be gone by: why.
    Unsound(&'facts str),
    Logged(Logged<'facts>),
}

/// What a sound log says of a stage, beside what is there now.
#[derive(Debug, Clone, Copy)]
pub struct Logged<'facts> {
    pub state: StageState,
    /// The attempt that is on, or was the last; 0: there was none.
    pub attempt: u32,
    pub accepted_at: Option<Timestamp>,
    /// The inputs as they were then.
    pub inputs_then: &'facts BTreeMap<String, Digest>,
    /// The inputs that are there now.
    pub inputs_now: &'facts BTreeMap<String, Digest>,
    /// The stages that it was prepared from.
    pub sources: &'facts [Source],
}

/// A stage that another was prepared from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub stage: StageId,
    /// The attempt whose outputs were taken.
    pub taken: u32,
    /// The attempt whose outputs are published now. None: nothing is.
    pub published: Option<u32>,
}

/// What a stage's specification came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'facts> {
    /// The stage names none.
    NotAsked,
    /// It names one, and nothing ran for what is there now.
    Unknown,
    Pass,
    Other {
        decision: &'facts str,
        reason: &'facts str,
    },
}

/// What `wf-result.json` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultSaid<'facts> {
    /// There is none.
    Absent,
    /// There is something else: what is wrong with it.
    Unreadable(&'facts str),
    Said {
        status: ResultStatus,
        /// The stage that it is about.
        stage: &'facts StageId,
        completed_at: Timestamp,
    },
}

/// What the work came to, as `wf-result.json` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultStatus {
    Success,
    Failure,
    Partial,
}

impl ResultStatus {
    fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Partial => "partial",
        }
    }
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

/// Says what a handback is worth.
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

/// Whether a time lies before another one, to the second: what is kept of times is no finer.
fn is_earlier(time: Timestamp, than: Timestamp) -> bool {
    time.as_millisecond().div_euclid(1_000) < than.as_millisecond().div_euclid(1_000)
}

/// Things that one sentence names.
const LISTED: usize = 10;

fn objection(name: StandingName, message: impl Into<String>, action: impl Into<String>) -> Objection {
    Objection { name, message: message.into(), action: action.into() }
}

#[cfg(test)]
mod tests;
