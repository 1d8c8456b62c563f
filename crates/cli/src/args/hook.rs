//! What is typed to `referee hook`: by the configuration of a host, mostly.

use clap::{Args, Subcommand};
use referee_model::hook::AgentHost;

use super::duration::deadline;
use super::gate_options::RunArguments;
use super::hook_config::{HookConfig, HookTest};

#[derive(Debug, Subcommand)]
pub(crate) enum Hook {
    /// Run as a hook of Claude Code.
    #[command(after_help = AFTER_HELP)]
    Claude(Answering),
    /// Run as a hook of Codex.
    #[command(after_help = AFTER_HELP)]
    Codex(Answering),
    /// Run as a hook of GitHub Copilot.
    #[command(after_help = AFTER_HELP)]
    Copilot(Answering),
    /// Run as a hook of Gemini CLI.
    #[command(after_help = AFTER_HELP)]
    Gemini(Answering),
    /// Run as a hook of Qwen Code.
    #[command(after_help = AFTER_HELP)]
    Qwen(Answering),
    /// Run as a hook of opencode.
    #[command(after_help = AFTER_HELP)]
    Opencode(Answering),
    /// Run as a hook of Cursor.
    #[command(after_help = AFTER_HELP)]
    Cursor(Answering),
    /// Run as a hook of VS Code.
    #[command(name = "vscode", after_help = AFTER_HELP)]
    VsCode(Answering),
    /// Print the hook configuration of a host, or write it to the host's settings.
    Config(HookConfig),
    /// Test that the installed hook blocks when it must, and only then.
    Test(HookTest),
}

const AFTER_HELP: &str = "\
Reads the host's event on standard input and writes only the answer to standard output. Blocks unless the work passes, and
also if the decision is unknown: specification missing or invalid in an enrolled project, unreadable event, timeout or
internal error. Allows everything in projects that are not enrolled, and if the agent changed and claimed nothing since a
run that did not fail. Exits with 0 whatever the answer is, unless the host expects otherwise or cannot be written to (2).";

/// Options of a hook.
#[derive(Debug, Clone, Args)]
pub(crate) struct Answering {
    /// Time limit for the answer, such as 90s or 5m [default: a little less than the timeout in the host's hook
    /// configuration].
    #[arg(long, value_name = "DURATION", value_parser = deadline)]
    pub(crate) deadline: Option<u64>,
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Also compare protected files with this commit [default: the commit the project was enrolled with].
    #[arg(long, value_name = "REF", env = "REFEREE_TRUSTED")]
    pub(crate) trusted: Option<String>,
}

impl Hook {
    /// Returns the host that is to be answered, and how. None: no host asks.
    pub(crate) fn answering(&self) -> Option<(AgentHost, &Answering)> {
        Some(match self {
            Self::Claude(answering) => (AgentHost::Claude, answering),
            Self::Codex(answering) => (AgentHost::Codex, answering),
            Self::Copilot(answering) => (AgentHost::Copilot, answering),
            Self::Gemini(answering) => (AgentHost::Gemini, answering),
            Self::Qwen(answering) => (AgentHost::Qwen, answering),
            Self::Opencode(answering) => (AgentHost::OpenCode, answering),
            Self::Cursor(answering) => (AgentHost::Cursor, answering),
            Self::VsCode(answering) => (AgentHost::VsCode, answering),
            Self::Config(_) | Self::Test(_) => return None,
        })
    }
}
