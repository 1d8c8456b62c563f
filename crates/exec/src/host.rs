//! The surroundings of a run, passed in once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use referee_model::time::Timestamp;

use crate::control_group::ControlGroups;
use crate::sandbox::Sandbox;

/// Environment and program paths that a run needs from the outside.
#[derive(Debug, Clone)]
pub struct Host {
    /// The caller's environment. Commands get a selection of it, see [`crate::environment`].
    pub environment: Vec<(OsString, OsString)>,
    /// Absolute path of the program that calls [`crate::run_shim`] when its first argument is `__shim`.
    pub shim: PathBuf,
    /// Whether this process has a terminal that a command could open, read from or draw on.
    pub controlling_terminal: bool,
    pub clock: Clock,
    /// Restrictions of the commands.
    pub confines: Confines,
}

/// Restrictions of the commands of a run, beside the limits of their plan.
#[derive(Debug, Clone, Default)]
pub struct Confines {
    /// Sandbox that keeps commands from writing elsewhere. None: writing is not restricted.
    pub sandbox: Option<Arc<Sandbox>>,
    /// Control groups for the commands. None: commands get no groups of their own.
    pub groups: Option<Arc<ControlGroups>>,
    /// Private home directory of the commands, as set in the environment, for programs that ignore the variable.
    /// None: they have the caller's home.
    pub home: Option<Arc<Path>>,
}

impl Confines {
    /// Whether there is any restriction, so that a command cannot be started directly.
    pub(crate) fn is_any(&self) -> bool {
        self.sandbox.is_some() || self.groups.is_some()
    }
}

/// A clock that takes the time once and then only goes forward, whatever happens to the system's time meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall: Timestamp,
    since: Instant,
}

impl Clock {
    /// Starts a clock at the time `wall`.
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
