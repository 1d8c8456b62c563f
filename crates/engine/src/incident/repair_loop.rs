//! The loop of repairs of an incident: an agent works, the plan's checks run, and it is decided (ruling 24).

use referee_exec::Cancellation;
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
mod loop_record;
mod publication;
mod results;

pub use self::drive::run;
pub use self::results::{COMMANDS_TASK, is_check};

/// A loop that is asked for.
pub struct LoopRequest<'request> {
    /// The agent. None: nobody repairs, and the checks are run as things are.
    pub agent: Option<Agent>,
    /// What the loop may do.
    pub options: LoopOptions,
    /// How another plan is made, and the directory that everything happens in.
    pub plan: PlanRequest,
    /// How it is told to stop.
    pub cancellation: &'request Cancellation,
}

/// What a loop may do (seed 3). A request of the API has the same names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopOptions {
    /// Turns.
    pub max_loops: u32,
    /// Milliseconds.
    pub max_runtime_ms: u64,
    /// Turns in a row with the same first failure.
    pub same_error_limit: u32,
    /// Turns in a row without progress.
    pub no_progress_limit: u32,
    /// Whether another plan may be asked for.
    pub auto_replan: bool,
    /// One turn, and no more.
    pub single_iteration: bool,
    /// Whether what was changed is committed when it is resolved.
    pub commit_on_resolve: bool,
    /// Whether the commit is pushed.
    pub push_on_resolve: bool,
    /// What the commit says. None: what is usual.
    pub commit_message: Option<String>,
    /// What is committed beside the changed files of the plan's target paths.
    pub commit_scope: CommitScope,
    /// Where it is pushed to.
    pub remote: String,
    /// The branch. None: the present one.
    pub branch: Option<String>,
    /// Whether it is archived when it is resolved.
    pub archive_on_success: bool,
    /// Whether it is archived when it is escalated.
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

/// What is committed beside the changed files of the plan's target paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommitScope {
    /// The incident's directory, and where it lay.
    #[default]
    Incident,
    /// Its plan's directory.
    Plan,
    /// Its loop's directory.
    Run,
}

impl CommitScope {
    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incident => "incident",
            Self::Plan => "plan",
            Self::Run => "run",
        }
    }
}

/// Runs verification commands through the engine, with evidence in the named directory of the loop's evidence: one verdict about
/// all of them.
pub type Verify<'verify> = dyn FnMut(&[Verification], &str) -> GateReply + 'verify;

struct Drive<'run, 'verify> {
    context: IncidentContext<'run>,
    id: &'run IncidentId,
    request: &'run LoopRequest<'run>,
    verify: &'run mut Verify<'verify>,
    /// The plan as it was approved, and what shows that it is done.
    plan: Proposed,
    verifications: Vec<Verification>,
    budget: LoopBudget,
    file: LoopFileDocument,
    state: LoopState,
    runner: AgentRunner<'run>,
    /// The turns that this process took.
    results: Vec<LoopResultDocument>,
    /// Whether one of the plan's checks is known to have failed for the incident before anybody worked at it.
    was_red: bool,
    /// The edits of protected files that the last checks saw.
    edited: Vec<String>,
    /// Why the last checks did not pass.
    reasons: Vec<String>,
    /// What is committed when it is resolved. None: nothing was asked for.
    publishing: Option<publication::Publishing>,
}

#[cfg(test)]
mod tests;
