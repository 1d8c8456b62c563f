//! The arguments of `referee init`.

use clap::Args;

use super::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee init                     write referee.yaml
  referee init --print             show what would be written, and write nothing
  referee init --force             in place of the one that is there
  referee init --format json       what was found and why, as data

Exit codes:
  0 written (or shown) · 2 there is a specification already · 4 no check was found, and nothing was written")]
pub(crate) struct Init {
    /// Print the specification, and write nothing.
    #[arg(long)]
    pub(crate) print: bool,
    /// Write in place of a referee.yaml that is there.
    #[arg(long, conflicts_with = "print")]
    pub(crate) force: bool,
    /// How to print what was found; json does not keep it from being written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
