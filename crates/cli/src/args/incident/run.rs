//! What is typed to `referee incident run`.

use clap::{ArgAction, Args, Parser, ValueEnum};
use referee_engine::incident::repair_loop::{CommitScope, LoopOptions};
use referee_engine::incident::verification::VerificationOptions;
use referee_model::limit;

use super::Root;
use crate::args::agent_fleet::{AgentFleet, StandbyTime};
use crate::args::duration::within;
use crate::args::gate_options::GateArguments;
use crate::args::{PlainFormat, Specification};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident run ID --agent 'claude -p --output-format json'
                                   pass incident, plan and failures as JSON on stdin
  referee incident run ID --agent ./repair.sh --max-loops 4
  referee incident run ID --agent ./repair.sh --commit-on-resolve --push-on-resolve
  referee incident run ID --agent ./repair.sh --single-iteration
                                   run a single turn
  referee incident run ID --agent ./repair.sh --agent-label agents --evidence s3://evidence
                                   run the agent on another machine, by a worker
  referee incident run ID --agent ./repair.sh --agent-label agents --from s3://evidence --key key.pem
                                   go on with the loop of a machine that is gone
  referee incident run ID          run only the plan's checks

Exits with 0 if the checks passed; with 1 if another plan is needed, the incident was escalated, or
the single turn did not pass. Repeat the command to resume an interrupted loop.")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) verifying: Verifying,
    /// Agent's command: a program and its arguments, started in the workspace without a shell.
    #[arg(long, value_name = "CMD", env = "REFEREE_AGENT", allow_hyphen_values = true)]
    pub(crate) agent: Option<String>,
    /// Timeout of one turn, such as 90s, 20m or 1h.
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = turn)]
    pub(crate) agent_timeout: u64,
    #[command(flatten)]
    pub(crate) workers: AgentFleet,
    /// Take the incident over from another machine, by its last checkpoint in this depot, and go on through it:
    /// `s3://BUCKET/PREFIX`, or a directory. The workspace must be as it was when the loop began, and the plan approved by a key
    /// that this machine trusts; needs the key to sign with.
    #[arg(
        long,
        value_name = "URL",
        requires = "agent",
        requires = "label",
        conflicts_with = "depot",
        help_heading = "Fleet Options"
    )]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) standby: StandbyTime,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) committing: Committing,
    /// Archive the incident when it is resolved.
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_value_t = true, default_missing_value = "true")]
    pub(crate) archive_on_success: bool,
    /// Archive the incident when it is escalated.
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_value_t = true, default_missing_value = "true")]
    pub(crate) archive_on_escalate: bool,
    /// Planner's command, if another plan is needed [default: built-in rules].
    #[arg(long, value_name = "CMD", env = "REFEREE_PLANNER")]
    pub(crate) planner: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}

/// Execution of the plan's checks.
#[derive(Debug, Clone, Args)]
pub(crate) struct Verifying {
    #[command(flatten)]
    pub(crate) specification: Specification,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
}

/// Budget of the loop (ruling 24).
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Maximum number of turns per plan.
    #[arg(long, value_name = "N", default_value_t = limit::LOOPS, value_parser = turns)]
    pub(crate) max_loops: u32,
    /// Maximum time per plan, in minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = limit::LOOP_MS / 60_000, value_parser = minutes)]
    pub(crate) max_runtime_minutes: u64,
    /// Escalate after this many turns in a row with the same first failure.
    #[arg(long, value_name = "N", default_value_t = limit::SAME_ERRORS, value_parser = turns)]
    pub(crate) same_error_limit: u32,
    /// Ask for another plan after this many turns in a row without progress.
    #[arg(long, value_name = "N", default_value_t = limit::RUNS_WITHOUT_PROGRESS, value_parser = turns)]
    pub(crate) no_progress_limit: u32,
    /// Never ask for another plan.
    #[arg(long)]
    pub(crate) no_replan: bool,
    /// Run a single turn.
    #[arg(long)]
    pub(crate) single_iteration: bool,
}

/// Commit and push.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Git Options")]
pub(crate) struct Committing {
    /// Commit changes of the plan's target paths and the incident's directory when it is resolved.
    #[arg(long)]
    pub(crate) commit_on_resolve: bool,
    /// Push the commit (never forced).
    #[arg(long, requires = "commit_on_resolve")]
    pub(crate) push_on_resolve: bool,
    /// Commit message; {incident_id} is replaced.
    #[arg(long, value_name = "TEXT", requires = "commit_on_resolve", allow_hyphen_values = true)]
    pub(crate) commit_message: Option<String>,
    /// Directory of the incident to commit.
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = Scope::Incident)]
    pub(crate) commit_scope: Scope,
    /// Remote to push to.
    #[arg(long, value_name = "REMOTE", default_value = "origin")]
    pub(crate) remote: String,
    /// Branch that must be checked out [default: the current branch].
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
}

/// Directory of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// The whole incident.
    Incident,
    /// The plan only.
    Plan,
    /// The repair loop only.
    Run,
}

impl Run {
    /// Returns what the loop may do.
    pub(crate) fn options(&self) -> LoopOptions {
        let Self { limits, committing, .. } = self;
        LoopOptions {
            max_loops: limits.max_loops,
            max_runtime_ms: limits.max_runtime_minutes.saturating_mul(60_000),
            same_error_limit: limits.same_error_limit,
            no_progress_limit: limits.no_progress_limit,
            auto_replan: !limits.no_replan,
            single_iteration: limits.single_iteration,
            commit_on_resolve: committing.commit_on_resolve,
            push_on_resolve: committing.push_on_resolve,
            commit_message: committing.commit_message.clone(),
            commit_scope: match committing.commit_scope {
                Scope::Incident => CommitScope::Incident,
                Scope::Plan => CommitScope::Plan,
                Scope::Run => CommitScope::Run,
            },
            remote: committing.remote.clone(),
            branch: committing.branch.clone(),
            archive_on_success: self.archive_on_success,
            archive_on_escalate: self.archive_on_escalate,
        }
    }
}

/// How checks run where nobody types how.
#[derive(Debug, Parser)]
struct Usual {
    #[command(flatten)]
    verifying: Verifying,
}

impl Verifying {
    /// Returns how the checks of this specification run where nothing but the environment says how, as for a server.
    pub(crate) fn usual(specification: &Specification) -> Result<Self, clap::Error> {
        let usual = Usual::try_parse_from(["referee"])?.verifying;
        Ok(Self { specification: specification.clone(), ..usual })
    }

    /// Returns what the engine is told of it.
    pub(crate) fn options(&self) -> VerificationOptions {
        VerificationOptions { specification: (&self.specification).into(), gate: self.gate.options() }
    }
}

fn turns(text: &str) -> Result<u32, String> {
    let turns = text.parse().ok().filter(|turns| (1..=1_000).contains(turns));
    turns.ok_or_else(|| "expected a whole number from 1 to 1000".to_owned())
}

fn minutes(text: &str) -> Result<u64, String> {
    let most = limit::ACTION_DEADLINE_MS_MAX / 60_000;
    let minutes = text.parse().ok().filter(|minutes| (1..=most).contains(minutes));
    minutes.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

fn turn(text: &str) -> Result<u64, String> {
    within(text, (1_000, limit::ACTION_DEADLINE_MS_MAX), "a time from 1s to 24h, such as 20m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loop_may_spend_is_bounded() {
        for wrong in ["0", "-1", "1001", "x", "", "99999999999"] {
            assert!(turns(wrong).is_err(), "{wrong}");
        }
        assert_eq!((turns("1"), minutes("1440"), turn("20m")), (Ok(1), Ok(1440), Ok(1_200_000)));
        assert!(minutes("0").is_err() && minutes("1441").is_err() && turn("1").is_err());
    }
}
