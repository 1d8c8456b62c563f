//! The world as a run needs it, handed in once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use referee_model::time::Timestamp;

use crate::control_group::ControlGroups;
use crate::sandbox::Sandbox;

/// The world as a run needs it.
#[derive(Debug, Clone)]
pub struct Host {
    /// The caller's environment. Commands are given a selection of it, see [`crate::environment`].
    pub environment: Vec<(OsString, OsString)>,
    /// Absolute path of the program that calls [`crate::run_shim`] when its first argument is `__shim`.
    pub shim: PathBuf,
    /// Whether this process has a terminal that a command could open, read from or draw on.
    pub controlling_terminal: bool,
    pub clock: Clock,
    /// What commands are held to.
    pub confines: Confines,
}

/// What the commands of a run are held to, beside the limits of their plan.
#[derive(Debug, Clone, Default)]
pub struct Confines {
    /// How they are kept from writing elsewhere. None: they are not.
    pub sandbox: Option<Arc<Sandbox>>,
    /// The control groups that they run in. None: in none of their own.
    pub groups: Option<Arc<ControlGroups>>,
    /// The home that is theirs alone, as the environment says, for those that ask no variable. None: they have the caller's.
    pub home: Option<Arc<Path>>,
}

impl Confines {
    /// Whether a command cannot just be started.
    pub(crate) fn is_any(&self) -> bool {
        self.sandbox.is_some() || self.groups.is_some()
    }
}

/// A clock that was told the time once and only goes forward, whatever happens to the system's time meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall: Timestamp,
    since: Instant,
}

impl Clock {
    /// Starts a clock: now it is `wall`.
    pub fn starting_at(wall: Timestamp) -> Self {
        Self { wall, since: Instant::now() }
    }

    pub fn now(&self) -> Timestamp {
        self.wall.plus_milliseconds(self.elapsed_ms())
    }

    /// Returns the milliseconds since the clock was started.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
