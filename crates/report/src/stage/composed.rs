//! The document of `referee stage compose --format json`: a run that was composed.

use referee_model::document::Kind;
use referee_model::stage::id::{StageId, StageRunId};
use serde::Serialize;

const KIND: Kind = Kind { name: "the answer to a composition", key: "stage_composed_version", version: "1.0.0" };

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComposedDocument {
    stage_composed_version: &'static str,
    pub run_id: StageRunId,
    /// Absolute path of the run's directory.
    pub path: String,
    /// Stages of the run, in their declared order.
    pub stages: Vec<StageId>,
    /// Warnings that do not block, one sentence each.
    pub warnings: Vec<String>,
}

impl ComposedDocument {
    pub fn new(run_id: StageRunId, path: String, stages: Vec<StageId>, warnings: Vec<String>) -> Self {
        Self { stage_composed_version: KIND.version, run_id, path, stages, warnings }
    }
}
