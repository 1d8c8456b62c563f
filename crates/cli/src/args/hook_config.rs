//! What is typed to configure a hook at a host of coding agents, and to see how it answers.

use clap::{Args, ValueEnum};
use referee_model::hook::AgentHost;

/// Host of a coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostName {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// GitHub Copilot, CLI and coding agent.
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
  referee hook config claude                    print the configuration of .claude/settings.json
  referee hook config claude --write            write it to that file
  referee hook config gemini --write --user     write it for all projects of this user
  referee hook config claude --write --managed  write it for all users of the machine
  referee hook config codex --deadline 15m      allow more time for a slow suite

The hook runs hooks/referee.sh, a script written beside the settings file. It runs `referee hook HOST`, and blocks also if
Referee is missing, crashes, hangs or prints anything else. Commit both files. Other hooks and settings are kept; the previous
file is saved as NAME.before-referee.")]
pub(crate) struct HookConfig {
    /// Host of the coding agent.
    #[arg(value_enum, value_name = "HOST")]
    pub(crate) host: HostName,
    /// Merge the configuration into the settings file instead of printing it.
    #[arg(long)]
    pub(crate) write: bool,
    /// Use the user's settings file instead of the project's.
    #[arg(long)]
    pub(crate) user: bool,
    /// Use the administrator's settings file, which no project or user can override (claude only).
    #[arg(long, conflicts_with = "user")]
    pub(crate) managed: bool,
    /// Time limit for the answer, such as 90s, 15m or 1h; the host waits 30 s longer.
    #[arg(long, value_name = "DURATION", value_parser = deadline)]
    pub(crate) deadline: Option<u64>,
    /// Program that the hook starts: a name on PATH, or an absolute path.
    #[arg(long, value_name = "PROGRAM", default_value = "referee")]
    pub(crate) program: String,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee hook test claude         test the installed hook of Claude Code

Runs the installed command with the host's events in a temporary project: with failing and passing checks, without a
specification, with a Referee that is missing, crashes, prints junk or hangs, with its script removed or changed, and with its
settings about to be removed. Exits with 0 if the hook blocks exactly when it must, else with 3.")]
pub(crate) struct HookTest {
    /// Host of the coding agent.
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
