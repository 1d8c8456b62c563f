//! What is typed to `referee stage validate`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;
use crate::args::gate_options::GateArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Judges the outputs that the stage declares: that each is there, holds something, and holds by its
schema. Where the stage names a specification, that is run. What the executor says in handback.json
is told, and changes nothing of what the outputs come to, but that a handback that cannot be read
fails. Publishes nothing: `referee stage finalize` does.

Exit code: 0 where everything passes, 1 where something does not; where the stage's specification
decides, that of its gate.

Examples:
  referee stage validate explore --run-dir runs/run-2026-01-19-001
  referee stage validate explore --format json")]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
