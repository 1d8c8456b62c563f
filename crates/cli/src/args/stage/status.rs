//! What is typed to `referee stage status`.

use clap::Args;
use referee_model::stage::id::StageId;

use super::{RunFolder, stage_id};
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Says what the run's log says, what the files say otherwise, and what can be done next. Writes
nothing, and judges nothing.

Exit code: 0, also where something is contradicted; 2 where there is no such run or stage.

Examples:
  referee stage status --run-dir runs/run-2026-01-19-001
  referee stage status explore --format json")]
pub(crate) struct Status {
    /// The stage. Default: all of them.
    #[arg(value_name = "STAGE", value_parser = stage_id)]
    pub(crate) stage: Option<StageId>,
    #[command(flatten)]
    pub(crate) run: RunFolder,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
