//! What is typed to `referee handback`.

use clap::Args;

use super::PlainFormat;
use super::stage::Which;

#[derive(Debug, Args)]
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
