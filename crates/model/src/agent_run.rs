//! An agent's run over its turns, and what is kept of each turn (seed 2, 1.2 "Run" and "Iteration record").

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::agent_result::TokensUsed;
use crate::build_error::BuildError;
use crate::document::Kind;
use crate::loop_guard::LoopState;
use crate::run_state::{RunResult, RunState};
use crate::time::Timestamp;

/// Rounds of continuous integration that a run may take where nothing else is said (seed 2, `maxCiIterations`).
pub const CI_ITERATIONS: u32 = 3;

/// The word for a turn in which nothing went wrong.
pub const NO_ERROR: &str = "none";

/// An agent's run over its turns. Its document, `run.json`, has no version of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRun {
    /// Its id.
    pub id: String,
    /// What was ordered.
    pub work_order_id: String,
    /// The workspace. None: there is none yet.
    pub workspace_id: Option<String>,
    /// The turn, from 1.
    pub iteration: u32,
    /// Turns that it may take.
    pub max_iterations: u32,
    /// Where it is.
    pub state: RunState,
    /// The commit that it began with.
    #[serde(rename = "snapshotBeforeSha")]
    pub snapshot_before: Option<String>,
    /// The commit that it ended with.
    #[serde(rename = "snapshotAfterSha")]
    pub snapshot_after: Option<String>,
    /// The snapshots that were taken, in order.
    pub snapshot_ids: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended. None: it has not.
    pub completed_at: Option<Timestamp>,
    /// How it ended. None: it has not.
    pub result: Option<RunResult>,
    /// Why it failed, in one line.
    pub error: Option<String>,
    /// Why it failed, as data; its message is `error`.
    pub build_error: Option<BuildError>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// Where it was pushed to.
    #[serde(flatten)]
    pub pull_request: PullRequest,
    /// What did not stop it and should be known.
    pub warnings: Vec<RunWarning>,
    /// Continuous integration.
    #[serde(flatten)]
    pub ci: ContinuousIntegration,
}

/// Where a run was pushed to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PullRequest {
    /// The branch.
    pub branch: Option<String>,
    /// The pull request's address.
    #[serde(rename = "prUrl")]
    pub url: Option<String>,
    /// The pull request's number.
    #[serde(rename = "prNumber", serialize_with = "crate::serial::exact")]
    pub number: Option<u64>,
}

/// What did not stop a run and should be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunWarning {
    /// What kind of thing.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The turn in which it happened.
    pub iteration: u32,
    /// When it happened.
    #[serde(rename = "timestamp")]
    pub at: Timestamp,
}

/// What continuous integration says of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ContinuousIntegration {
    /// Whether it is waited for at all.
    #[serde(rename = "ciEnabled")]
    pub enabled: bool,
    /// Rounds so far.
    #[serde(rename = "ciIterationCount")]
    pub iterations: u32,
    /// Rounds that may be taken.
    #[serde(rename = "maxCiIterations")]
    pub max_iterations: u32,
    /// Its word. None: it was not asked.
    #[serde(rename = "ciStatus")]
    pub status: Option<CiStatus>,
    /// When it was first asked.
    #[serde(rename = "ciStartedAt")]
    pub started_at: Option<Timestamp>,
    /// When it answered.
    #[serde(rename = "ciCompletedAt")]
    pub completed_at: Option<Timestamp>,
    /// Where it can be looked at.
    #[serde(rename = "ciWorkflowUrl")]
    pub workflow_url: Option<String>,
}

/// The word of continuous integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CiStatus {
    /// It has not begun.
    Pending,
    /// It is being asked.
    Polling,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It did not answer in time.
    Timeout,
}

impl CiStatus {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Polling, Self::Passed, Self::Failed, Self::Timeout];

    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Polling => "polling",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
        }
    }
}

/// What happens in a run, for whoever follows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunStep<'a> {
    /// It goes on after it was cut off.
    Resumed(&'a AgentRun),
    /// A turn of the agent begins.
    TurnBegins(&'a AgentRun),
    /// The agent failed, and is tried again.
    Retried {
        /// Why it failed.
        error: &'a BuildError,
        /// Why it is tried again.
        reason: &'a str,
        /// Milliseconds that are waited first.
        wait_ms: u64,
    },
    /// The agent's part of a turn is over.
    AgentEnded {
        /// Milliseconds that it took.
        duration_ms: u64,
        /// Why it failed. None: it did not.
        error: Option<&'a BuildError>,
    },
    /// The agent's work was checked.
    Checked {
        /// All of it in a sentence.
        summary: &'a str,
        /// Whether all of it passed.
        passed: bool,
    },
    /// Something that did not stop it and should be known.
    Warned(&'a RunWarning),
}

/// One turn of a run. Its document, `iteration-N.json`, has no version of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationRecord {
    /// The turn, from 1.
    pub iteration: u32,
    /// Where the run was when the turn was over.
    pub state: RunState,
    /// The snapshot that was taken.
    pub snapshot_id: Option<String>,
    /// Whether the agent was told what failed.
    pub feedback_generated: bool,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was over. None: it is not.
    pub completed_at: Option<Timestamp>,
    /// Milliseconds that it took. None: it is not over.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: Option<u64>,
    /// The agent's part. None: the agent did not run.
    #[serde(flatten, serialize_with = "agent")]
    pub agent: Option<AgentTurn>,
    /// The checks' part. None: nothing was checked.
    #[serde(flatten, serialize_with = "verification")]
    pub verification: Option<VerificationTurn>,
    /// What went wrong. None: nothing.
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

/// Writes a part of a turn. Where there is none its keys are there all the same.
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
    /// The session.
    #[serde(rename = "agentSessionId")]
    pub session_id: Option<String>,
    /// Bare name of the file that holds the agent's result.
    #[serde(rename = "agentResultFile")]
    pub result_file: String,
    /// Milliseconds that it took.
    #[serde(rename = "agentDurationMs", serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// Whether the agent says that it did what was asked.
    #[serde(rename = "agentSuccess")]
    pub success: bool,
    /// The model.
    #[serde(rename = "agentModel")]
    pub model: Option<String>,
    /// Tokens that it used.
    #[serde(rename = "agentTokensUsed")]
    pub tokens_used: Option<TokensUsed>,
    /// What it cost, in US dollars.
    #[serde(rename = "agentCostUsd")]
    pub cost_usd: Option<f64>,
}

/// The checks' part of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationTurn {
    /// Bare name of the file that holds the verification report.
    #[serde(rename = "verificationFile")]
    pub file: String,
    /// Whether all of it passed.
    #[serde(rename = "verificationPassed")]
    pub passed: bool,
    /// The levels that ran, in order.
    #[serde(rename = "verificationLevelsRun")]
    pub levels_run: Vec<String>,
    /// Milliseconds that it took.
    #[serde(rename = "verificationDurationMs", serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
}

/// What went wrong in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IterationError {
    /// What kind of thing.
    #[serde(rename = "errorType")]
    pub kind: IterationErrorType,
    /// One line for people.
    #[serde(rename = "errorMessage")]
    pub message: String,
    /// More of it.
    #[serde(rename = "errorDetails")]
    pub details: Option<String>,
}

/// The coarser types of a turn's failure (seed 2, thrust 3). That nothing went wrong is no type here: there is no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IterationErrorType {
    /// The agent's process crashed.
    AgentCrash,
    /// The agent said that it failed.
    AgentFailure,
    /// Checks failed.
    VerificationFailed,
    /// The time was up.
    Timeout,
    /// Anything else.
    SystemError,
}

impl IterationErrorType {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::AgentCrash, Self::AgentFailure, Self::VerificationFailed, Self::Timeout, Self::SystemError];

    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AgentCrash => "agent_crash",
            Self::AgentFailure => "agent_failure",
            Self::VerificationFailed => "verification_failed",
            Self::Timeout => "timeout",
            Self::SystemError => "system_error",
        }
    }
}

/// What a turn that did not pass leaves for the next one, so that a run that was cut off counts on where it was (ruling 24).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentLoop {
    /// The turn that is counted in already.
    pub after_turn: u32,
    /// When it was written.
    pub written_at: Timestamp,
    /// Milliseconds of work until then; time in which the run lay dead is none.
    pub spent_ms: u64,
    /// What the next turn is told.
    pub feedback: String,
    /// The sealed reports that it may read, absolute, the one to begin with first.
    pub reports: Vec<String>,
    /// How far the loop has come.
    pub state: LoopState,
}

impl AgentLoop {
    /// Its document, `loop.json`.
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
