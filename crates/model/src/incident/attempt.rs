//! Documents of a repair loop: `attempt_01.json` and so on, `run_result.json` and `loop_state.json` (seed 3),
//! and the input that an agent gets for a turn of the loop.

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

/// File name of the result of a loop.
pub const RUN_RESULT: &str = "run_result.json";
/// File name of the state of a loop.
pub const LOOP_STATE: &str = "loop_state.json";

const ATTEMPT: &str = "attempt_";

/// Returns the file name of a turn's document: `attempt_01.json`.
pub fn file_name(iteration: u32) -> String {
    format!("{ATTEMPT}{iteration:02}.json")
}

/// Returns the directory name of a turn's evidence: `attempt_01`.
pub fn evidence_directory(iteration: u32) -> String {
    format!("{ATTEMPT}{iteration:02}")
}

/// Parses the number of a turn from the name of its file. None: the name has another form.
pub fn number(file_name: &str) -> Option<u32> {
    let number = file_name.strip_prefix(ATTEMPT)?.strip_suffix(".json")?;
    let is_number = number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|_| is_number)
}

/// One turn of a repair loop: the agent's work, the results of the checks, and the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee attempt at an incident"))]
pub struct AttemptDocument {
    /// Id of the incident that this attempt works on.
    pub incident_id: IncidentId,
    /// Number of the attempt, from 1, counted over all plans of the incident.
    pub iteration: u32,
    /// When the attempt began, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub started_at: Timestamp,
    /// When the checks of the attempt ended, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub finished_at: Timestamp,
    /// Ids of the plan's actions that the agent reports as done and whose files changed in this attempt.
    #[serde(default)]
    pub actions_applied: Vec<String>,
    /// Verification commands of the plan, as the plan spells them.
    pub verification_commands: Vec<String>,
    /// Result of each verification command, in the same order.
    #[serde(default)]
    pub command_results: Vec<CommandResultDocument>,
    /// Whether all verification commands were judged as passed.
    pub verification_passed: bool,
    /// What the loop does after this attempt.
    pub result: TurnResult,
    /// Reason for the result, in one sentence.
    #[serde(default)]
    pub reason: String,
    /// First command that failed, with its exit code: `command::rc=1`. Empty: no command failed.
    pub error_signature: String,
    /// Number of consecutive turns with the same first failure, this one included.
    pub same_error_repeats: u32,
    /// Number of consecutive turns without progress, this one included.
    pub no_progress_streak: u32,
    /// Duration of the attempt, in seconds.
    #[serde(default)]
    pub runtime_seconds: f64,
    /// Revision of the plan that the attempt followed.
    #[serde(default)]
    pub plan_revision: u32,
    /// The agent's part in the attempt. Null: no agent was run.
    #[serde(default)]
    pub agent: Option<AgentTurnDocument>,
    /// Sealed runs that were judged, those that did not pass first.
    #[serde(default)]
    pub evidence: Vec<CitedRunDocument>,
}

/// Sealed run that an attempt rests on. Every attempt has its own evidence directory, so the run is not moved
/// or copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CitedRunDocument {
    /// Id of the task that the run executed.
    pub task_id: String,
    /// Id of the run, which its report and its seal state.
    pub execution_id: String,
    /// Path of the run's report, relative to the incident root if the report lies below it.
    pub report: String,
    /// SHA-256 of the run's `seal.json`, which lists every file of the run with size and hash. Null: the file
    /// could not be read.
    pub seal_sha256: Option<String>,
}

document_words! {
    /// Decision after an attempt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum TurnResult {
        /// The checks passed.
        Resolved = "resolved",
        /// Another attempt follows.
        Continue = "continue",
        /// Another plan is needed.
        Replan = "replan",
        /// The incident is left to a person.
        Escalated = "escalated",
        /// Only one attempt was requested, and it did not pass.
        Running = "running",
    }
}

/// Result of a verification command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandResultDocument {
    /// Command, as the plan spells it.
    pub command: String,
    /// Exit code of the command; 124: the command timed out. For a check that is not a command, 0 or 1. Null:
    /// the command never ran.
    pub returncode: Option<i32>,
    /// End of the standard output, without secrets.
    pub stdout: String,
    /// End of the standard error, without secrets.
    pub stderr: String,
}

/// The agent's part in an attempt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgentTurnDocument {
    /// How the agent ended: `exited`, `signaled`, `timeout`, `stopped` (it exceeded the limit of output or of
    /// processes), or `cut_off` (Referee was ended while the agent worked).
    pub ending: String,
    /// Exit code of the agent. Null: the agent did not exit by itself.
    pub exit_code: Option<i32>,
    /// Duration of the agent's process, in seconds.
    pub duration_seconds: f64,
    /// End of the agent's standard output, without secrets.
    pub stdout: String,
    /// End of the agent's standard error, without secrets.
    pub stderr: String,
}

impl AgentTurnDocument {
    /// Returns a sentence about what ended the agent. None: the agent exited by itself.
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
