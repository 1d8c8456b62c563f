//! `run_result.json`: how a loop ended.

use crate::incident::id::IncidentId;
use serde::{Deserialize, Serialize};

use super::TurnResult;

/// How a loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FinalStatus {
    /// The plan's checks passed.
    Resolved,
    /// It is left to a person.
    Escalated,
    /// Another plan is needed.
    ReplanRequested,
    /// One turn was asked for and it did not pass, or the loop was interrupted.
    Running,
}

impl FinalStatus {
    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Escalated => "escalated",
            Self::ReplanRequested => "replan_requested",
            Self::Running => "running",
        }
    }
}

/// The result of a loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee result of an incident's loop"))]
pub struct RunResultDocument {
    /// Whose loop it was.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Status in which the loop left the incident.
    pub final_status: FinalStatus,
    /// Reason for the final status, in one sentence.
    #[serde(default)]
    pub reason: String,
    /// Whether it stays as it is because its checks pass and none of them is known to have failed for it: only a person can
    /// close it.
    #[serde(default)]
    pub never_red: bool,
    /// Protected files that were edited in a way that does not block, as the last checks saw them, a sentence each.
    #[serde(default)]
    pub edited: Vec<String>,
    /// Turns that this plan took.
    pub loops_used: u32,
    /// Minutes of work that this plan took.
    pub runtime_minutes: f64,
    /// Turns in a row with the same first failure.
    pub same_error_repeats: u32,
    /// Turns in a row without progress.
    pub no_progress_streak: u32,
    /// Where the incident's directory lies now, relative to the root. None: it was not archived.
    pub archived_to: Option<String>,
    /// Whether another plan was asked for.
    #[serde(default)]
    pub replan: ReplanDocument,
    /// What was committed and pushed.
    #[serde(default)]
    pub commit: CommitDocument,
    /// The turns of this invocation, in order.
    #[serde(default)]
    pub loop_results: Vec<LoopResultDocument>,
    /// How far the loop is, relative to the root.
    #[serde(default)]
    pub state_path: String,
    /// The loop's directory, relative to the root.
    #[serde(default)]
    pub run_dir: String,
}

impl RunResultDocument {
    /// A result without a turn: nothing archived, planned anew, committed or pushed.
    pub fn of(incident_id: IncidentId, final_status: FinalStatus) -> Self {
        Self {
            incident_id,
            final_status,
            reason: String::new(),
            never_red: false,
            edited: Vec::new(),
            loops_used: 0,
            runtime_minutes: 0.0,
            same_error_repeats: 0,
            no_progress_streak: 0,
            archived_to: None,
            replan: ReplanDocument::default(),
            commit: CommitDocument::default(),
            loop_results: Vec::new(),
            state_path: String::new(),
            run_dir: String::new(),
        }
    }
}

/// A turn in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoopResultDocument {
    /// Its number.
    pub iteration: u32,
    /// Its file, relative to the root.
    pub attempt: String,
    /// Whether its checks passed.
    pub verification_passed: bool,
    /// What the loop did after this attempt.
    pub result: TurnResult,
    /// The first command that failed. Empty: none did.
    pub error_signature: String,
    /// How the agent was ended, where it did not exit by itself. Null: it did, or none was asked.
    #[serde(default)]
    pub agent_ended: Option<String>,
}

/// Another plan that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReplanDocument {
    /// Whether it happened.
    pub requested: bool,
    /// Why.
    pub reason: String,
    /// After which turn.
    pub iteration: u32,
    /// What came of it. Null: nothing was made.
    pub plan_json: Option<ReplannedDocument>,
}

/// What came of planning anew.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReplannedDocument {
    /// `ok` or `error`.
    pub status: String,
    /// The plan, relative to the root.
    pub plan_json: String,
    /// Whether the plan that was there was replaced.
    pub force: bool,
    /// 0, or 1 where it failed.
    pub returncode: i32,
    /// What went wrong. Null: nothing.
    pub error: Option<String>,
}

/// What was committed and pushed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CommitDocument {
    /// Whether it was asked for.
    pub requested: bool,
    /// Whether the loop ended so that it was to be made.
    pub enabled: bool,
    /// Whether a commit was made.
    pub ran: bool,
    /// Whether there was nothing to commit.
    pub skipped: bool,
    /// Where it is pushed to.
    pub remote: String,
    /// The branch. Null: it is not known.
    pub branch: Option<String>,
    /// `incident`, `plan` or `run`.
    pub scope: String,
    /// Full id of the commit. Null: nothing was committed.
    pub commit_sha: Option<String>,
    /// Message of the commit. Null: nothing was committed.
    pub commit_message: Option<String>,
    /// The push.
    pub push: PushDocument,
    /// Why there is no commit. Null: there is one, or none was to be.
    pub error: Option<String>,
    /// The files in it, relative to the repository's root; the first of them where there are many.
    pub files: Vec<String>,
    /// What was left out, and why. Null: nothing.
    pub note: Option<String>,
}

/// A push.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PushDocument {
    /// Whether it was asked for.
    pub requested: bool,
    /// Whether it was tried.
    pub ran: bool,
    /// Whether the remote took it.
    pub success: bool,
    /// Why it did not. Null: it did, or nothing was tried.
    pub error: Option<String>,
    /// The same as a structured error (seed 2): a `github_error` where the remote is GitHub, else a `system_error`. Null: there is none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::build_error::BuildError>"))]
    pub build_error: Option<serde_json::Value>,
}
