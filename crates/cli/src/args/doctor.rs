//! What is typed to see whether the gate is armed.

use clap::{Args, ValueEnum};
use referee_model::doctor::Check;
use referee_model::hook::AgentHost;

use super::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee doctor                        everything that arms the gate in this project
  referee doctor --host claude          with the hooks of one host alone
  referee doctor --strict               also warnings, and what cannot be told, exit with 3
  referee doctor --explain chain        what one finding means, and how to mend it
  referee doctor --format json

Changes nothing, and starts nothing of the project. Exits with 0 where the gate is armed, with 3 where it is not.")]
pub(crate) struct Doctor {
    /// Look at the hooks of this host alone; may be given several times. Default: those that the project or this machine seem
    /// to use.
    #[arg(long = "host", value_enum, value_name = "HOST")]
    pub(crate) hosts: Vec<Host>,
    /// Exit with 3 also for warnings, and for what cannot be told.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Say what a finding means, by its id, and look at nothing.
    #[arg(long, value_name = "ID", value_parser = check, conflicts_with_all = ["hosts", "strict", "format"])]
    pub(crate) explain: Option<Check>,
    /// How to print what was found.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// A host of coding agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Copilot.
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
        let ids: Vec<&str> = Check::ALL.iter().map(|check| check.as_str()).collect();
        format!("there is no such finding; there is {}", ids.join(", "))
    })
}
