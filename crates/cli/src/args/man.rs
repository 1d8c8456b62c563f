//! What is typed to print manual pages.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee man | man -l -                   read the manual page of the program
  referee man incident show | man -l -     read that of a command
  referee man --output /usr/share/man/man1
                                           write the pages of all commands")]
pub(crate) struct Man {
    /// Command whose page is printed [default: the program itself].
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands to this directory, which must exist.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
