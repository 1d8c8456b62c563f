//! The document of `referee stage status --format json`: the state of a run's stages, and the next steps.

use std::collections::BTreeMap;

use referee_model::document::Kind;
use referee_model::incident::seconds;
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::life::StageState;
use referee_model::stage::run::WfRunStatus;
use referee_model::stage::standing::Objection;
use referee_model::time::Timestamp;
use serde::Serialize;

const KIND: Kind = Kind { name: "where stages stand", key: "stage_status_version", version: "1.0.0" };

/// State of a run's stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageStatusDocument {
    pub stage_status_version: &'static str,
    /// Id of the run. Null: neither its log nor its `wf-run.json` states it.
    pub run_id: Option<StageRunId>,
    /// Absolute path of the run's directory, without symbolic links.
    pub run_dir: String,
    pub log: LogStanding,
    /// Problem of the log in one sentence, with what to do. Null: there is none.
    pub log_problem: Option<String>,
    /// Stages of the run, in their declared order.
    pub stages: Vec<StageStatus>,
    /// Files of the run as a whole that contradict its log.
    pub contradictions: Vec<Objection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogStanding {
    /// The log is the one that was written here, to its last line.
    Kept,
    /// There is no log, so nothing vouches for the run.
    Absent,
    /// The log is intact, and comes from another directory or machine.
    Unknown,
    /// The log is damaged, or records something that cannot happen.
    Broken,
    /// The log is not the one that was written here.
    Differs,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageStatus {
    pub stage_id: StageId,
    /// State of the stage, according to the log. Null: there is no log that can be relied on.
    pub state: Option<StageState>,
    /// State according to `wf-run.json`, which is not relied on. Null: the file does not state it.
    pub recorded: Option<WfRunStatus>,
    /// Number of the current or last attempt; 0: there was none.
    pub attempt: u32,
    /// Time at which an executor first took control.
    #[serde(with = "seconds::optional")]
    pub started_at: Option<Timestamp>,
    /// Time since which the executor has control. Null: none has.
    #[serde(with = "seconds::optional")]
    pub control_since: Option<Timestamp>,
    #[serde(with = "seconds::optional")]
    pub completed_at: Option<Timestamp>,
    /// Whether there is a handback.
    pub handed_back: bool,
    /// Question that waits for an answer.
    pub question: Option<StatusQuestion>,
    /// Incident that was made of the stage's last error.
    pub incident: Option<String>,
    /// Stages that provided inputs, each with the attempt that was taken.
    pub sources: BTreeMap<StageId, u32>,
    /// Why the prepared inputs are out of date, one sentence each.
    pub outdated: Vec<String>,
    /// Files of the stage that contradict the log.
    pub contradictions: Vec<Objection>,
    /// Next step, in one sentence. Null: there is none.
    pub next: Option<String>,
    /// Command for the next step. Null: none is needed, or none helps.
    pub next_command: Option<String>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusQuestion {
    /// Path of the question in the stage's directory.
    pub message: String,
    /// Time at which the question was asked. Null: the question cannot be read.
    #[serde(with = "seconds::optional")]
    pub asked_at: Option<Timestamp>,
    /// Text of the question, without secrets. Null: it cannot be read.
    pub text: Option<String>,
}

impl StageStatusDocument {
    /// Creates a document with the run's directory and the state of its log.
    pub fn of(run_dir: String, log: LogStanding) -> Self {
        Self {
            stage_status_version: KIND.version,
            run_id: None,
            run_dir,
            log,
            log_problem: None,
            stages: Vec::new(),
            contradictions: Vec::new(),
        }
    }
}
