//! What is typed to configure a hook at a host of coding agents, and to see how it answers.

use clap::{Args, ValueEnum};
use referee_model::hook::AgentHost;

/// A host, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostName {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Copilot, on the command line and in the cloud.
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

impl From<HostName> for AgentHost {
    fn from(name: HostName) -> Self {
        match name {
            HostName::Claude => Self::Claude,
            HostName::Codex => Self::Codex,
            HostName::Copilot => Self::Copilot,
            HostName::Gemini => Self::Gemini,
            HostName::Qwen => Self::Qwen,
            HostName::Opencode => Self::OpenCode,
            HostName::Cursor => Self::Cursor,
            HostName::Vscode => Self::VsCode,
        }
    }
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee hook config claude                    what belongs into .claude/settings.json
  referee hook config claude --write            merge it into that file
  referee hook config gemini --write --user     for all projects of this user, in folders that are not trusted, too
  referee hook config claude --write --managed  for all users of the machine, by its administrator
  referee hook config codex --deadline 15m      for a suite that takes long

The hook runs a script that is written beside the file, as hooks/referee.sh; that runs `referee hook HOST`, and blocks also
where Referee is missing, dies, hangs or prints something else. Commit both. Other hooks and settings of the file stay as they
are; what was there before lies beside it, as NAME.before-referee.")]
pub(crate) struct HookConfig {
    /// The host.
    #[arg(value_enum, value_name = "HOST")]
    pub(crate) host: HostName,
    /// Merge it into the file instead of printing it.
    #[arg(long)]
    pub(crate) write: bool,
    /// The user's file instead of the project's.
    #[arg(long)]
    pub(crate) user: bool,
    /// The administrator's file, which no project and no user can switch off (claude alone).
    #[arg(long, conflicts_with = "user")]
    pub(crate) managed: bool,
    /// Time in which Referee must have answered where work is handed back: 90s, 15m, 1h. The host waits 30 s longer.
    #[arg(long, value_name = "DURATION", value_parser = deadline)]
    pub(crate) deadline: Option<u64>,
    /// What the hook starts: a name that is found on the search path, or an absolute path.
    #[arg(long, value_name = "PROGRAM", default_value = "referee")]
    pub(crate) program: String,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee hook test claude         does the hook that is installed block where it must?

In a temporary project the installed command is given the host's own events: with failing checks, with passing ones,
without a specification, with a Referee that is missing, crashes, prints junk or hangs, with its script gone or changed, and
where its settings are about to be taken away. Exits with 0 where the host
is blocked where it must be and nowhere else, and with 3 where not, or where no hook is installed.")]
pub(crate) struct HookTest {
    /// The host.
    #[arg(value_enum, value_name = "HOST")]
    pub(crate) host: HostName,
}

/// Milliseconds between which a hook's deadline lies.
const DEADLINE_LEAST: u64 = 1_000;
const DEADLINE_MOST: u64 = 6 * 3_600_000;

/// Reads a deadline as milliseconds: whole seconds, since hosts take no others.
fn deadline(text: &str) -> Result<u64, String> {
    let expected = "whole seconds from 1s to 6h, such as 90s, 15m or 1h";
    let milliseconds = super::duration::within(text, (DEADLINE_LEAST, DEADLINE_MOST), expected)?;
    if milliseconds.is_multiple_of(1_000) { Ok(milliseconds) } else { Err(format!("expected {expected}")) }
}
