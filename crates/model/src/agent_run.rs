//! An agent run over its turns, and the record of each turn (seed 2, 1.2 "Run" and "Iteration record").

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::agent_result::TokensUsed;
use crate::build_error::BuildError;
use crate::document::Kind;
use crate::loop_guard::LoopState;
use crate::run_state::{RunResult, RunState};
use crate::time::Timestamp;

/// Default limit on the CI rounds of a run (seed 2, `maxCiIterations`).
pub const CI_ITERATIONS: u32 = 3;

/// `errorType` of a turn without an error.
pub const NO_ERROR: &str = "none";

/// An agent run over its turns. Its document, `run.json`, has no version of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRun {
    /// Id of the run.
    pub id: String,
    /// Id of the work order.
    pub work_order_id: String,
    /// Id of the workspace. None: not yet created.
    pub workspace_id: Option<String>,
    /// Number of the current turn, from 1.
    pub iteration: u32,
    /// Maximum number of turns.
    pub max_iterations: u32,
    /// Current state of the run.
    pub state: RunState,
    /// Commit at the start of the run.
    #[serde(rename = "snapshotBeforeSha")]
    pub snapshot_before: Option<String>,
    /// Commit at the end of the run.
    #[serde(rename = "snapshotAfterSha")]
    pub snapshot_after: Option<String>,
    /// Ids of the snapshots taken, in order.
    pub snapshot_ids: Vec<String>,
    /// Time at which the run began.
    pub started_at: Timestamp,
    /// Time at which the run ended. None: not ended yet.
    pub completed_at: Option<Timestamp>,
    /// Result of the run. None: not ended yet.
    pub result: Option<RunResult>,
    /// One-line reason of the failure.
    pub error: Option<String>,
    /// The failure as a structured error; its message equals `error`.
    pub build_error: Option<BuildError>,
    /// Id of the agent's session.
    pub session_id: Option<String>,
    /// The branch and pull request of the run.
    #[serde(flatten)]
    pub pull_request: PullRequest,
    /// Warnings: problems that did not stop the run.
    pub warnings: Vec<RunWarning>,
    /// State of continuous integration.
    #[serde(flatten)]
    pub ci: ContinuousIntegration,
}

/// The branch and pull request that a run was pushed to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PullRequest {
    /// Name of the branch.
    pub branch: Option<String>,
    /// URL of the pull request.
    #[serde(rename = "prUrl")]
    pub url: Option<String>,
    /// Number of the pull request.
    #[serde(rename = "prNumber", serialize_with = "crate::serial::exact")]
    pub number: Option<u64>,
}

/// A problem that did not stop a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunWarning {
    /// Kind of warning.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text of the warning.
    pub message: String,
    /// Number of the turn in which it occurred.
    pub iteration: u32,
    /// Time at which it occurred.
    #[serde(rename = "timestamp")]
    pub at: Timestamp,
}

/// State of continuous integration (CI) for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ContinuousIntegration {
    /// Whether the run waits for CI.
    #[serde(rename = "ciEnabled")]
    pub enabled: bool,
    /// CI rounds so far.
    #[serde(rename = "ciIterationCount")]
    pub iterations: u32,
    /// Maximum number of CI rounds.
    #[serde(rename = "maxCiIterations")]
    pub max_iterations: u32,
    /// Status of CI. None: CI was not queried.
    #[serde(rename = "ciStatus")]
    pub status: Option<CiStatus>,
    /// Time of the first query.
    #[serde(rename = "ciStartedAt")]
    pub started_at: Option<Timestamp>,
    /// Time at which CI completed.
    #[serde(rename = "ciCompletedAt")]
    pub completed_at: Option<Timestamp>,
    /// URL of the CI workflow run.
    #[serde(rename = "ciWorkflowUrl")]
    pub workflow_url: Option<String>,
}

document_words! {
    /// Status of continuous integration.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum CiStatus {
        /// CI has not started.
        Pending = "pending",
        /// CI is being polled.
        Polling = "polling",
        /// CI passed.
        Passed = "passed",
        /// CI failed.
        Failed = "failed",
        /// CI did not complete in time.
        Timeout = "timeout",
    }
}

/// A progress event of an agent run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunStep<'a> {
    /// An interrupted run resumes.
    Resumed(&'a AgentRun),
    /// A turn of the agent begins.
    TurnBegins(&'a AgentRun),
    /// The agent failed and is retried.
    Retried {
        /// The failure.
        error: &'a BuildError,
        /// Reason for the retry.
        reason: &'a str,
        /// Delay before the retry, in milliseconds.
        wait_ms: u64,
    },
    /// The agent's part of a turn ended.
    AgentEnded {
        /// Duration in milliseconds.
        duration_ms: u64,
        /// The failure. None: the agent did not fail.
        error: Option<&'a BuildError>,
    },
    /// The agent's work was verified.
    Checked {
        /// One-sentence summary of the result.
        summary: &'a str,
        /// Whether every check passed.
        passed: bool,
    },
    /// A problem occurred that does not stop the run.
    Warned(&'a RunWarning),
}

/// One turn of an agent run. Its document, `iteration-N.json`, has no version of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationRecord {
    /// Number of the turn, from 1.
    pub iteration: u32,
    /// State of the run at the end of the turn.
    pub state: RunState,
    /// Id of the snapshot taken.
    pub snapshot_id: Option<String>,
    /// Whether feedback on failures was generated for the agent.
    pub feedback_generated: bool,
    /// Time at which the turn began.
    pub started_at: Timestamp,
    /// Time at which the turn ended. None: not ended yet.
    pub completed_at: Option<Timestamp>,
    /// Duration in milliseconds. None: not ended yet.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: Option<u64>,
    /// The agent's part of the turn. None: the agent did not run.
    #[serde(flatten, serialize_with = "agent")]
    pub agent: Option<AgentTurn>,
    /// The verification part of the turn. None: no checks ran.
    #[serde(flatten, serialize_with = "verification")]
    pub verification: Option<VerificationTurn>,
    /// The error of the turn. None: no error.
    #[serde(flatten, serialize_with = "error")]
    pub error: Option<IterationError>,
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
fn agent<S: Serializer>(agent: &Option<AgentTurn>, serializer: S) -> Result<S::Ok, S::Error> {
    let keys = [
        "agentSessionId",
        "agentResultFile",
        "agentDurationMs",
        "agentSuccess",
        "agentModel",
        "agentTokensUsed",
        "agentCostUsd",
    ];
    part(agent.as_ref(), &keys.map(|key| (key, Value::Null)), serializer)
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
fn verification<S: Serializer>(checked: &Option<VerificationTurn>, serializer: S) -> Result<S::Ok, S::Error> {
    let absent = [
        ("verificationFile", Value::Null),
        ("verificationPassed", Value::Null),
        ("verificationLevelsRun", json!([])),
        ("verificationDurationMs", Value::Null),
    ];
    part(checked.as_ref(), &absent, serializer)
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
fn error<S: Serializer>(error: &Option<IterationError>, serializer: S) -> Result<S::Ok, S::Error> {
    let absent = [("errorType", NO_ERROR.into()), ("errorMessage", Value::Null), ("errorDetails", Value::Null)];
    part(error.as_ref(), &absent, serializer)
}

/// Serializes a part of a turn. The keys of an absent part are written with default values.
fn part<S: Serializer>(
    part: Option<&impl Serialize>,
    absent: &[(&str, Value)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match part {
        Some(part) => part.serialize(serializer),
        None => serializer.collect_map(absent.iter().map(|(key, value)| (key, value))),
    }
}

/// The agent's part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentTurn {
    /// Id of the agent's session.
    #[serde(rename = "agentSessionId")]
    pub session_id: Option<String>,
    /// Bare name of the file that holds the agent's result.
    #[serde(rename = "agentResultFile")]
    pub result_file: String,
    /// Duration in milliseconds.
    #[serde(rename = "agentDurationMs", serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// Whether the agent reports that it completed its task.
    #[serde(rename = "agentSuccess")]
    pub success: bool,
    /// Name of the model.
    #[serde(rename = "agentModel")]
    pub model: Option<String>,
    /// Tokens used.
    #[serde(rename = "agentTokensUsed")]
    pub tokens_used: Option<TokensUsed>,
    /// Cost in US dollars.
    #[serde(rename = "agentCostUsd")]
    pub cost_usd: Option<f64>,
}

/// The verification part of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationTurn {
    /// Bare name of the file that holds the verification report.
    #[serde(rename = "verificationFile")]
    pub file: String,
    /// Whether every check passed.
    #[serde(rename = "verificationPassed")]
    pub passed: bool,
    /// The verification levels that ran, in order.
    #[serde(rename = "verificationLevelsRun")]
    pub levels_run: Vec<String>,
    /// Duration in milliseconds.
    #[serde(rename = "verificationDurationMs", serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
}

/// The error of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IterationError {
    /// Type of the error.
    #[serde(rename = "errorType")]
    pub kind: IterationErrorType,
    /// One-line message for people.
    #[serde(rename = "errorMessage")]
    pub message: String,
    /// Further details.
    #[serde(rename = "errorDetails")]
    pub details: Option<String>,
}

document_words! {
    /// Coarse type of a turn's error (seed 2, thrust 3). There is no variant for success: a turn without an error has
    /// no type.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    pub enum IterationErrorType {
        /// The agent's process crashed.
        AgentCrash = "agent_crash",
        /// The agent reported failure.
        AgentFailure = "agent_failure",
        /// Checks failed.
        VerificationFailed = "verification_failed",
        /// A time limit was exceeded.
        Timeout = "timeout",
        /// Any other error.
        SystemError = "system_error",
    }
}

/// Loop state stored after a turn that did not pass, so that an interrupted run resumes from it (ruling 24).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentLoop {
    /// Number of the last turn that this state includes.
    pub after_turn: u32,
    /// Time at which it was written.
    pub written_at: Timestamp,
    /// Working time so far, in milliseconds; excludes time in which the run was not executing.
    pub spent_ms: u64,
    /// Feedback for the next turn.
    pub feedback: String,
    /// Absolute paths of the sealed reports that the next turn may read, the most important first.
    pub reports: Vec<String>,
    /// State of the loop guard's counters.
    pub state: LoopState,
}

impl AgentLoop {
    /// Name and version of the document, `loop.json`.
    pub const KIND: Kind = Kind { name: "the loop of a run", key: "loopVersion", version: "1.0.0" };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Fingerprint;
    use crate::id::Digest;
    use crate::progress::{Progress, Snapshot};

    #[test]
    fn a_loop_goes_on_where_it_was() {
        let print = Fingerprint::version_1(Digest::from_bytes([3; 32]));
        let last = Snapshot { passed: false, first_failure: Some(print), failures: [print].into(), reached: 4 };
        let progress = Progress { same_error_repeats: 2, no_progress_streak: 1, equal_snapshots: 2, last: Some(last) };
        let state = LoopState { replans: 1, loops: 2, began: Some(Timestamp::from_millisecond(9)), progress };
        for state in [LoopState::default(), state] {
            let written = AgentLoop {
                after_turn: 2,
                written_at: Timestamp::from_millisecond(10),
                spent_ms: 60_000,
                feedback: "fix it".to_owned(),
                reports: Vec::new(),
                state,
            };
            let bytes = AgentLoop::KIND.encode(&written).unwrap();
            assert_eq!(AgentLoop::KIND.decode::<AgentLoop>(&bytes).unwrap(), written);
            let text = String::from_utf8(bytes).unwrap();
            for junk in ["{}", "null", &text.replace("1.0.0", "1.9.0"), &text.replace("loops", "loop")] {
                assert!(AgentLoop::KIND.decode::<AgentLoop>(junk.as_bytes()).is_err(), "{junk}");
            }
        }
    }
}
