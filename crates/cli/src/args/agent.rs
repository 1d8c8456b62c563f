//! What is typed to `referee agent`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use referee_engine::repair::RepairOptions;
use referee_judge::retry;
use referee_model::limit;

use super::PlainFormat;
use super::agent_fleet::{AgentFleet, StandbyTime};
use super::gate::GateInvocation;

#[derive(Debug, Subcommand)]
pub(crate) enum Agent {
    /// Run an agent's command, check its work and repeat until the gate passes.
    ///
    /// Exits with 0 if the work passed, 7 if the agent timed out, 6 if it crashed or could not be started, else with the
    /// code of the last verdict.
    Run(Box<AgentRun>),
    /// List agent runs, latest first.
    List(AgentList),
    /// Show the turns of an agent run.
    Show(AgentShow),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee agent run -- claude -p 'Make the checks pass.' --output-format json
                                   pass the failures on standard input
  referee agent run --prompt task.md -- codex exec --json -
                                   insert the failures at {{DIAGNOSTICS}}
  referee agent run --prompt task.md -- gemini --output-format json -p '{{PROMPT}}'
  referee agent run --max-iterations 5 --max-minutes 90 --agent-timeout 20m -- ./agent.sh
  referee agent run --agent-label agents --evidence s3://evidence --key key.pem -- ./agent.sh
                                   run the agent on another machine, by a worker
  referee agent run --resume run-20261122T101500000Z-1f3a9c04
                                   resume an interrupted run
  referee agent run --resume RUN --from s3://evidence --key key.pem
                                   go on with a run of a machine that is gone")]
pub(crate) struct AgentRun {
    #[command(flatten)]
    pub(crate) asked: GateInvocation,
    /// File with the agent's prompt; {{DIAGNOSTICS}} in it is replaced with the failures. The agent gets the prompt on
    /// standard input, in the file named by REFEREE_PROMPT_FILE, and wherever CMD contains {{PROMPT}} [default: the
    /// failures alone].
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
    /// Maximum number of turns, 1 to 10.
    #[arg(long, value_name = "N", default_value_t = limit::AGENT_ITERATIONS, value_parser = turns)]
    pub(crate) max_iterations: u32,
    /// Maximum time of the whole run, in minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = limit::LOOP_MS / 60_000, value_parser = minutes)]
    pub(crate) max_minutes: u64,
    /// Timeout of one turn, such as 90s, 20m or 1h.
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = duration)]
    pub(crate) agent_timeout: u64,
    #[command(flatten)]
    pub(crate) workers: AgentFleet,
    /// Which failures of the agent to retry before they count.
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Retry::None)]
    pub(crate) retry: Retry,
    /// Resume an interrupted run with its original options.
    #[arg(long, value_name = "RUN", conflicts_with = "command")]
    pub(crate) resume: Option<String>,
    /// Take the run over from another machine, by its last checkpoint in this depot: `s3://BUCKET/PREFIX`, or a directory. The
    /// workspace must be as it was when the run began; needs the key to sign with.
    #[arg(long, value_name = "URL", requires = "resume", help_heading = "Fleet Options")]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) standby: StandbyTime,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
    /// Command that starts the agent, run in the workspace root.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

impl AgentRun {
    /// Returns what the engine is told of it.
    pub(crate) fn options(&self) -> RepairOptions {
        let GateInvocation { specification, gate, no_reuse, held_out } = &self.asked;
        RepairOptions {
            specification: specification.into(),
            gate: gate.options(),
            held_out: held_out.clone(),
            reuse: !no_reuse,
            command: self.command.clone(),
            agent_workers: None,
            agent_timeout: self.agent_timeout,
            timeout: self.max_minutes.saturating_mul(60_000),
            turns: self.max_iterations,
            retry: match self.retry {
                Retry::None => retry::no_retries(),
                Retry::Default => retry::default_policy(),
                Retry::Aggressive => retry::aggressive_policy(),
            },
        }
    }
}

/// Which failures to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Retry {
    /// Retry nothing.
    None,
    /// Retry timeouts and system failures twice.
    Default,
    /// Retry crashes, too, up to five times.
    Aggressive,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee agent list               list agent runs of all projects
  referee agent list --format json")]
pub(crate) struct AgentList {
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee agent show run-20261122T101500000Z-1f3a9c04
  referee agent show RUN --format json
                                   print its run.json")]
pub(crate) struct AgentShow {
    /// Id of the run.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

fn turns(text: &str) -> Result<u32, String> {
    let turns = text.parse().ok().filter(|turns| (1..=limit::AGENT_ITERATIONS_MAX).contains(turns));
    turns.ok_or_else(|| format!("expected a whole number from 1 to {}", limit::AGENT_ITERATIONS_MAX))
}

fn minutes(text: &str) -> Result<u64, String> {
    let most = limit::ACTION_DEADLINE_MS_MAX / 60_000;
    let minutes = text.parse().ok().filter(|minutes| (1..=most).contains(minutes));
    minutes.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

/// Reads how long a turn may take, as milliseconds.
fn duration(text: &str) -> Result<u64, String> {
    super::duration::within(text, (1_000, limit::ACTION_DEADLINE_MS_MAX), "a time from 1s to 24h, such as 20m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_may_take_is_bounded() {
        for (text, milliseconds) in [("1s", 1_000), ("20m", 1_200_000), ("24h", 86_400_000)] {
            assert_eq!(duration(text), Ok(milliseconds));
        }
        for wrong in ["", "s", "20", "0s", "25h", "-1m", "999ms", "99999999999999999999s", "5mm", "ß"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(turns("0").is_err() && turns("11").is_err() && turns("10").is_ok());
        assert!(minutes("0").is_err() && minutes("1441").is_err() && minutes("1440").is_ok());
    }
}
