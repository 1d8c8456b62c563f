//! Words for a run on workers.

use clap::Args;
use referee_model::id::WorkerLabel;

use super::worker::worker_label;

/// Runs on workers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fleet Options")]
pub(crate) struct Fleet {
    /// Run the checks on another machine, by a worker that this one trusts, in a clean room; files go through the depot of
    /// `--evidence` or REFEREE_DEPOT.
    #[arg(long, conflicts_with = "keep_room")]
    pub(crate) fleet: bool,
    /// Label that the worker must have (can be repeated).
    #[arg(long, value_name = "LABEL", requires = "fleet", value_parser = worker_label)]
    pub(crate) label: Vec<WorkerLabel>,
}
