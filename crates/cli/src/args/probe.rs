//! What is typed to learn whether checks report defects, and to see it.

use std::num::NonZeroUsize;

use clap::{Args, Subcommand, ValueEnum};
use referee_model::id::TaskId;

use super::duration::within;
use super::sandbox::Confinement;
use super::{Specification, jobs, task_id};

/// Milliseconds that learning may take, least and most.
const BUDGET: (u64, u64) = (1_000, 86_400_000);

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  referee probe learn                       plant defects for ten minutes, and keep those that checks report
  referee probe learn --budget 1h --jobs 4  try more of them
  referee probe report                      list files and functions that no test watches
  referee probe report --format html > probes.html

Once learned, `referee run` and `referee gate` plant a few of them after a pass; a check that no longer reports them blocks. When
they ask is set by `probeSchedule` in the specification.")]
pub(crate) enum Probe {
    /// Plant defects on a trusted tree, and keep those that the checks report.
    ///
    /// Exits with 0 if every check reported a defect, with 1 if one reported none.
    Learn(ProbeLearn),
    /// Show what was learned: defects tried and reported, and code that no check watches.
    Report(ProbeReport),
}

#[derive(Debug, Args)]
pub(crate) struct ProbeLearn {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Only this task (can be repeated).
    #[arg(long = "task", value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    /// Time after which no further defect is planted, for each task.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = budget)]
    pub(crate) budget: u64,
    /// Number of defects to plant at once, each in a clean room of its own.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub(crate) jobs: NonZeroUsize,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ProbeFormat::Human)]
    pub(crate) format: ProbeFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ProbeReport {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Only this task (can be repeated).
    #[arg(long = "task", value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ProbeFormat::Human)]
    pub(crate) format: ProbeFormat,
}

/// Output format of what was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProbeFormat {
    /// Text for humans.
    Human,
    /// A single JSON document.
    Json,
    /// SARIF 2.1.0: the defects that no check reported.
    Sarif,
    /// A page without references to other files.
    Html,
}

fn budget(text: &str) -> Result<u64, String> {
    within(text, BUDGET, "a time from 1s to 24h, such as 10m")
}
