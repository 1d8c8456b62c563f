//! What is typed to `referee agent`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use referee_engine::repair::RepairOptions;
use referee_judge::retry;
use referee_model::limit;

use super::PlainFormat;
use super::gate::Asked;

#[derive(Debug, Subcommand)]
pub(crate) enum Agent {
    /// Run a coding agent's command, ask the gate, tell the agent what failed, and repeat until it passes.
    ///
    /// Exits with 0 where the work passed; else as the last answer of the gate; with 7 where the agent took too long, with 6
    /// where it crashed or could not be started.
    Run(Box<AgentRun>),
    /// List runs of agents, the latest first.
    List(AgentList),
    /// Show one run, turn by turn.
    Show(AgentShow),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee agent run -- claude -p 'Make the checks pass.' --output-format json
                                   what failed comes on standard input
  referee agent run --prompt task.md -- codex exec --json -
                                   a prompt with {{DIAGNOSTICS}} where what failed is wanted
  referee agent run --prompt task.md -- gemini --output-format json -p '{{PROMPT}}'
  referee agent run --max-iterations 5 --max-minutes 90 --agent-timeout 20m -- ./agent.sh
  referee agent run --resume run-20261122T101500000Z-1f3a9c04
                                   go on with a run that was cut off")]
pub(crate) struct AgentRun {
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// What the agent is to do: a file, where {{DIAGNOSTICS}} is replaced by what failed. The agent reads it on standard
    /// input, in the file that REFEREE_PROMPT_FILE names, and where CMD says {{PROMPT}}. Without it what failed is all.
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
    /// Turns that the agent may take, 1 to 10.
    #[arg(long, value_name = "N", default_value_t = limit::AGENT_ITERATIONS, value_parser = turns)]
    pub(crate) max_iterations: u32,
    /// Minutes that the run may take.
    #[arg(long, value_name = "MINUTES", default_value_t = limit::LOOP_MS / 60_000, value_parser = minutes)]
    pub(crate) max_minutes: u64,
    /// How long one turn of the agent may take: a number with s, m or h.
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = duration)]
    pub(crate) agent_timeout: u64,
    /// What is tried again before anything else: nothing, timeouts and failures of the system, or crashes too.
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Retry::None)]
    pub(crate) retry: Retry,
    /// Go on with this run, as it was ordered: with nothing beside it but --format.
    #[arg(long, value_name = "RUN", conflicts_with = "command")]
    pub(crate) resume: Option<String>,
    /// How to print the run when it is over.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
    /// The agent's command, behind `--`. It starts in the workspace's root, wherever this is typed.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

impl AgentRun {
    /// Returns what the engine is told of it.
    pub(crate) fn options(&self) -> RepairOptions {
        let Asked { specification, gate, no_reuse, held_out } = &self.asked;
        RepairOptions {
            specification: specification.into(),
            gate: gate.options(),
            held_out: held_out.clone(),
            reuse: !no_reuse,
            command: self.command.clone(),
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

/// What is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Retry {
    /// Nothing.
    None,
    /// Timeouts, and failures of the system: twice.
    Default,
    /// Crashes too: five times.
    Aggressive,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee agent list               all that are kept, whatever project they work in
  referee agent list --format json")]
pub(crate) struct AgentList {
    /// How to print them.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee agent show run-20261122T101500000Z-1f3a9c04
  referee agent show RUN --format json
                                   its run.json")]
pub(crate) struct AgentShow {
    /// The run.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// How to print it.
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
