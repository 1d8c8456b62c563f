//! What is typed to `referee stage answer`.

use std::path::PathBuf;

use clap::Args;

use super::Which;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee stage answer explore     show the question
  referee stage answer explore --text 'Only the public interface.'
  referee stage answer explore --file answer.md --by Ada

Question and answer lie in the stage's run/messages, where the executor of the next attempt finds
them. Only a person answers: in an agent's shell this is refused.")]
pub(crate) struct Answer {
    #[command(flatten)]
    pub(crate) which: Which,
    /// The answer.
    #[arg(long, value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// A file with the answer; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Who answers. Default: your user's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// How to print it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
