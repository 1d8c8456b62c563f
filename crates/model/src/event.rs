//! The event stream of a run. Each event is appended to the journal before it is reported; progress, reports and
//! replay are folds over it.

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
    /// Number of the event, from 1, without gaps.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub sequence: u64,
    /// When the event occurred, in UTC.
    pub at: Timestamp,
    /// Kind and details of the event.
    #[serde(flatten)]
    pub happening: EventKind,
}

/// Kinds of events: a closed set.
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
        /// Number of actions of the task.
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
    /// An attempt ended. The complete record is stored in a file of its own.
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
    /// A service that had been ready ended.
    #[serde(serialize_with = "journal::stopped")]
    #[cfg_attr(feature = "schema", schemars(with = "journal::Stopped<'static>"))]
    ServiceStopped(Box<ServiceRecord>),
    /// The evaluator was started with the report of the judged run.
    EvaluatorAsked,
    /// The evaluator ended. The complete record is stored in a file of its own.
    #[serde(serialize_with = "journal::finished")]
    #[cfg_attr(feature = "schema", schemars(with = "journal::Finished<'static>"))]
    EvaluatorAnswered(Box<Record>),
    /// The run received a signal and is stopping everything.
    Interrupting {
        /// Number of the signal, such as 15 for SIGTERM.
        signal: i32,
    },
    /// Everything is judged; sealing of the evidence follows.
    RunFinished {
        /// Decision on the task, from the judgements of all its actions.
        decision: Decision,
    },
}
