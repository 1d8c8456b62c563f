//! Words for a run in a clean room.

use clap::Args;
use clap::builder::FalseyValueParser;

/// Clean room.
#[derive(Debug, Clone, Args)]
pub(crate) struct CleanRoom {
    /// Run in a fresh copy of the files that git tracks or does not ignore, with protected files from the trusted state,
    /// after running `setup`.
    #[arg(long, env = "REFEREE_CLEAN_ROOM", value_parser = FalseyValueParser::new())]
    pub(crate) clean_room: bool,
    /// Keep the clean room after the run and print its path.
    #[arg(long, requires = "clean_room")]
    pub(crate) keep_room: bool,
}
