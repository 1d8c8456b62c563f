//! The commands that run right now, and what tells their processes from those of others.
//!
//! One list for the whole process: all children are children of the process, whoever started them. Starting, reaping and
//! looking for what a command left behind hold its lock, so that nobody meets a child that is not known yet, or takes an id
//! for that of a process that is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;
use rustix::time::ClockId;

/// What whatever a command starts carries in its environment, unless it takes it off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) execution: String,
    pub(crate) action: String,
}

/// Names a process for good: its id, and when it started in ticks since the system booted.
pub(crate) type Identity = (i32, u64);

/// A command that runs, or whose tree is still being seen to.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Tells it from all others, also after its id is given to another process.
    pub(crate) number: u64,
    pub(crate) leader: i32,
    /// Whether the leader is reaped: then its id means nothing any more.
    reaped: bool,
    pub(crate) marker: Marker,
    /// When it was about to start, in ticks since the system booted. Who is older is not of its tree.
    pub(crate) since: u64,
    /// The inodes of its output pipes.
    pub(crate) pipes: [u64; 2],
}

/// The commands that run right now.
#[derive(Debug)]
pub(crate) struct ProcessRegistry {
    entries: Vec<Entry>,
    entered: u64,
    /// Orphans that were told to be a command's, by its number; they may take off later what told it.
    pub(crate) known: BTreeMap<Identity, u64>,
    /// Orphans that could be of several commands, and the actions that could have left them behind.
    pub(crate) doubtful: BTreeMap<Identity, BTreeSet<String>>,
    /// What could not be ended, and was told of.
    pub(crate) given_up: BTreeSet<Identity>,
    /// Ids of programs whose answer Referee itself waits for.
    helpers: BTreeSet<i32>,
}

/// A program whose answer Referee itself waits for. While it lives, no command that runs at the same time is taken to have left it
/// behind: it would be killed, or its exit status collected, by the search for what the command started.
#[derive(Debug)]
pub(crate) struct Helper {
    pub(crate) child: Child,
}

impl Helper {
    /// Starts a program.
    ///
    /// # Errors
    /// Fails where the system cannot start it.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        let mut registry = lock();
        let helper = Self { child: command.spawn()? };
        registry.helpers.insert(helper.pid());
        Ok(helper)
    }

    fn pid(&self) -> i32 {
        Pid::from_child(&self.child).as_raw_nonzero().get()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        lock().helpers.remove(&self.pid());
    }
}

static ROSTER: Mutex<ProcessRegistry> = Mutex::new(ProcessRegistry::new());

/// Returns the list, and keeps others from it.
pub(crate) fn lock() -> MutexGuard<'static, ProcessRegistry> {
    ROSTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the ticks since the system booted, rounded down.
pub(crate) fn ticks() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Boottime);
    let frequency = rustix::param::clock_ticks_per_second();
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * frequency + u64::try_from(now.tv_nsec).unwrap_or(0) * frequency / 1_000_000_000
}

impl ProcessRegistry {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            entered: 0,
            known: BTreeMap::new(),
            doubtful: BTreeMap::new(),
            given_up: BTreeSet::new(),
            helpers: BTreeSet::new(),
        }
    }

    /// Enters a command that has just been started, and returns its number.
    pub(crate) fn enter(&mut self, leader: i32, marker: Marker, since: u64, pipes: [u64; 2]) -> u64 {
        self.entered += 1;
        self.entries.push(Entry { number: self.entered, leader, reaped: false, marker, since, pipes });
        self.entered
    }

    /// Notes that a command's leader is reaped; what is left of its tree is still looked for.
    pub(crate) fn reaped(&mut self, number: u64) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.number == number) {
            entry.reaped = true;
        }
    }

    /// Strikes off a command of which nothing is left, or is looked for any more.
    pub(crate) fn strike(&mut self, number: u64) {
        self.entries.retain(|entry| entry.number != number);
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the command that this process leads.
    pub(crate) fn led_by(&self, pid: i32) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.leader == pid && !entry.reaped)
    }

    /// Whether this process was started here, as a command or as a helper, and is not something that a command left behind.
    pub(crate) fn is_started_here(&self, pid: i32) -> bool {
        self.led_by(pid).is_some() || self.helpers.contains(&pid)
    }
}
