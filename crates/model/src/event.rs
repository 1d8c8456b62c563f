//! The one stream of what happens. Each event is appended to the journal before anyone is told of it; progress, reports
//! and replay are folds over it.

use crate::id::{ActionId, ExecutionId, TaskId};
use crate::outcome::Judgement;
use crate::plan::Phase;
use crate::record::{Record, ServiceRecord, SkipReason};
use crate::time::Timestamp;
use crate::verdict::Decision;

/// One event, numbered without gaps within its run.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// 1 for the first.
    pub sequence: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub happening: Happening,
}

/// What can happen: a closed set.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A run began.
    RunStarted {
        /// The run.
        execution: ExecutionId,
        /// The task.
        task: TaskId,
        /// The task's title.
        title: String,
        /// How many actions there are.
        actions: usize,
    },
    /// An attempt began.
    ActionStarted {
        /// The action.
        action: ActionId,
        /// Its phase.
        phase: Phase,
        /// Its name.
        name: String,
        /// 1 for the first attempt.
        attempt: u32,
    },
    /// An attempt is over; these are its facts.
    ActionFinished(Box<Record>),
    /// An action was judged.
    ActionJudged(Box<Judgement>),
    /// An action will not run.
    ActionSkipped {
        /// The action.
        action: ActionId,
        /// Why.
        reason: SkipReason,
    },
    /// A service that was ready is over.
    ServiceStopped(Box<ServiceRecord>),
    /// The evaluator is given the report of the judged run.
    EvaluatorAsked,
    /// The evaluator is over; these are its facts.
    EvaluatorAnswered(Box<Record>),
    /// A signal came: everything is being stopped.
    Interrupting {
        /// The signal's number.
        signal: i32,
    },
    /// Everything is judged; the evidence is about to be sealed.
    RunFinished {
        /// The decision.
        decision: Decision,
    },
}
