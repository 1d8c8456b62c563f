//! What is typed to `referee stage preflight`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Looks at configuration, prompts and inputs, and then at what comes from other stages, by the run's
log. Everything that is wrong is told at once, with what to do about it. Writes nothing.

Exit code: 0 where everything is there, 1 where something is not.

Examples:
  referee stage preflight specify --run-dir runs/run-2026-01-19-001
  referee stage preflight specify --format json")]
pub(crate) struct Preflight {
    #[command(flatten)]
    pub(crate) which: Which,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
