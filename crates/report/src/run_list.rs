//! `GET /api/runs` and `GET /api/runs/{task}[/{execution}]`: the runs below an evidence root, with what their sealed reports
//! say in short.

use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::run_overview::RunOverview;
use referee_model::time::Timestamp;
use serde::Serialize;

use referee_model::document::Kind;
use referee_model::evidence_list::{KeptState, Pruned};
#[cfg(feature = "schema")]
use referee_model::number::Count;

const LIST: Kind = Kind { name: "the list of runs", key: "runListVersion", version: "1.0.0" };
const DETAIL: Kind = Kind { name: "the run", key: "runDetailVersion", version: "1.0.0" };

/// A page of runs, the latest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of runs", deny_unknown_fields))]
pub struct RunListDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    run_list_version: &'static str,
    /// How many runs are kept of the tasks that were asked for, on this page or not.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    kept: u64,
    /// The latest first.
    runs: Vec<RunRow>,
    /// What to ask for as `after` to get on. Null: there are no more.
    next: Option<String>,
}

/// One run, and its report in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee run, shown", deny_unknown_fields))]
pub struct RunDetailDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    run_detail_version: &'static str,
    /// The run.
    run: RunRow,
    /// Runs of the task that began later and were never sealed, or go on. While there is one, the task is blocked, whatever
    /// this run decided.
    later: Vec<ExecutionId>,
    /// The actions of its plan, in plan order. Empty: its evidence is not there, or not as it was sealed.
    actions: Vec<PlannedAction>,
}

/// An action of a run's plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PlannedAction {
    /// Its id.
    pub action_id: ActionId,
    /// Name of the action in the plan.
    pub name: String,
    /// How many of its attempts left a record.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub attempts: u64,
    /// Whether there are findings of it.
    pub has_diagnostics: bool,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct RunRow {
    /// The task.
    pub task_id: TaskId,
    /// The run. Null: nothing in its directory tells.
    pub execution_id: Option<ExecutionId>,
    /// What it is.
    pub state: KeptState,
    /// Whether its report is the one that was sealed.
    pub evidence: EvidenceState,
    /// Why not. Null: it is.
    pub problem: Option<String>,
    /// Its number in the chain, where its seal says one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub sequence: Option<u64>,
    /// When it was sealed.
    pub sealed_at: Option<Timestamp>,
    /// SHA-256 of its seal.
    pub seal_digest: Option<Digest>,
    /// What its report says in short. Null: there is no report that is as it was sealed, so nothing is said of a decision.
    pub report: Option<RunOverview>,
    /// When and why its files were removed on purpose. Null: they were not.
    pub pruned: Option<Pruned>,
}

/// Whether what a run left is what was sealed, as far as a look at its seal and its report tells; a verification looks at
/// every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceState {
    /// Its report is the one that was sealed.
    AsSealed,
    /// It is not, or its seal is none of the chain that is kept outside the workspace.
    Altered,
    /// It cannot be read.
    Unreadable,
    /// It was never sealed.
    Unsealed,
    /// Its files were removed on purpose.
    Pruned,
}

/// Returns a page of runs as a document.
pub fn list(kept: u64, runs: Vec<RunRow>, next: Option<String>) -> RunListDocument {
    RunListDocument { run_list_version: LIST.version, kept, runs, next }
}

/// Returns one run as a document.
pub fn detail(run: RunRow, later: Vec<ExecutionId>, actions: Vec<PlannedAction>) -> RunDetailDocument {
    RunDetailDocument { run_detail_version: DETAIL.version, run, later, actions }
}

impl RunListDocument {
    /// The runs.
    pub fn runs(&self) -> &[RunRow] {
        &self.runs
    }

    /// What to ask for to get on.
    pub fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }
}

impl RunDetailDocument {
    /// The run.
    pub fn run(&self) -> &RunRow {
        &self.run
    }

    /// The actions of its plan.
    pub fn actions(&self) -> &[PlannedAction] {
        &self.actions
    }

    /// Runs of the task that began later and are not sealed.
    pub fn later(&self) -> &[ExecutionId] {
        &self.later
    }
}
