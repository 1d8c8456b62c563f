//! The documents of `referee stage prepare`, `accept`, `answer` and `finalize` with `--format json`. The keys of a
//! judgement are those of the seed.

use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::incident::seconds;
use referee_model::stage::check::{CheckStatus, Checks};
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::life::StageState;
use referee_model::stage::log::StageVerdict;
use referee_model::stage::standing::Objection;
use referee_model::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

/// Version of these documents.
const VERSION: &str = "1.0.0";

/// Result of `referee stage prepare`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StagePreparedDocument {
    pub stage_prepared_version: String,
    pub stage_id: StageId,
    pub run_id: StageRunId,
    /// State of the stage now.
    pub state: StageState,
    /// Whether nothing was written, and this is what would be written.
    pub dry_run: bool,
    /// Stages that provide inputs, each with the attempt whose outputs were taken.
    pub sources: BTreeMap<StageId, u32>,
    /// Files that were copied.
    pub copied: Vec<CopiedInput>,
    /// Optional inputs that no stage has published.
    pub left_out: Vec<String>,
    /// Values that were written to `inputs/params.json`.
    pub parameters: Map<String, Value>,
    pub warnings: Vec<String>,
    /// Command to run next.
    pub next: String,
}

/// A file that was copied from one stage to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopiedInput {
    pub name: String,
    pub from_stage: StageId,
    pub source: String,
    pub path: String,
    /// SHA-256 of the file, as published.
    pub sha256: Digest,
}

/// Result of `referee stage accept`: an executor has taken control of the stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageAcceptedDocument {
    pub stage_accepted_version: String,
    pub stage_id: StageId,
    pub run_id: StageRunId,
    /// State of the stage now.
    pub state: StageState,
    /// Number of the attempt that began, from 1.
    pub attempt: u32,
    #[serde(with = "seconds")]
    pub accepted_at: Timestamp,
    /// Prompts that the executor reads first, as paths in the stage's directory.
    pub prompts: Vec<String>,
    /// Questions of earlier attempts with their answers, as paths in the stage's directory.
    pub messages: Vec<String>,
    /// Inputs that exist, each with its SHA-256.
    pub inputs: BTreeMap<String, Digest>,
    /// Path in the stage's directory at which the files of the previous attempt are kept. Null: there was none.
    pub kept: Option<String>,
    pub warnings: Vec<String>,
    /// Command to run next.
    pub next: String,
}

/// A question of a stage, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageAnsweredDocument {
    pub stage_answered_version: String,
    pub stage_id: StageId,
    pub run_id: StageRunId,
    /// State of the stage now.
    pub state: StageState,
    pub attempt: u32,
    /// Path of the question and the answer in the stage's directory.
    pub message: String,
    /// Text of the question, without secrets.
    pub question: String,
    /// Text of the answer, without secrets. Null: there is none yet.
    pub answer: Option<String>,
    pub warnings: Vec<String>,
    /// Command to run next.
    pub next: String,
}

/// Result of `referee stage finalize`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageFinalizedDocument {
    pub stage_finalized_version: String,
    /// Whether the stage is done.
    pub status: CheckStatus,
    pub outcome: StageOutcome,
    pub stage_id: StageId,
    /// Id of the run. Null: its log does not state it.
    pub run_id: Option<StageRunId>,
    /// State of the stage now, or after finalizing.
    pub state: StageState,
    /// Number of the attempt; 0: there was none.
    pub attempt: u32,
    /// Whether nothing was written, and this is what finalizing would do.
    pub dry_run: bool,
    /// Checks that were made, and which of them failed.
    #[serde(flatten)]
    pub checks: Checks,
    /// Objections to the stage, each by its name.
    pub objections: Vec<Objection>,
    /// Whether `output-params.json` was written.
    pub output_params_written: bool,
    /// Values that are published, without secrets.
    pub output_params: Map<String, Value>,
    /// Files that are published, each with its SHA-256.
    pub published: BTreeMap<String, Digest>,
    /// Reason of the handback: `success`, `error` or `question`. Null: there is no handback, or it states none.
    pub reason: Option<String>,
    /// Description of the reason in the executor's words, without secrets.
    pub description: Option<String>,
    /// Verdict of the stage's specification. Null: it has none, or it did not run.
    pub verdict: Option<StageVerdict>,
    /// Path of the question. Null: none was asked.
    pub message: Option<String>,
    /// Incident that was made of the error. Null: none.
    pub incident_id: Option<IncidentId>,
    /// Result of turning the error into an incident, in one sentence. Null: there was no error.
    pub incident: Option<String>,
    pub warnings: Vec<String>,
    pub summary: String,
    /// Command to run next, where there is one.
    pub next: String,
}

/// Outcome of finalizing a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StageOutcome {
    /// The outputs of the stage are published.
    Published,
    /// The outputs were published before, and nothing has changed since.
    AlreadyPublished,
    Question,
    Error,
    /// There are objections.
    Refused,
}

pub fn version() -> String {
    VERSION.to_owned()
}
