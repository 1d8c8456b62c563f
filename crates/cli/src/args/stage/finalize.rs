//! What is typed to `referee stage finalize`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;
use crate::args::gate_options::GateArguments;
use crate::args::incident::Root;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee stage finalize explore -r run-2026-11-22-001
  referee stage finalize explore --dry-run
                                   say what would become of it, and write nothing

Outputs and specification are judged anew, and held against the handback:
  success that holds   the stage is done, and what it wrote is published: exit 0
  a question           the stage waits for an answer (`referee stage answer`): exit 1
  an error             the stage failed, and the error is an incident: exit 1
  anything else        nothing becomes of it, and everything against it is told: exit 1, or as the
                       stage's specification exits")]
pub(crate) struct Finalize {
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    /// Write nothing and run no specification: say what would become of the stage.
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Go on where the stage was not handed back: a person's word, which an agent cannot give.
    #[arg(long)]
    pub(crate) without_handback: bool,
    /// Take on a run whose log was written at another place or machine, as it is.
    #[arg(long)]
    pub(crate) adopt: bool,
    #[command(flatten)]
    pub(crate) incidents: Root,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
