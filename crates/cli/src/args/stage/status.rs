//! What is typed to `referee stage status`.

use clap::Args;
use referee_model::stage::id::StageId;

use super::{RunFolder, stage_id};
use crate::args::PlainFormat;

#[derive(Debug, Args)]
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
