//! How work is held to a specification, in the same words wherever that is done.

use std::num::NonZeroUsize;

use clap::Args;
use referee_engine::run::GateOptions;

use super::key::Signing;
use super::sandbox::Confinement;
use super::{CleanRoom, jobs};

/// Execution.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Execution Options")]
pub(crate) struct RunArguments {
    /// Number of steps to run in parallel [default: 1, or the number of processors if a task allows `parallelExecution`].
    #[arg(short, long, value_name = "N", env = "REFEREE_JOBS", value_parser = jobs)]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
    #[command(flatten)]
    pub(crate) clean_room: CleanRoom,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

/// Execution and trusted state.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Execution Options")]
pub(crate) struct GateArguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Also compare protected files with this commit, by its own specification: a commit id, or a ref that the agent cannot
    /// move.
    #[arg(long, value_name = "REF", env = "REFEREE_TRUSTED")]
    pub(crate) trusted: Option<String>,
}

impl RunArguments {
    /// Returns what the engine is told of it.
    pub(crate) fn options(&self, trusted: Option<String>) -> GateOptions {
        GateOptions {
            jobs: self.jobs,
            sandbox: self.confinement.sandbox.mode(),
            clean_room: self.clean_room.clean_room,
            keep_room: self.clean_room.keep_room,
            signing: self.signing.options(),
            fleet: None,
            trusted,
        }
    }
}

impl GateArguments {
    /// Returns what the engine is told of it.
    pub(crate) fn options(&self) -> GateOptions {
        self.run.options(self.trusted.clone())
    }
}
