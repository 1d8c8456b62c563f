//! The one stream of what happens. Each event is appended to the journal before anyone is told of it; progress, reports
//! and replay are folds over it.

use serde::Serialize;

use crate::id::{ActionId, ExecutionId, TaskId};
use crate::outcome::Judgement;
use crate::plan::Phase;
use crate::record::{Record, ServiceRecord, SkipReason};
use crate::time::Timestamp;
use crate::verdict::Decision;

pub mod journal;

/// One event, numbered without gaps within its run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// 1 for the first; without gaps.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub sequence: u64,
    /// When the event occurred, in UTC.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub happening: EventKind,
}

/// What can happen: a closed set.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// A run began.
    RunStarted {
        /// Id of the run that started.
        #[serde(rename = "executionId")]
        execution: ExecutionId,
        /// Id of the task that the run executes.
        #[serde(rename = "taskId")]
        task: TaskId,
        /// Title of the task in the plan.
        title: String,
        /// How many actions there are.
        actions: usize,
    },
    /// An attempt began.
    ActionStarted {
        /// Id of the action that is attempted.
        #[serde(rename = "actionId")]
        action: ActionId,
        /// Phase of the plan that the action belongs to.
        phase: Phase,
        /// Name of the action in the plan.
        name: String,
        /// Number of the attempt, from 1.
        #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
        attempt: u32,
    },
    /// An attempt is over. The whole record is in a file of its own.
    #[serde(serialize_with = "journal::finished")]
    #[cfg_attr(feature = "schema", schemars(with = "journal::Finished<'static>"))]
    ActionFinished(Box<Record>),
    /// An action was judged.
    #[serde(serialize_with = "journal::judged")]
    #[cfg_attr(feature = "schema", schemars(with = "journal::Judged<'static>"))]
    ActionJudged(Box<Judgement>),
    /// An action will not run.
    #[serde(serialize_with = "journal::skipped")]
    #[cfg_attr(feature = "schema", schemars(with = "journal::Skipped<'static>"))]
    ActionSkipped {
        /// Id of the action that will not run.
        action: ActionId,
        /// Why the action does not run, by kind.
        reason: SkipReason,
    },
    /// A service that was ready is over.
    #[serde(serialize_with = "journal::stopped")]
    #[cfg_attr(feature = "schema", schemars(with = "journal::Stopped<'static>"))]
    ServiceStopped(Box<ServiceRecord>),
    /// The evaluator is given the report of the judged run.
    EvaluatorAsked,
    /// The evaluator is over. The whole record is in a file of its own.
    #[serde(serialize_with = "journal::finished")]
    #[cfg_attr(feature = "schema", schemars(with = "journal::Finished<'static>"))]
    EvaluatorAnswered(Box<Record>),
    /// A signal came: everything is being stopped.
    Interrupting {
        /// Number of the signal, such as 15 for SIGTERM.
        signal: i32,
    },
    /// Everything is judged; the evidence is about to be sealed.
    RunFinished {
        /// Decision on the task, from the judgements of all its actions.
        decision: Decision,
    },
}
