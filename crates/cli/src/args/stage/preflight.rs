//! What is typed to `referee stage preflight`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Checks configuration, prompts, inputs, and published outputs of other stages. All problems are
reported at once, with their remedies. Writes nothing.

Exit codes:
  0 complete · 1 something is missing or invalid

Examples:
  referee stage preflight specify --run-dir runs/run-2026-01-19-001
  referee stage preflight specify --format json")]
pub(crate) struct Preflight {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
