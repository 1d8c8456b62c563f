//! What a loop of repairs leaves: `attempt_01.json` and on, `run_result.json` and `loop_state.json` (seed 3), and what an agent
//! is given for a turn of it.

use serde::{Deserialize, Serialize};

use crate::incident::id::IncidentId;
use crate::incident::seconds;
use crate::time::Timestamp;

mod given;
mod result;
mod state;

pub use self::given::GivenTurnDocument;
pub use self::result::{
    CommitDocument, FinalStatus, LoopResultDocument, PushDocument, ReplanDocument, ReplannedDocument, RunResultDocument,
};
pub use self::state::{LoopFileDocument, LoopPhase};

/// The result of a loop.
pub const RUN_RESULT: &str = "run_result.json";
/// How far a loop is.
pub const LOOP_STATE: &str = "loop_state.json";

const ATTEMPT: &str = "attempt_";

/// Returns the name of the file of a turn: `attempt_01.json`.
pub fn file_name(iteration: u32) -> String {
    format!("{ATTEMPT}{iteration:02}.json")
}

/// Returns the name of the directory of a turn's evidence: `attempt_01`.
pub fn evidence_directory(iteration: u32) -> String {
    format!("{ATTEMPT}{iteration:02}")
}

/// Reads the number of a turn from the name of its file. None: it is no such file.
pub fn number(file_name: &str) -> Option<u32> {
    let number = file_name.strip_prefix(ATTEMPT)?.strip_suffix(".json")?;
    let is_number = number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|_| is_number)
}

/// A turn of a loop: what was done, what the checks came to, what was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee attempt at an incident"))]
pub struct AttemptDocument {
    /// Id of the incident that this attempt works on.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Its number, from 1, over all plans of the incident.
    pub iteration: u32,
    /// When the attempt began, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub started_at: Timestamp,
    /// When its checks were over.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub finished_at: Timestamp,
    /// The plan's actions that the agent says it did, as far as files of theirs changed in this turn.
    #[serde(default)]
    pub actions_applied: Vec<String>,
    /// The commands that were to show whether it is over, as the plan has them.
    pub verification_commands: Vec<String>,
    /// What came of each, in the same order.
    #[serde(default)]
    pub command_results: Vec<CommandResultDocument>,
    /// Whether all of them passed, as they were judged.
    pub verification_passed: bool,
    /// What the loop does after this attempt.
    pub result: TurnResult,
    /// Reason for the result, in one sentence.
    #[serde(default)]
    pub reason: String,
    /// The first command that failed and its exit code, `command::rc=1`. Empty: none failed.
    pub error_signature: String,
    /// Turns in a row with the same first failure, this one included.
    pub same_error_repeats: u32,
    /// Turns in a row without progress, this one included.
    pub no_progress_streak: u32,
    /// Duration of the attempt, in seconds.
    #[serde(default)]
    pub runtime_seconds: f64,
    /// The plan that it followed.
    #[serde(default)]
    pub plan_revision: u32,
    /// The agent's part. None: no agent was asked.
    #[serde(default)]
    pub agent: Option<AgentTurnDocument>,
    /// The sealed runs that were judged; those that did not pass first.
    #[serde(default)]
    pub evidence: Vec<CitedRunDocument>,
}

/// A sealed run that an attempt rests on. It stays where it is: every turn's evidence has a directory of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CitedRunDocument {
    /// Id of the task that the run executed.
    pub task_id: String,
    /// The run: its report and its seal name it.
    pub execution_id: String,
    /// Its report, relative to the root where it lies below it.
    pub report: String,
    /// SHA-256 of its `seal.json`, which names every file of the run by size and hash. Null: it could not be read.
    pub seal_sha256: Option<String>,
}

/// What was decided after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TurnResult {
    /// The checks passed.
    Resolved,
    /// Another turn follows.
    Continue,
    /// Another plan is needed.
    Replan,
    /// It is left to a person.
    Escalated,
    /// One turn was asked for, and it did not pass.
    Running,
}

impl TurnResult {
    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Continue => "continue",
            Self::Replan => "replan",
            Self::Escalated => "escalated",
            Self::Running => "running",
        }
    }
}

/// What came of a verification command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandResultDocument {
    /// The command, as the plan has it.
    pub command: String,
    /// Its exit code; 124: its time was up. For a check that is no command 0 or 1. Null: it never ran.
    pub returncode: Option<i32>,
    /// The end of its standard output, without secrets.
    pub stdout: String,
    /// The end of its standard error, without secrets.
    pub stderr: String,
}

/// The agent's part of a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgentTurnDocument {
    /// How it ended: `exited`, `signaled`, `timeout`, `stopped` (it printed or started too much), or `cut_off`: Referee was
    /// ended while it worked.
    pub ending: String,
    /// Its exit code. Null: it did not exit by itself.
    pub exit_code: Option<i32>,
    /// Duration of the agent's process, in seconds.
    pub duration_seconds: f64,
    /// The end of its standard output, without secrets.
    pub stdout: String,
    /// The end of its standard error, without secrets.
    pub stderr: String,
}

impl AgentTurnDocument {
    /// Says what ended it, where it did not exit by itself. None: it did.
    pub fn notice(&self) -> Option<String> {
        let seconds = self.duration_seconds;
        Some(match self.ending.as_str() {
            "timeout" => {
                format!("the agent was ended at its deadline, after {seconds} s: its work was checked as it was")
            }
            "stopped" => format!("the agent was ended after {seconds} s: it printed or started too much"),
            "signaled" => format!("the agent was ended by a signal, after {seconds} s"),
            "cut_off" => "Referee was ended while the agent worked: its work was checked as it was".to_owned(),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests;
