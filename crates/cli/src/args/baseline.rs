//! What is typed to take a baseline.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{Specification, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee baseline -o baseline.json            what stood in the last sealed runs of the nearest referee.yaml
  referee baseline --task T030                 of one task, to standard output
  referee baseline --evidence build/evidence   of the evidence in another folder
  referee run --baseline baseline.json         block only on what is new since then

A run in which a tool did not work, or ran out of time, gives no baseline: it would hide what was not found.")]
pub(crate) struct Baseline {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Of this task alone; may be given several times. Default: all.
    #[arg(long = "task", value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    /// Take it from this sealed evidence, of one task or of all, and look at no specification.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "workspace"])]
    pub(crate) evidence: Option<PathBuf>,
    /// Write it to this file. Default: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
