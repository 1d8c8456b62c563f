//! The world as a run needs it, handed in once.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use referee_model::time::Timestamp;

/// The world as a run needs it.
#[derive(Debug, Clone)]
pub struct Host {
    /// The caller's environment. Commands are given a selection of it, see [`crate::environment`].
    pub environment: Vec<(OsString, OsString)>,
    /// Absolute path of the program that calls [`crate::run_shim`] when its first argument is `__shim`.
    pub shim: PathBuf,
    /// Whether this process has a terminal that a command could open, read from or draw on.
    pub controlling_terminal: bool,
    /// The clock.
    pub clock: Clock,
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

    /// Returns the time.
    pub fn now(&self) -> Timestamp {
        self.wall.plus_milliseconds(self.elapsed_ms())
    }

    /// Returns the milliseconds since the clock was started.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
