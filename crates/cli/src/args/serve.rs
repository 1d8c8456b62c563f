//! What is typed to serve.

use std::path::PathBuf;

use clap::Args;

use super::incident::Root;
use super::{EvidenceRoot, PlainFormat, Specification};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee serve                         at http://127.0.0.1:4747, for whoever has the token
  referee serve --listen 0              at any free port; the first line says which
  referee serve --unix ~/.referee.sock  at a Unix socket, for this user alone, without a token
  referee serve --agent 'claude -p'     with an agent, so that loops of repairs can be asked for
  referee serve --listen 10.0.0.5:8080 --allow-non-loopback --token-file token

Stops at SIGINT, SIGTERM and SIGHUP: requests have 10 seconds to end in, loops of repairs are told
to stop.")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) root: Root,
    #[command(flatten)]
    pub(crate) specification: Specification,
    #[command(flatten)]
    pub(crate) evidence: EvidenceRoot,
    /// Where to listen: a port, or an address and a port. Port 0 is any that is free.
    #[arg(long, value_name = "[ADDRESS:]PORT", env = "REFEREE_LISTEN")]
    pub(crate) listen: Option<String>,
    /// Listen at this Unix socket; and at no address, unless --listen says one.
    #[arg(long, value_name = "PATH")]
    pub(crate) unix: Option<PathBuf>,
    /// Listen where other machines reach it. Needs --token-file.
    #[arg(long)]
    pub(crate) allow_non_loopback: bool,
    /// A name that the server may be called by, beside localhost; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) host_name: Vec<String>,
    /// The file of the token, readable for you alone. Without it the token is that of REFEREE_TOKEN, or one that is made and
    /// kept in the state folder.
    #[arg(long, value_name = "FILE", env = "REFEREE_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// The agent's command for loops of repairs. Without it none can be asked for.
    #[arg(long, value_name = "CMD", env = "REFEREE_AGENT", allow_hyphen_values = true)]
    pub(crate) agent: Option<String>,
    /// A planner's command: a program that reads an incident as JSON, and prints a plan.
    #[arg(long, value_name = "CMD", env = "REFEREE_PLANNER")]
    pub(crate) planner: Option<String>,
    /// The folder where packages for executors are put. Without it that of REFEREE_HANDOFF_DIR or AX_ANTIGRAVITY_HANDOFF_DIR.
    #[arg(long, value_name = "DIR")]
    pub(crate) queue_dir: Option<PathBuf>,
    /// How to print where it listens.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
