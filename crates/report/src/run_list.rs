//! `GET /api/runs` and `GET /api/runs/{task}[/{execution}]`: the runs in an evidence root, with an overview of
//! their sealed reports.

use referee_model::depot::DepotLink;
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

/// A page of runs, latest first.
#[document(nulls)]
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of runs"))]
pub struct RunListDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    run_list_version: &'static str,
    /// Number of stored runs of the requested tasks, on this page or not.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    kept: u64,
    /// Runs of this page, latest first.
    runs: Vec<RunRow>,
    /// Value of `after` that requests the next page. Null: there are no more runs.
    next: Option<String>,
}

/// One run, with an overview of its report.
#[document]
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "schema", schemars(title = "Referee run, shown"))]
pub struct RunDetailDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    run_detail_version: &'static str,
    /// Id of the run.
    pub run: RunRow,
    /// Runs of the task that began later and were never sealed, or are still running. While there is one, the task
    /// is blocked, whatever this run decided.
    later: Vec<ExecutionId>,
    /// Actions of the run's plan, in plan order. Empty: the evidence is missing, or differs from what was sealed.
    actions: Vec<PlannedAction>,
}

/// An action of a run's plan.
#[document]
#[derive(Clone, PartialEq)]
pub struct PlannedAction {
    /// Id of the action.
    pub action_id: ActionId,
    /// Name of the action in the plan.
    pub name: String,
    /// Number of attempts that left a record.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub attempts: u64,
    /// Whether the action has findings.
    pub has_diagnostics: bool,
}

/// A run in a list.
#[document(nulls)]
#[derive(Clone, PartialEq)]
pub struct RunRow {
    /// Id of the task.
    pub task_id: TaskId,
    /// Id of the run. Null: nothing in its directory states it.
    pub execution_id: Option<ExecutionId>,
    /// State of the run.
    pub state: KeptState,
    /// Whether the run's report is the sealed one.
    pub evidence: EvidenceState,
    /// Why the report is not the sealed one. Null: it is.
    pub problem: Option<String>,
    /// Sequence number of the run in the chain, where its seal states one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub sequence: Option<u64>,
    /// Time at which the run was sealed. Null: it was not.
    pub sealed_at: Option<Timestamp>,
    /// SHA-256 of the run's seal. Null: there is none.
    pub seal_digest: Option<Digest>,
    /// Overview of the run's report. Null: there is no report that is as it was sealed, so no decision is stated.
    pub report: Option<RunOverview>,
    /// When and why the run's files were removed on purpose. Null: they were not.
    pub pruned: Option<Pruned>,
}

/// Whether the files of a run are the sealed ones, as far as its seal and its report show; a verification examines
/// every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceState {
    /// The report is the sealed one.
    AsSealed,
    /// The report is not the sealed one, or the seal is not part of the chain that is kept outside the workspace.
    Altered,
    /// The evidence cannot be read.
    Unreadable,
    /// The run was never sealed.
    Unsealed,
    /// The files were removed on purpose.
    Pruned,
    /// A depot names the run as the newest of its task, and it does not verify, or no trusted key signed it.
    Unverified,
}

impl RunRow {
    /// Returns the row of a run that a depot names, and that is not shown.
    pub fn unverified(run: &DepotLink, problem: String) -> Self {
        Self {
            task_id: run.task_id.clone(),
            execution_id: Some(run.execution_id.clone()),
            state: KeptState::Latest,
            evidence: EvidenceState::Unverified,
            problem: Some(problem),
            sequence: None,
            sealed_at: None,
            seal_digest: Some(run.seal_digest),
            report: None,
            pruned: None,
        }
    }
}

pub fn list(kept: u64, runs: Vec<RunRow>, next: Option<String>) -> RunListDocument {
    RunListDocument { run_list_version: LIST.version, kept, runs, next }
}

pub fn detail(run: RunRow, later: Vec<ExecutionId>, actions: Vec<PlannedAction>) -> RunDetailDocument {
    RunDetailDocument { run_detail_version: DETAIL.version, run, later, actions }
}
