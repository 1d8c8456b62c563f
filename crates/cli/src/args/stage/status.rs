//! What is typed to `referee stage status`.

use clap::Args;
use referee_model::stage::id::StageId;

use super::{RunDirectory, stage_id};
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Shows the status recorded in the run's log, files that contradict it, and possible next steps. Runs
and writes nothing.

Exit codes:
  0 status shown, also if files contradict it · 2 run or stage not found

Examples:
  referee stage status --run-dir runs/run-2026-01-19-001
  referee stage status explore --format json")]
pub(crate) struct Status {
    /// Only this stage.
    #[arg(value_name = "STAGE", value_parser = stage_id)]
    pub(crate) stage: Option<StageId>,
    #[command(flatten)]
    pub(crate) run: RunDirectory,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
