//! The commands that run right now, and the marks by which their processes are recognized.
//!
//! There is one registry for the whole process, because all children are children of the process, whichever thread
//! started them. Starting, reaping and searching for leaked processes hold its lock, so that no thread sees a child
//! that is not registered yet, or takes a reused id for that of an earlier process.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;

/// Mark in the environment of every process that a command starts, unless the process removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) execution: String,
    pub(crate) action: String,
}

/// Lasting identity of a process: its id, and its start time.
pub(crate) type Identity = (i32, u64);

/// A command that runs, or whose tree is still being ended.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Number that distinguishes the command from all others, even after its process id is reused.
    pub(crate) number: u64,
    pub(crate) leader: i32,
    /// Whether the leader is reaped, so that its id has no meaning any more.
    reaped: bool,
    pub(crate) marker: Marker,
    /// Time just before the command was started, as the process table tells it. Older processes are not part of its tree.
    pub(crate) since: u64,
    /// Inodes of the command's output pipes.
    pub(crate) pipes: [u64; 2],
}

/// Registry of the commands that run right now.
#[derive(Debug)]
pub(crate) struct ProcessRegistry {
    entries: Vec<Entry>,
    entered: u64,
    /// Orphans that were recognized as a command's, with its number; they may lose the mark later.
    pub(crate) known: BTreeMap<Identity, u64>,
    /// Orphans that could belong to several commands, with the actions that could have left them behind.
    pub(crate) doubtful: BTreeMap<Identity, BTreeSet<String>>,
    /// Processes that could not be ended, and were reported.
    pub(crate) given_up: BTreeSet<Identity>,
    /// Whether the last look found processes that had just started and belonged to nobody: such a process does not always
    /// show its mark yet, and what it starts may not have been listed. Never where orphans are adopted.
    pub(crate) is_unsettled: bool,
    /// Containers that commands of this process started, and that are not gone yet.
    pub(crate) containers: Vec<HeldContainer>,
    /// Ids of helper programs, whose answer Referee itself waits for.
    helpers: BTreeSet<i32>,
}

/// A container, and its processes on this machine. They are no processes of the command that started it, and end with
/// the container.
#[derive(Debug)]
pub(crate) struct HeldContainer {
    /// Number of the command that started it.
    pub(crate) number: u64,
    /// Mark of that command, with which some of the processes may go on.
    pub(crate) marker: Marker,
    /// File that the command writes the id of the container to. None: it writes none, or starts several containers.
    pub(crate) id_file: Option<PathBuf>,
    /// Id of the container. None: not known, or not yet.
    pub(crate) id: Option<String>,
    pub(crate) processes: BTreeSet<Identity>,
}

/// A program whose answer Referee itself waits for. While it lives, it is not taken for a process that a concurrent
/// command left behind: the search for such processes would kill it or collect its exit status.
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

/// Locks the registry and returns it.
pub(crate) fn lock() -> MutexGuard<'static, ProcessRegistry> {
    ROSTER.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ProcessRegistry {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            entered: 0,
            known: BTreeMap::new(),
            doubtful: BTreeMap::new(),
            given_up: BTreeSet::new(),
            is_unsettled: false,
            containers: Vec::new(),
            helpers: BTreeSet::new(),
        }
    }

    /// Registers a command that has just been started, and returns its number.
    pub(crate) fn enter(&mut self, leader: i32, marker: Marker, since: u64, pipes: [u64; 2]) -> u64 {
        self.entered += 1;
        self.entries.push(Entry { number: self.entered, leader, reaped: false, marker, since, pipes });
        self.entered
    }

    /// Records that a command's leader is reaped; the rest of its tree is still searched for.
    pub(crate) fn reaped(&mut self, number: u64) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.number == number) {
            entry.reaped = true;
        }
    }

    /// Removes a command whose tree is gone or no longer searched for.
    pub(crate) fn strike(&mut self, number: u64) {
        self.entries.retain(|entry| entry.number != number);
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the command that this process leads. None: it leads none.
    pub(crate) fn led_by(&self, pid: i32) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.leader == pid && !entry.reaped)
    }

    /// Whether this process was started here, as a command or as a helper, rather than left behind by a command.
    pub(crate) fn is_started_here(&self, pid: i32) -> bool {
        self.led_by(pid).is_some() || self.helpers.contains(&pid)
    }
}
