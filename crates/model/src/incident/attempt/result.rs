//! `run_result.json`: the result of a repair loop.

use crate::incident::id::IncidentId;
use serde::{Deserialize, Serialize};

use super::TurnResult;

document_words! {
    /// Status in which a repair loop ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum FinalStatus {
        /// The plan's checks passed.
        Resolved = "resolved",
        /// The incident is left to a person.
        Escalated = "escalated",
        /// Another plan is needed.
        ReplanRequested = "replan_requested",
        /// Only one turn was requested and it did not pass, the checks passed without ever having failed, or the
        /// loop was interrupted.
        Running = "running",
    }
}

/// Result of a repair loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee result of an incident's loop"))]
pub struct RunResultDocument {
    /// Id of the incident that the loop worked on.
    pub incident_id: IncidentId,
    /// Status in which the loop left the incident.
    pub final_status: FinalStatus,
    /// Reason for the final status, in one sentence.
    #[serde(default)]
    pub reason: String,
    /// Whether the incident stays open because its checks pass and none of them is known to have failed for it.
    /// Only a person can close such an incident.
    #[serde(default)]
    pub never_red: bool,
    /// Protected files that were edited in a way that does not block, according to the last checks, one
    /// sentence each.
    #[serde(default)]
    pub edited: Vec<String>,
    /// Number of turns that this plan took.
    pub loops_used: u32,
    /// Duration of the work on this plan, in minutes.
    pub runtime_minutes: f64,
    /// Number of consecutive turns with the same first failure.
    pub same_error_repeats: u32,
    /// Number of consecutive turns without progress.
    pub no_progress_streak: u32,
    /// Path of the archived incident's directory, relative to the incident root. Null: the incident was not archived.
    pub archived_to: Option<String>,
    /// Replan that the loop requested, if any.
    #[serde(default)]
    pub replan: ReplanDocument,
    /// Commit and push of the changes.
    #[serde(default)]
    pub commit: CommitDocument,
    /// Turns of this invocation, in order.
    #[serde(default)]
    pub loop_results: Vec<LoopResultDocument>,
    /// Path of the loop's state file, relative to the incident root.
    #[serde(default)]
    pub state_path: String,
    /// Path of the loop's directory, relative to the incident root.
    #[serde(default)]
    pub run_dir: String,
}

impl RunResultDocument {
    /// Creates a result without turns: nothing archived, replanned, committed or pushed.
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

/// Summary of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoopResultDocument {
    /// Number of the turn.
    pub iteration: u32,
    /// Path of the turn's document, relative to the incident root.
    pub attempt: String,
    /// Whether the checks of the turn passed.
    pub verification_passed: bool,
    /// What the loop did after this attempt.
    pub result: TurnResult,
    /// First command that failed. Empty: no command failed.
    pub error_signature: String,
    /// How the agent was ended. Null: it exited by itself, or none was run.
    #[serde(default)]
    pub agent_ended: Option<String>,
}

/// Request of a repair loop for another plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReplanDocument {
    /// Whether another plan was requested.
    pub requested: bool,
    /// Reason for the request.
    pub reason: String,
    /// Number of the turn after which the plan was requested.
    pub iteration: u32,
    /// Result of the replan. Null: no plan was made.
    pub plan_json: Option<ReplannedDocument>,
}

/// Result of making another plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReplannedDocument {
    /// Status of the replan: `ok` or `error`.
    pub status: String,
    /// Path of the plan, relative to the incident root.
    pub plan_json: String,
    /// Whether the existing plan was replaced.
    pub force: bool,
    /// Return code of the planner: 0, or 1 if it failed.
    pub returncode: i32,
    /// Error message. Null: no error occurred.
    pub error: Option<String>,
}

/// Commit and push of a resolved loop's changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CommitDocument {
    /// Whether a commit was requested.
    pub requested: bool,
    /// Whether a commit was requested and the loop ended as resolved.
    pub enabled: bool,
    /// Whether a commit was made.
    pub ran: bool,
    /// Whether there was nothing to commit.
    pub skipped: bool,
    /// Name of the remote that is pushed to.
    pub remote: String,
    /// Name of the branch. Null: unknown.
    pub branch: Option<String>,
    /// Directory that is committed with the plan's target paths: `incident`, `plan` or `run`.
    pub scope: String,
    /// Full id of the commit. Null: nothing was committed.
    pub commit_sha: Option<String>,
    /// Message of the commit. Null: nothing was committed.
    pub commit_message: Option<String>,
    /// Result of the push.
    pub push: PushDocument,
    /// Why no commit was made. Null: it was made, or none was due.
    pub error: Option<String>,
    /// Files in the commit, relative to the repository's root. If there are many, only the first ones.
    pub files: Vec<String>,
    /// What was left out of the commit, and why. Null: nothing was.
    pub note: Option<String>,
}

/// Result of a push.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PushDocument {
    /// Whether a push was requested.
    pub requested: bool,
    /// Whether a push was attempted.
    pub ran: bool,
    /// Whether the remote accepted the push.
    pub success: bool,
    /// Error message. Null: the push succeeded, or none was attempted.
    pub error: Option<String>,
    /// The error as a structured error (seed 2): a `github_error` if the remote is GitHub, otherwise a
    /// `system_error`. Null: no error occurred.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::build_error::BuildError>"))]
    pub build_error: Option<serde_json::Value>,
}
