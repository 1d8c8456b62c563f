//! What is typed to stand by for the loops of a project.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use referee_model::id::WorkerLabel;

use super::agent_fleet::silence;
use super::depot::DepotProject;
use super::worker::worker_label;
use super::{PlainFormat, jobs};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee standby --from s3://evidence --key key.pem
                                       go on with runs of agents whose machine is gone
  referee standby --from s3://evidence --key key.pem --agent ./repair.sh --agent-label agents
                                       and with loops of incidents
  referee standby --from s3://evidence --list
                                       list the loops in the depot

Run it in a checkout of the project. Each loop goes on in a worktree of the commit that it began
with, as `referee agent run --resume` and `referee incident run` do with `--from`: with the keys,
the lock and the baselines of this machine. `setup` of the specification runs there first.

SIGTERM ends the watch, once the loops at hand have ended; a second one leaves them to other
machines, and the exit code is 1.")]
pub(crate) struct Standby {
    /// Depot with the checkpoints of the loops: `s3://BUCKET/PREFIX`, or a directory.
    #[arg(long, value_name = "URL", env = "REFEREE_DEPOT")]
    pub(crate) from: String,
    #[command(flatten)]
    pub(crate) project: DepotProject,
    /// List the loops in the depot, as their last checkpoints say, and exit.
    #[arg(long)]
    pub(crate) list: bool,
    /// Output format of the list.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, requires = "list")]
    pub(crate) format: PlainFormat,
    /// Sign with this private key, or `agent:NAME` for a key of the SSH agent [env: REFEREE_KEY].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) key: Option<PathBuf>,
    /// Take a loop over once it has been silent for this time.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = silence)]
    pub(crate) silence: u64,
    /// Number of loops to go on with at once.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub(crate) jobs: NonZeroUsize,
    /// Directory of the worktrees [default: `NAME.loops` beside the repository].
    #[arg(long, value_name = "DIR")]
    pub(crate) worktrees: Option<PathBuf>,
    /// Command of the agent that works at incidents: a program and its arguments, started without a shell.
    #[arg(long, value_name = "CMD", env = "REFEREE_AGENT", allow_hyphen_values = true, requires = "agent_label")]
    pub(crate) agent: Option<String>,
    /// Run that agent by a worker that this machine trusts and that has this label (can be repeated).
    #[arg(long, value_name = "LABEL", value_parser = worker_label, requires = "agent")]
    pub(crate) agent_label: Vec<WorkerLabel>,
}
