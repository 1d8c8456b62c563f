//! Words for a run in a clean room.

use clap::Args;
use clap::builder::FalseyValueParser;

/// Where a run takes place.
#[derive(Debug, Clone, Args)]
pub(crate) struct CleanRoom {
    /// Run in a tree that is built for this run: the files that git tracks or does not ignore, as they are now, with
    /// protected files from the baseline. What `setup` names runs first.
    #[arg(long, env = "REFEREE_CLEAN_ROOM", value_parser = FalseyValueParser::new())]
    pub(crate) clean_room: bool,
    /// Keep that tree when the run is over, and say where it lies.
    #[arg(long, requires = "clean_room")]
    pub(crate) keep_room: bool,
}
