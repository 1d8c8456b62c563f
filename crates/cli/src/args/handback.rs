//! What is typed to `referee handback`.

use clap::Args;

use super::PlainFormat;
use super::stage::Which;

#[derive(Debug, Args)]
#[command(after_help = "\
Shows what the executor says in run/output-data/handback.json, who has control, everything that
stands against it with what to do, and the document. Nothing is judged anew: of the stage's
specification the last verdict counts, where it is about the outputs that are there now.

Exit code: 0 whatever the reason is, 1 where there is no handback or none that can be read; with
--check also 1 unless it is a success that nothing stands against.

Examples:
  referee handback explore --run-dir runs/run-2026-01-19-001
  referee handback explore --check --format json")]
pub(crate) struct Handback {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Exit with 1 unless the stage can be finalized, as far as the handback goes.
    #[arg(long)]
    pub(crate) check: bool,
    /// How to print it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
