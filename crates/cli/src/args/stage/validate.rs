//! What is typed to `referee stage validate`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;
use crate::args::gate_options::GateArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Validates that each declared output exists, is not empty and matches its schema, and runs the stage's
specification if there is one. The handback does not change the result, unless it cannot be read.
Publishes nothing (see `referee stage finalize`).

Exit codes:
  0 valid · 1 invalid · else that of the stage's specification

Examples:
  referee stage validate explore --run-dir runs/run-2026-01-19-001
  referee stage validate explore --format json")]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
