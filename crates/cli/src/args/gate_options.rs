//! How work is held to a specification, in the same words wherever that is done.

use std::num::NonZeroUsize;

use clap::Args;
use referee_engine::run::GateOptions;

use super::key::Signing;
use super::sandbox::Confinement;
use super::{CleanRoom, jobs};

/// How checks run.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunArguments {
    /// Run up to so many steps at once, where the specification lets several. Default: one, or as many as there are
    /// processors where a task says `parallelExecution`.
    #[arg(short, long, value_name = "N", env = "REFEREE_JOBS", value_parser = jobs)]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
    #[command(flatten)]
    pub(crate) clean_room: CleanRoom,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

/// How checks run, and what protected files are held against.
#[derive(Debug, Clone, Args)]
pub(crate) struct GateArguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Hold what is protected against this commit as well as the lock, by its own files and its own specification. A commit's
    /// id, or a name that whoever is judged cannot move.
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
