//! What is typed to serve tools to coding agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::PlainFormat;
use super::gate_options::GateArguments;
use super::hook_config::HostName;
use super::incident::Root;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  referee mcp                           serve one client on standard input and output
  referee mcp --listen 0                serve over HTTP on any free port and print it
  referee mcp config claude --write     have Claude Code start this server

Tools name tasks, runs and incidents by id, and paths only below the project. Nothing that only a
person may do is a tool: approving, waiving, locking, enrolling, keys."
)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    #[command(flatten)]
    pub(crate) server: McpServer,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Print or write the configuration by which a host starts this server.
    Config(McpConfig),
}

#[derive(Debug, Args)]
pub(crate) struct McpServer {
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    #[command(flatten)]
    pub(crate) root: Root,
    /// Serve over HTTP on this port or address instead of standard streams; port 0 picks a free one.
    #[arg(long, value_name = "[ADDRESS:]PORT", env = "REFEREE_MCP_LISTEN")]
    pub(crate) listen: Option<String>,
    /// Allow an address that other machines can reach (requires --token-file).
    #[arg(long, requires = "listen")]
    pub(crate) allow_non_loopback: bool,
    /// Additional host name to accept in requests (can be repeated).
    #[arg(long, value_name = "NAME")]
    pub(crate) host_name: Vec<String>,
    /// File with the token of HTTP, readable only by you [default: REFEREE_TOKEN, or a generated token in the state
    /// directory].
    #[arg(long, value_name = "FILE", env = "REFEREE_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Format of the line that says where the server listens.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee mcp config claude             print the entry of .mcp.json
  referee mcp config claude --write     write it to that file
  referee mcp config codex --user --write
                                        write it for all projects of this user

Other servers and settings are kept; the previous file is saved as NAME.before-referee.")]
pub(crate) struct McpConfig {
    /// Host of the coding agent.
    #[arg(value_enum, value_name = "HOST")]
    pub(crate) host: HostName,
    /// Merge the entry into the host's file instead of printing it.
    #[arg(long)]
    pub(crate) write: bool,
    /// Use the user's file instead of the project's.
    #[arg(long)]
    pub(crate) user: bool,
    /// Program that the host starts: a name on PATH, or an absolute path.
    #[arg(long, value_name = "PROGRAM", default_value = "referee")]
    pub(crate) program: String,
}
