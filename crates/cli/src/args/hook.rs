//! What is typed to `referee hook`: by the configuration of a host, mostly.

use clap::{Args, Subcommand};
use referee_model::hook::AgentHost;

use super::duration::deadline;
use super::gate_options::RunArguments;
use super::hook_config::{HookConfig, HookTest};

#[derive(Debug, Subcommand)]
pub(crate) enum Hook {
    /// Answer Claude Code.
    #[command(after_help = AFTER_HELP)]
    Claude(Answering),
    /// Answer Codex.
    #[command(after_help = AFTER_HELP)]
    Codex(Answering),
    /// Answer Copilot, on the command line and in the cloud.
    #[command(after_help = AFTER_HELP)]
    Copilot(Answering),
    /// Answer Gemini CLI.
    #[command(after_help = AFTER_HELP)]
    Gemini(Answering),
    /// Answer Qwen Code.
    #[command(after_help = AFTER_HELP)]
    Qwen(Answering),
    /// Answer the plugin of opencode.
    #[command(after_help = AFTER_HELP)]
    Opencode(Answering),
    /// Answer Cursor.
    #[command(after_help = AFTER_HELP)]
    Cursor(Answering),
    /// Answer VS Code.
    #[command(name = "vscode", after_help = AFTER_HELP)]
    VsCode(Answering),
    /// Print what configures a hook at a host, or merge it into the host's file.
    Config(HookConfig),
    /// See whether the hook that is installed at a host blocks where it must, and only there.
    Test(HookTest),
}

const AFTER_HELP: &str = "\
The host's event comes on standard input, and nothing but the answer goes to standard output. The agent is sent back unless
the work passes, and also where Referee cannot say: a broken or missing specification in an enrolled project, an event that
cannot be read, a deadline, a fault of its own. There is no opinion in a project that was never enrolled, and none where the
agent changed nothing and claims nothing, in a tree that no earlier run failed. Exits with 0, whatever it answers, unless the host wants it otherwise or cannot be written to (2).";

/// How a host is answered.
#[derive(Debug, Clone, Args)]
pub(crate) struct Answering {
    /// Answer within this time, such as 90s or 5m. Default: a little less than the configuration of `referee hook config` gives
    /// the host.
    #[arg(long, value_name = "DURATION", value_parser = deadline)]
    pub(crate) deadline: Option<u64>,
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Hold what is protected against this commit as well as the lock, or the one that the project was enrolled with.
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
