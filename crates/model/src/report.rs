//! The complete data of one judged run, which every output is derived from.

use crate::debt::DebtAssessment;
use crate::diagnostic_log::DiagnosticLog;
use crate::id::{Digest, ExecutionId, TaskId};
use crate::outcome::Judgement;
use crate::plan::{Action, Plan};
use crate::reading::Reading;
use crate::record::{Record, RunRecord, SkipReason};
use crate::selection::Scope;
use crate::time::Timestamp;
use crate::verdict::{Decision, Exit, Verdict};

pub mod report_document;

/// Version of the judge. Reports state it; replay under another version says so.
pub const JUDGE_VERSION: &str = "1.7.0";

/// One judged run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The plan of the run.
    pub plan: Plan,
    /// The facts of the run.
    pub run: RunRecord,
    /// Every action in plan order, with its history.
    pub actions: Vec<ActionReport>,
    /// The verdict on the task.
    pub verdict: Verdict,
    /// The diagnostics of the run (seed 4).
    pub diagnostics: DiagnosticLog,
    /// The debt that the run leaves.
    pub debt: DebtAssessment,
}

impl Report {
    /// Returns whether not everything was run. A run that left something out is a reduced one, whatever its header says.
    pub fn is_reduced(&self) -> bool {
        self.run.scope.reduced || self.left_out() > 0
    }

    /// Returns the number of actions that the selection left out.
    pub fn left_out(&self) -> usize {
        let is_left_out =
            |action: &&ActionReport| matches!(action.history, ActionHistory::Skipped(SkipReason::LeftOut(_)));
        self.actions.iter().filter(is_left_out).count()
    }
}

/// An action and its history.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionReport {
    /// The action.
    pub action: Action,
    /// Whether the action ran, with the results, or was skipped.
    pub history: ActionHistory,
}

/// History of an action in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionHistory {
    /// The action ran and was judged.
    Ran(Box<Ran>),
    /// The action was skipped.
    Skipped(SkipReason),
}

/// Results of an action that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// The facts of the last attempt.
    pub record: Record,
    /// The reading of its output.
    pub reading: Reading,
    /// The judgement, all attempts considered.
    pub judgement: Judgement,
    /// The attempts before the last one, in order (ruling 13).
    pub earlier: Vec<Attempt>,
}

impl Ran {
    /// Returns the reason that this action contributes to the verdict when it blocks.
    pub fn verdict_reason(&self, action: &Action) -> String {
        let Judgement { reason, outcome, .. } = &self.judgement;
        format!("{} {}: {reason} ({})", action.id, action.name, outcome.as_str())
    }
}

/// An attempt that was retried.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The facts of the attempt.
    pub record: Record,
    /// The judgement of this attempt alone.
    pub judgement: Judgement,
}

impl ActionReport {
    /// Returns the results, if the action ran.
    pub fn ran(&self) -> Option<&Ran> {
        match &self.history {
            ActionHistory::Ran(ran) => Some(ran),
            ActionHistory::Skipped(_) => None,
        }
    }
}

/// The judged tasks of one specification (ruling 17).
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteReport {
    /// Title of the suite.
    pub title: String,
    /// Path of the specification file.
    pub file: String,
    /// Time at which the first task began.
    pub started: Timestamp,
    /// Time at which the last task ended.
    pub ended: Timestamp,
    /// The tasks, in execution order.
    pub tasks: Vec<SuiteTask>,
    /// Tasks of the specification that were not requested, in its order. If there are any, the run is reduced.
    pub left_out: Vec<TaskId>,
    /// Decision on the suite: PASS if every task passed, else FAIL if any failed, else BLOCKED.
    pub decision: Decision,
    /// Exit code category of the program: the most severe of the tasks.
    pub exit: Exit,
    /// Reasons, one sentence for each task that did not pass; one sentence if all passed.
    pub reasons: Vec<String>,
}

/// One task of a suite.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteTask {
    /// Id of the task.
    pub task: TaskId,
    /// Title of the task.
    pub title: String,
    /// Id of the run.
    pub execution: ExecutionId,
    /// Verdict on the task.
    pub verdict: Verdict,
    /// Scope of the run.
    pub scope: Scope,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// Evidence directory, relative to the evidence root.
    pub directory: String,
    /// SHA-256 of the sealed `execution-report.json`.
    pub report_digest: Digest,
}
