//! The repair loop of an incident: an agent works, the plan's checks run, and the result is judged (ruling 24).

use referee_exec::Cancellation;
use referee_model::id::{Digest, WorkspacePath};
use referee_model::incident::attempt::{LoopFileDocument, LoopResultDocument};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::Verification;
use referee_model::loop_guard::{LoopBudget, LoopState};

use super::IncidentContext;
use super::approval::Proposed;
use super::plan::PlanRequest;
use crate::agent_loop::{Agent, AgentRunner, GateReply};

mod agent;
mod applied;
mod approved_plan;
mod checks;
mod closure;
mod decision;
mod drive;
mod first_look;
mod incident_takeover;
mod loop_record;
mod publication;
mod results;

pub use self::drive::run;
pub(super) use self::incident_takeover::IncidentTakeover;
pub use self::results::{COMMANDS_TASK, is_check};

/// A requested loop.
pub struct LoopRequest<'request> {
    /// The agent. `None`: nothing is repaired, and the checks run on the current state.
    pub agent: Option<Agent>,
    /// Limits and options of the loop.
    pub options: LoopOptions,
    /// How a new plan is made, and the workspace.
    pub plan: PlanRequest,
    /// The specification in the workspace, and its digest. `None`: no other machine can go on with the loop.
    pub specification: Option<(WorkspacePath, Digest)>,
    /// Cancels the loop.
    pub cancellation: &'request Cancellation,
}

/// Limits and options of a loop (seed 3). A request of the API uses the same names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopOptions {
    /// Maximum number of turns.
    pub max_loops: u32,
    /// Maximum duration in milliseconds.
    pub max_runtime_ms: u64,
    /// Maximum number of consecutive turns with the same first failure.
    pub same_error_limit: u32,
    /// Maximum number of consecutive turns without progress.
    pub no_progress_limit: u32,
    /// Whether a new plan may be requested.
    pub auto_replan: bool,
    /// Whether the loop ends after one turn.
    pub single_iteration: bool,
    /// Whether the changes are committed when the incident is resolved.
    pub commit_on_resolve: bool,
    /// Whether the commit is pushed.
    pub push_on_resolve: bool,
    /// Commit message. `None`: the default.
    pub commit_message: Option<String>,
    /// Files that are committed in addition to the changed files of the plan's target paths.
    pub commit_scope: CommitScope,
    /// Git remote that the commit is pushed to.
    pub remote: String,
    /// Branch of the commit. `None`: the current branch.
    pub branch: Option<String>,
    /// Whether the incident is archived when it is resolved.
    pub archive_on_success: bool,
    /// Whether the incident is archived when it is escalated.
    pub archive_on_escalate: bool,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self {
            max_loops: referee_model::limit::LOOPS,
            max_runtime_ms: referee_model::limit::LOOP_MS,
            same_error_limit: referee_model::limit::SAME_ERRORS,
            no_progress_limit: referee_model::limit::RUNS_WITHOUT_PROGRESS,
            auto_replan: true,
            single_iteration: false,
            commit_on_resolve: false,
            push_on_resolve: false,
            commit_message: None,
            commit_scope: CommitScope::Incident,
            remote: "origin".to_owned(),
            branch: None,
            archive_on_success: true,
            archive_on_escalate: true,
        }
    }
}

referee_model::words! {
    /// Files that are committed in addition to the changed files of the plan's target paths.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum CommitScope {
        /// The incident's directory, including its former location if it was archived.
        #[default]
        Incident = "incident",
        /// The plan's directory.
        Plan = "plan",
        /// The loop's directory.
        Run = "run",
    }
}

/// Runs verification commands through the engine, with evidence in the named directory of the loop's evidence.
/// Returns one verdict about all of them.
pub type Verify<'verify> = dyn FnMut(&[Verification], &str) -> GateReply + 'verify;

struct Drive<'run, 'verify> {
    context: IncidentContext<'run>,
    id: &'run IncidentId,
    request: &'run LoopRequest<'run>,
    verify: &'run mut Verify<'verify>,
    /// The plan as approved, and its verifications.
    plan: Proposed,
    verifications: Vec<Verification>,
    budget: LoopBudget,
    file: LoopFileDocument,
    state: LoopState,
    runner: AgentRunner<'run>,
    /// Results of the turns that this process ran.
    results: Vec<LoopResultDocument>,
    /// Whether one of the plan's checks is known to have failed for the incident before any work on it.
    was_red: bool,
    /// Edits of protected files that the last checks reported.
    edited: Vec<String>,
    /// Reasons why the last checks did not pass.
    reasons: Vec<String>,
    /// The commit to make when the incident is resolved. `None` if none was requested.
    publishing: Option<publication::Publishing>,
}

#[cfg(test)]
mod tests;
