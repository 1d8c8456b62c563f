//! `wf-run.json`: the stages of a run in their declared order, and which of them are done (seed 5). Where it
//! contradicts the log, the log is authoritative.

use serde::{Deserialize, Serialize};

use crate::incident::seconds;
use crate::stage::id::{StageId, StageRunId};
use crate::time::Timestamp;

/// File name of the document that describes a workflow run.
pub const WF_RUN: &str = "wf-run.json";

/// A run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WfRunDocument {
    /// Id of the run, which is also the name of its directory.
    pub run_id: StageRunId,
    /// Time at which the run was composed.
    #[serde(with = "seconds")]
    pub created_at: Timestamp,
    /// Workflow that the run was composed from.
    pub workflow: WfRunWorkflow,
    /// Stages of the run, in the order in which the workflow declares them.
    pub stages: Vec<WfRunStage>,
}

/// The workflow that a run was composed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WfRunWorkflow {
    /// Name of the workflow.
    pub name: String,
    /// Version of the workflow.
    pub version: String,
    /// Directory of the workflow, as given by the caller.
    pub source: String,
}

/// A stage of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WfRunStage {
    /// Id of the stage.
    pub id: StageId,
    /// Whether the stage is done.
    pub status: WfRunStatus,
    /// Time at which an executor first took control. None: that has not happened yet.
    #[serde(with = "seconds::optional")]
    pub started_at: Option<Timestamp>,
    /// Time at which the stage was completed. None: that has not happened yet.
    #[serde(with = "seconds::optional")]
    pub completed_at: Option<Timestamp>,
}

/// Whether a stage is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WfRunStatus {
    /// The stage is not done yet.
    Pending,
    /// The stage is done.
    Completed,
}

/// Parses the document of a run.
///
/// # Errors
/// Fails for bytes that are not a valid document.
pub fn read(bytes: &[u8]) -> Result<WfRunDocument, serde_json::Error> {
    serde_json::from_slice(bytes)
}
