//! Words for a run on workers.

use std::num::NonZeroUsize;

use clap::Args;
use referee_model::id::WorkerLabel;
use referee_model::limit;

use super::worker::worker_label;

/// Runs on workers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fleet Options")]
pub(crate) struct Fleet {
    /// Run the checks on another machine, by a worker that this one trusts, in a clean room; files go through the depot of
    /// `--evidence` or REFEREE_DEPOT.
    #[arg(long, conflicts_with = "keep_room")]
    pub(crate) fleet: bool,
    #[command(flatten)]
    pub(crate) workers: FleetWorkers,
}

/// Which workers perform runs; beside an argument `--fleet`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fleet Options")]
pub(crate) struct FleetWorkers {
    /// Label that the worker must have (can be repeated).
    #[arg(long, value_name = "LABEL", requires = "fleet", value_parser = worker_label)]
    pub(crate) label: Vec<WorkerLabel>,
    /// Split each task into at most N parts (1 to 64) that workers perform at once, where its steps may run in parallel; other
    /// tasks stay whole.
    #[arg(long, value_name = "N", requires = "fleet", value_parser = parts)]
    pub(crate) parts: Option<NonZeroUsize>,
}

fn parts(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse::<NonZeroUsize>().ok().filter(|number| number.get() <= limit::ORDER_PARTS);
    number.ok_or_else(|| format!("expected a number from 1 to {}", limit::ORDER_PARTS))
}
