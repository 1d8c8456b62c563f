//! Words for an agent that runs on workers.

use clap::Args;
use referee_model::id::WorkerLabel;

use super::depot::DepotProject;
use super::worker::worker_label;

/// Where an agent runs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fleet Options")]
pub(crate) struct AgentFleet {
    /// Run the agent on another machine, by a worker that this one trusts and that has this label (can be repeated); the
    /// workspace goes there without `.git` and what git ignores, and the agent's changes come back.
    #[arg(long = "agent-label", value_name = "LABEL", value_parser = worker_label)]
    pub(crate) label: Vec<WorkerLabel>,
    /// Depot through which the workspace goes: `s3://BUCKET/PREFIX`, or a directory [env: REFEREE_DEPOT].
    #[arg(long = "evidence", value_name = "URL", requires = "label")]
    pub(crate) depot: Option<String>,
    #[command(flatten)]
    pub(crate) project: DepotProject,
}
