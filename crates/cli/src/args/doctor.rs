//! What is typed to see whether the gate is armed.

use clap::{Args, ValueEnum};
use referee_model::doctor::Check;
use referee_model::hook::AgentHost;

use super::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee doctor                        check the installation for this project
  referee doctor --host claude          check the hooks of one host
  referee doctor --strict               treat warnings as errors
  referee doctor --explain chain        explain a finding and how to fix it
  referee doctor --format json

Changes nothing and runs nothing of the project. Exits with 0 if the gate is effective, else with 3.")]
pub(crate) struct Doctor {
    /// Check only the hooks of this host (can be repeated) [default: hosts that the project or this machine uses].
    #[arg(long = "host", value_enum, value_name = "HOST")]
    pub(crate) hosts: Vec<Host>,
    /// Treat warnings and unknown results as errors.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Explain the finding with this id, and exit.
    #[arg(long, value_name = "ID", value_parser = check, conflicts_with_all = ["hosts", "strict", "format"])]
    pub(crate) explain: Option<Check>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Host of a coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// GitHub Copilot.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// opencode.
    Opencode,
    /// Cursor.
    Cursor,
    /// VS Code's agents.
    Vscode,
}

impl From<Host> for AgentHost {
    fn from(host: Host) -> Self {
        match host {
            Host::Claude => Self::Claude,
            Host::Codex => Self::Codex,
            Host::Copilot => Self::Copilot,
            Host::Gemini => Self::Gemini,
            Host::Qwen => Self::Qwen,
            Host::Opencode => Self::OpenCode,
            Host::Cursor => Self::Cursor,
            Host::Vscode => Self::VsCode,
        }
    }
}

fn check(text: &str) -> Result<Check, String> {
    Check::parse(text).ok_or_else(|| {
        let ids: Vec<&str> = Check::ALL.map(Check::as_str).to_vec();
        format!("there is no such finding; there is {}", ids.join(", "))
    })
}
