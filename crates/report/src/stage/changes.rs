//! What `referee stage prepare`, `accept`, `answer` and `finalize` answer with `--format json`. The keys of a judgement are those of
//! the seed.

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

/// What was put into a stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StagePreparedDocument {
    pub stage_prepared_version: String,
    pub stage_id: StageId,
    pub run_id: StageRunId,
    /// Where the stage stands now.
    pub state: StageState,
    /// Whether nothing was written, and this is what would be.
    pub dry_run: bool,
    /// The stages that something comes from, with the attempt whose outputs were taken.
    pub sources: BTreeMap<StageId, u32>,
    /// The files that were copied.
    pub copied: Vec<CopiedInput>,
    /// Inputs that the stage can do without, and that nobody published.
    pub left_out: Vec<String>,
    /// The values that were written to `inputs/params.json`.
    pub parameters: Map<String, Value>,
    pub warnings: Vec<String>,
    /// What comes next: a command.
    pub next: String,
}

/// A file that was copied from one stage to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopiedInput {
    pub name: String,
    pub from_stage: StageId,
    pub source: String,
    pub path: String,
    /// Its SHA-256, as it was published.
    pub sha256: Digest,
}

/// That an executor has control of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageAcceptedDocument {
    pub stage_accepted_version: String,
    pub stage_id: StageId,
    pub run_id: StageRunId,
    /// Where the stage stands now.
    pub state: StageState,
    /// The attempt that began, from 1.
    pub attempt: u32,
    #[serde(with = "seconds")]
    pub accepted_at: Timestamp,
    /// What the executor reads first, as paths in the stage's directory.
    pub prompts: Vec<String>,
    /// Questions of earlier attempts with their answers, as paths in the stage's directory.
    pub messages: Vec<String>,
    /// The inputs that are there, with their SHA-256.
    pub inputs: BTreeMap<String, Digest>,
    /// Where what the attempt before left is kept, as a path in the stage's directory. Null: there was none.
    pub kept: Option<String>,
    pub warnings: Vec<String>,
    /// What comes next: a command.
    pub next: String,
}

/// A question of a stage, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageAnsweredDocument {
    pub stage_answered_version: String,
    pub stage_id: StageId,
    pub run_id: StageRunId,
    /// Where the stage stands now.
    pub state: StageState,
    pub attempt: u32,
    /// Where question and answer lie, as a path in the stage's directory.
    pub message: String,
    /// The question, without secrets.
    pub question: String,
    /// The answer, without secrets. Null: there is none yet.
    pub answer: Option<String>,
    pub warnings: Vec<String>,
    /// What comes next: a command.
    pub next: String,
}

/// What became of a stage that was to be finalized.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageFinalizedDocument {
    pub stage_finalized_version: String,
    /// Whether the stage is done.
    pub status: CheckStatus,
    pub outcome: StageOutcome,
    pub stage_id: StageId,
    /// The run. Null: its log does not say.
    pub run_id: Option<StageRunId>,
    /// Where the stage stands now, or would.
    pub state: StageState,
    /// The attempt that it is about; 0: there was none.
    pub attempt: u32,
    /// Whether nothing was written, and this is what would become of it.
    pub dry_run: bool,
    /// What was looked at, and what of it failed.
    #[serde(flatten)]
    pub checks: Checks,
    /// What stands against it, each by its name.
    pub objections: Vec<Objection>,
    /// Whether `output-params.json` was written.
    pub output_params_written: bool,
    /// The values that are published, without secrets.
    pub output_params: Map<String, Value>,
    /// The files that are published, with their SHA-256.
    pub published: BTreeMap<String, Digest>,
    /// What the handback says: `success`, `error` or `question`. Null: there is none, or it says nothing.
    pub reason: Option<String>,
    /// The same in the executor's words, without secrets.
    pub description: Option<String>,
    /// What the stage's specification came to. Null: it has none, or it did not run.
    pub verdict: Option<StageVerdict>,
    /// Where the question lies. Null: none was asked.
    pub message: Option<String>,
    /// The incident that the error became. Null: none.
    pub incident_id: Option<IncidentId>,
    /// What became of the error, in a sentence. Null: there was none.
    pub incident: Option<String>,
    pub warnings: Vec<String>,
    pub summary: String,
    /// What comes next: a command, where there is one.
    pub next: String,
}

/// What became of a stage that was to be finalized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StageOutcome {
    /// What it wrote is published.
    Published,
    /// It was published before, and nothing changed since.
    AlreadyPublished,
    Question,
    Error,
    /// Something stands against it.
    Refused,
}

/// Returns the version that these documents are written in.
pub fn version() -> String {
    VERSION.to_owned()
}
