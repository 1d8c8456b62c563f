//! `wf-run.json`: which stages a run has, in their declared order, and which are done (seed 5). The log is what is believed.

use serde::{Deserialize, Serialize};

use crate::incident::seconds;
use crate::stage::id::{StageId, StageRunId};
use crate::time::Timestamp;

/// A run of a workflow.
pub const WF_RUN: &str = "wf-run.json";

/// A run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WfRunDocument {
    /// Its id, which is the name of its directory.
    pub run_id: StageRunId,
    /// When it was composed.
    #[serde(with = "seconds")]
    pub created_at: Timestamp,
    /// The workflow.
    pub workflow: WfRunWorkflow,
    /// Its stages, in the order in which the workflow declares them.
    pub stages: Vec<WfRunStage>,
}

/// The workflow of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WfRunWorkflow {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its directory, as it was named.
    pub source: String,
}

/// A stage of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WfRunStage {
    /// Its id.
    pub id: StageId,
    /// Whether it is done.
    pub status: WfRunStatus,
    /// When an executor first had control.
    #[serde(with = "seconds::optional")]
    pub started_at: Option<Timestamp>,
    /// When it was done.
    #[serde(with = "seconds::optional")]
    pub completed_at: Option<Timestamp>,
}

/// Whether a stage is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WfRunStatus {
    /// Not yet.
    Pending,
    /// It is.
    Completed,
}

/// Reads a run.
///
/// # Errors
/// Fails for bytes that are none.
pub fn read(bytes: &[u8]) -> Result<WfRunDocument, serde_json::Error> {
    serde_json::from_slice(bytes)
}
