//! Everything about one judged run, from which every output is projected.

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

/// Version of the judge. A report names it; replay under another version says so.
pub const JUDGE_VERSION: &str = "1.7.0";

/// One judged run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What was to run.
    pub plan: Plan,
    /// The facts of the run.
    pub run: RunRecord,
    /// Every action in plan order, with what came of it.
    pub actions: Vec<ActionReport>,
    /// The judged task.
    pub verdict: Verdict,
    /// What went wrong, finding by finding (seed 4).
    pub diagnostics: DiagnosticLog,
    /// What it leaves to be done.
    pub debt: DebtAssessment,
}

/// One action and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionReport {
    /// The action.
    pub action: Action,
    /// What came of it.
    pub history: ActionHistory,
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionHistory {
    /// It ran and was judged.
    Ran(Box<Ran>),
    /// It never ran.
    Skipped(SkipReason),
}

/// An action that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// Its facts.
    pub record: Record,
    /// What was read from its output.
    pub reading: Reading,
    /// How it came out, all attempts considered.
    pub judgement: Judgement,
    /// The attempts before the last one, in order (ruling 13).
    pub earlier: Vec<Attempt>,
}

impl Ran {
    /// Returns the reason of the verdict that an action which blocks is.
    pub fn verdict_reason(&self, action: &Action) -> String {
        let Judgement { reason, outcome, .. } = &self.judgement;
        format!("{} {}: {reason} ({})", action.id, action.name, outcome.as_str())
    }
}

/// An attempt that was tried again.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Its facts.
    pub record: Record,
    /// How it came out, taken by itself.
    pub judgement: Judgement,
}

impl ActionReport {
    /// Returns the action's run, if it ran.
    pub fn ran(&self) -> Option<&Ran> {
        match &self.history {
            ActionHistory::Ran(ran) => Some(ran),
            ActionHistory::Skipped(_) => None,
        }
    }
}

/// All judged tasks of one specification (ruling 17).
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteReport {
    /// The suite's title.
    pub title: String,
    /// The specification's file.
    pub file: String,
    /// When the first task began.
    pub started: Timestamp,
    /// When the last one was over.
    pub ended: Timestamp,
    /// The tasks in the order in which they ran.
    pub tasks: Vec<SuiteTask>,
    /// Tasks of the specification that were not asked for, in its order. Where there are any, the run is a reduced one.
    pub left_out: Vec<TaskId>,
    /// How the suite came out: PASS where every task passed, else BLOCKED where none failed, else FAIL.
    pub decision: Decision,
    /// What a program exits with: the gravest of its tasks.
    pub exit: Exit,
    /// Why, a sentence a task that did not pass; one sentence where all did.
    pub reasons: Vec<String>,
}

/// One task of a suite.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteTask {
    /// The task.
    pub task: TaskId,
    /// Its title.
    pub title: String,
    /// Its run.
    pub execution: ExecutionId,
    /// How it came out.
    pub verdict: Verdict,
    /// What it set out to do.
    pub scope: Scope,
    /// Milliseconds that it took.
    pub duration_ms: u64,
    /// The directory that holds its evidence, relative to the evidence root.
    pub directory: String,
    /// SHA-256 of its sealed `execution-report.json`.
    pub report_digest: Digest,
}
