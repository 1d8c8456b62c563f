//! What is typed to `referee incident run`.

use clap::{ArgAction, Args, Parser, ValueEnum};
use referee_engine::incident::repair_loop::{CommitScope, LoopOptions};
use referee_engine::incident::verification::VerificationOptions;
use referee_model::limit;

use super::Root;
use crate::args::duration::within;
use crate::args::gate_options::GateArguments;
use crate::args::{PlainFormat, Specification};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident run ID --agent 'claude -p --output-format json'
                                   incident, plan and what failed come as JSON on standard input
  referee incident run ID --agent ./mend.sh --max-loops 4
  referee incident run ID --agent ./mend.sh --commit-on-resolve --push-on-resolve
  referee incident run ID --agent ./mend.sh --single-iteration
                                   one turn; the next one goes on
  referee incident run ID          nobody repairs: the plan's checks run, and say whether it is over

Exits with 0 where the checks passed; with 1 where another plan is needed, where it is left to a
person, or where the one turn did not pass. A loop that was cut off goes on with the same words.")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) verifying: Verifying,
    /// The agent's command: a program and its arguments in one text, started in the workspace by no shell. Its last words may
    /// be a JSON object whose `actions_applied` names the plan's actions that it did.
    #[arg(long, value_name = "CMD", env = "REFEREE_AGENT", allow_hyphen_values = true)]
    pub(crate) agent: Option<String>,
    /// How long one turn of the agent may take: a number with s, m or h.
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = turn)]
    pub(crate) agent_timeout: u64,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) committing: Committing,
    /// Move the incident to the archive when it is resolved; `=false` leaves it in the inbox.
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_value_t = true, default_missing_value = "true")]
    pub(crate) archive_on_success: bool,
    /// Move the incident to the archive when it is left to a person; `=false` leaves it in the inbox.
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_value_t = true, default_missing_value = "true")]
    pub(crate) archive_on_escalate: bool,
    /// A program that plans, where another plan is needed. Default: rules.
    #[arg(long, value_name = "CMD", env = "REFEREE_PLANNER")]
    pub(crate) planner: Option<String>,
    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}

/// How the plan's checks run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Verifying {
    #[command(flatten)]
    pub(crate) specification: Specification,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
}

/// What the loop may spend (ruling 24).
#[derive(Debug, Clone, Args)]
pub(crate) struct Limits {
    /// Turns that one plan may take.
    #[arg(long, value_name = "N", default_value_t = limit::LOOPS, value_parser = turns)]
    pub(crate) max_loops: u32,
    /// Minutes that one plan may take.
    #[arg(long, value_name = "MINUTES", default_value_t = limit::LOOP_MS / 60_000, value_parser = minutes)]
    pub(crate) max_runtime_minutes: u64,
    /// Turns in a row with the same first failure, after which it is left to a person.
    #[arg(long, value_name = "N", default_value_t = limit::SAME_ERRORS, value_parser = turns)]
    pub(crate) same_error_limit: u32,
    /// Turns in a row without progress, after which another plan is asked for.
    #[arg(long, value_name = "N", default_value_t = limit::RUNS_WITHOUT_PROGRESS, value_parser = turns)]
    pub(crate) no_progress_limit: u32,
    /// Ask for no other plan.
    #[arg(long)]
    pub(crate) no_replan: bool,
    /// Take one turn, and no more.
    #[arg(long)]
    pub(crate) single_iteration: bool,
}

/// What is done with the repository when it is resolved.
#[derive(Debug, Clone, Args)]
pub(crate) struct Committing {
    /// Commit what was changed at the plan's target paths, and the scope's folder; nothing else that is staged.
    #[arg(long)]
    pub(crate) commit_on_resolve: bool,
    /// Push that commit. Never forced.
    #[arg(long, requires = "commit_on_resolve")]
    pub(crate) push_on_resolve: bool,
    /// What the commit says; {incident_id} stands for the incident.
    #[arg(long, value_name = "TEXT", requires = "commit_on_resolve", allow_hyphen_values = true)]
    pub(crate) commit_message: Option<String>,
    /// Which of the incident's folders is committed, too.
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = Scope::Incident)]
    pub(crate) commit_scope: Scope,
    /// Where it is pushed to.
    #[arg(long, value_name = "REMOTE", default_value = "origin")]
    pub(crate) remote: String,
    /// The branch, which must be checked out. Default: whichever is.
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
}

/// Which of an incident's folders is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// The incident's folder, and where it lay before it was archived.
    Incident,
    /// Its plan's.
    Plan,
    /// Its loop's.
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
