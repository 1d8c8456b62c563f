//! What is typed to serve.

use std::path::PathBuf;

use clap::Args;

use super::incident::Root;
use super::{EvidenceRoot, PlainFormat, Specification};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee serve                         listen on http://127.0.0.1:4747, with a token
  referee serve --listen 0              listen on any free port and print it
  referee serve --unix ~/.referee.sock  listen on a Unix socket, for this user only
  referee serve --agent 'claude -p'     enable repair loops with an agent
  referee serve --listen 10.0.0.5:8080 --allow-non-loopback --token-file token

SIGINT, SIGTERM and SIGHUP stop the server: requests have 10 seconds to finish, repair loops are
cancelled.")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) root: Root,
    #[command(flatten)]
    pub(crate) specification: Specification,
    #[command(flatten)]
    pub(crate) evidence: EvidenceRoot,
    /// Port or address to listen on; port 0 picks a free one [default: 127.0.0.1:4747].
    #[arg(long, value_name = "[ADDRESS:]PORT", env = "REFEREE_LISTEN")]
    pub(crate) listen: Option<String>,
    /// Listen on this Unix socket instead of an address.
    #[arg(long, value_name = "PATH")]
    pub(crate) unix: Option<PathBuf>,
    /// Allow an address that other machines can reach (requires --token-file).
    #[arg(long)]
    pub(crate) allow_non_loopback: bool,
    /// Additional host name to accept in requests (can be repeated).
    #[arg(long, value_name = "NAME")]
    pub(crate) host_name: Vec<String>,
    /// File with the token, readable only by you [default: REFEREE_TOKEN, or a generated token in the state directory].
    #[arg(long, value_name = "FILE", env = "REFEREE_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Agent's command for repair loops; without it repair loops are disabled.
    #[arg(long, value_name = "CMD", env = "REFEREE_AGENT", allow_hyphen_values = true)]
    pub(crate) agent: Option<String>,
    /// Planner's command, which reads an incident as JSON and prints a plan.
    #[arg(long, value_name = "CMD", env = "REFEREE_PLANNER")]
    pub(crate) planner: Option<String>,
    /// Queue directory of handoff packages [default: REFEREE_HANDOFF_DIR or AX_ANTIGRAVITY_HANDOFF_DIR].
    #[arg(long, value_name = "DIR")]
    pub(crate) queue_dir: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
