//! Locks that end with their holder, however it ends: `flock` on an open file or folder.

use std::fs::File;
use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;

use referee_model::id::TaskId;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::error::LedgerError;
use crate::folder::Folder;
use crate::paths;

/// How long a lock is waited for before it counts as stuck. The task's lock is held for a few renames and syncs.
const WAIT_SECONDS: u64 = 30;

/// Tries in a second.
const TRIES_PER_SECOND: u64 = 100;

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// By readers of the task's folders, beside one another.
    Shared,
    /// By whoever changes them, alone.
    Exclusive,
}

/// The lock over a task's folders, held until dropped.
#[derive(Debug)]
pub(crate) struct TaskLock {
    _file: File,
}

impl TaskLock {
    /// Waits for the lock of a task below an evidence root.
    pub(crate) fn take(root: &Folder, task: &TaskId) -> Result<Self, LedgerError> {
        let name = paths::lock_name(task);
        let file = wait_for(&root.make(paths::LOCKS)?, &name, OFlags::RDWR | OFlags::CREATE, Hold::Exclusive)?;
        Ok(Self { _file: file })
    }

    /// Waits for the lock beside other readers, without writing anything. None: there is no lock, so no run ever began.
    pub(crate) fn take_to_read(root: &Folder, task: &TaskId) -> Result<Option<Self>, LedgerError> {
        let Some(locks) = root.child(paths::LOCKS)? else { return Ok(None) };
        let name = paths::lock_name(task);
        if locks.kind(&name)?.is_none() {
            return Ok(None);
        }
        wait_for(&locks, &name, OFlags::RDONLY, Hold::Shared).map(|file| Some(Self { _file: file }))
    }
}

/// The lock over all registers, held until dropped. Who needs a task's lock too takes this one first.
#[derive(Debug)]
pub(crate) struct RegistersLock {
    _file: File,
}

impl RegistersLock {
    /// Waits for the lock below an evidence root.
    pub(crate) fn take(root: &Folder) -> Result<Self, LedgerError> {
        let locks = root.make(paths::LOCKS)?;
        let file = wait_for(&locks, paths::REGISTERS_LOCK, OFlags::RDWR | OFlags::CREATE, Hold::Exclusive)?;
        Ok(Self { _file: file })
    }
}

/// The lock over captures of incidents below one root, held until dropped.
#[derive(Debug)]
pub(crate) struct CapturesLock {
    _file: File,
}

impl CapturesLock {
    /// Waits for the lock below a root of incidents.
    pub(crate) fn take(root: &Folder) -> Result<Self, LedgerError> {
        let locks = root.make(paths::LOCKS)?;
        let file = wait_for(&locks, paths::CAPTURES_LOCK, OFlags::RDWR | OFlags::CREATE, Hold::Exclusive)?;
        Ok(Self { _file: file })
    }
}

/// The lock over the trust store, held until dropped.
#[derive(Debug)]
pub(crate) struct TrustLock {
    _file: File,
}

impl TrustLock {
    /// Waits for the lock in the folder of the trust store.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        let file = wait_for(folder, paths::TRUST_LOCK, OFlags::RDWR | OFlags::CREATE, Hold::Exclusive)?;
        Ok(Self { _file: file })
    }
}

/// The lock over the records of enrolled projects, held until dropped.
#[derive(Debug)]
pub(crate) struct EnrolmentsLock {
    _file: File,
}

impl EnrolmentsLock {
    /// Waits for the lock in the folder of the records.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        let file = wait_for(folder, paths::ENROLMENTS_LOCK, OFlags::RDWR | OFlags::CREATE, Hold::Exclusive)?;
        Ok(Self { _file: file })
    }
}

/// The lock over the sessions of agents, held until dropped.
#[derive(Debug)]
pub(crate) struct SessionsLock {
    _file: File,
}

impl SessionsLock {
    /// Waits for the lock in the folder of the sessions.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        let file = wait_for(folder, paths::SESSIONS_LOCK, OFlags::RDWR | OFlags::CREATE, Hold::Exclusive)?;
        Ok(Self { _file: file })
    }
}

/// The lock around the token of the server.
#[derive(Debug)]
pub(crate) struct DoorLock {
    _file: File,
}

impl DoorLock {
    /// Waits for the lock in the folder of the token.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        let file = wait_for(folder, DOOR_LOCK, OFlags::RDWR | OFlags::CREATE, Hold::Exclusive)?;
        Ok(Self { _file: file })
    }
}

/// The file of the lock around the token of the server.
const DOOR_LOCK: &str = "token.lock";

fn wait_for(locks: &Folder, name: &str, access: OFlags, hold: Hold) -> Result<File, LedgerError> {
    let path = locks.path().join(name);
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(locks, name, flags, Mode::from_raw_mode(0o644)) {
        Ok(handle) => File::from(handle),
        Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => return Err(LedgerError::NotAFile { path }),
        Err(error) => return Err(LedgerError::io("open the lock", &path)(error)),
    };
    if wait(&file, hold).map_err(LedgerError::io("lock", &path))? {
        Ok(file)
    } else {
        Err(LedgerError::Locked { path, seconds: WAIT_SECONDS })
    }
}

/// Marks a folder as being written by this process, as long as this handle of it is open.
pub(crate) fn mark_live(folder: &Folder) -> Result<(), LedgerError> {
    match wait(folder, Hold::Exclusive) {
        Ok(true) => Ok(()),
        Ok(false) => Err(LedgerError::Locked { path: folder.path().to_path_buf(), seconds: WAIT_SECONDS }),
        Err(error) => Err(LedgerError::io("lock", folder.path())(error)),
    }
}

/// Says whether some process is writing this folder. The folder must have been opened for this question.
pub(crate) fn is_live(folder: &Folder) -> Result<bool, LedgerError> {
    match rustix::fs::flock(folder, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(LedgerError::io("lock", folder.path())(error)),
    }
}

/// Tries until the lock is held; false where it never was.
fn wait(file: impl AsFd, hold: Hold) -> Result<bool, Errno> {
    let operation = match hold {
        Hold::Shared => FlockOperation::NonBlockingLockShared,
        Hold::Exclusive => FlockOperation::NonBlockingLockExclusive,
    };
    for _ in 0..WAIT_SECONDS * TRIES_PER_SECOND {
        match rustix::fs::flock(&file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => thread::sleep(Duration::from_millis(1_000 / TRIES_PER_SECOND)),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
