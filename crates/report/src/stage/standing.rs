//! What `referee stage status` answers: where the stages of a run stand, and what is to be done next.

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

/// Where the stages of a run stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageStatusDocument {
    pub stage_status_version: &'static str,
    /// The run. Null: neither its log nor its `wf-run.json` says.
    pub run_id: Option<StageRunId>,
    /// Its directory: absolute, without links.
    pub run_dir: String,
    pub log: LogStanding,
    /// The same in a sentence, with what to do. Null: nothing is wrong with it.
    pub log_problem: Option<String>,
    /// The stages, in their declared order.
    pub stages: Vec<StageStatus>,
    /// What files of the run as a whole say otherwise than its log.
    pub contradictions: Vec<Objection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogStanding {
    /// It is the one that was written here, to its last line.
    Kept,
    /// There is none: nothing vouches for the run.
    Absent,
    /// It is sound, and came from another place or machine.
    Unknown,
    /// It is not sound, or something stands in it that cannot happen.
    Broken,
    /// It is not the one that was written here.
    Differs,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageStatus {
    pub stage_id: StageId,
    /// Where it stands, as the log says. Null: there is no log that can be gone by.
    pub state: Option<StageState>,
    /// What `wf-run.json` says, which nobody goes by. Null: it says nothing of it.
    pub recorded: Option<WfRunStatus>,
    /// The attempt that is on, or was the last; 0: there was none.
    pub attempt: u32,
    /// When an executor first got control.
    #[serde(with = "seconds::optional")]
    pub started_at: Option<Timestamp>,
    /// Since when its executor has control. Null: none has.
    #[serde(with = "seconds::optional")]
    pub control_since: Option<Timestamp>,
    #[serde(with = "seconds::optional")]
    pub completed_at: Option<Timestamp>,
    /// Whether a handback lies there.
    pub handed_back: bool,
    /// The question that waits for an answer.
    pub question: Option<StatusQuestion>,
    /// The incident that its last error became.
    pub incident: Option<String>,
    /// The stages that it was prepared from, with the attempt that was taken.
    pub sources: BTreeMap<StageId, u32>,
    /// Why what it was prepared from is out of date, a sentence each.
    pub outdated: Vec<String>,
    /// What files of the stage say otherwise than the log.
    pub contradictions: Vec<Objection>,
    /// What is to be done next, in a sentence. Null: nothing.
    pub next: Option<String>,
    /// The command for it. Null: none is needed, or none helps.
    pub next_command: Option<String>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusQuestion {
    /// Where it lies in the stage's directory.
    pub message: String,
    /// When it was asked. Null: it cannot be read.
    #[serde(with = "seconds::optional")]
    pub asked_at: Option<Timestamp>,
    /// The question, without secrets. Null: it cannot be read.
    pub text: Option<String>,
}

impl StageStatusDocument {
    /// Begins with the run's directory and what its log is worth.
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
