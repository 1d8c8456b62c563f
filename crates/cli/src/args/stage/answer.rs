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

The question and the answer are kept in the stage's run/messages for the next attempt. In an agent's
shell, this command is refused.")]
pub(crate) struct Answer {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Text of the answer.
    #[arg(long, value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// File with the answer; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Name to record [default: your user name].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
