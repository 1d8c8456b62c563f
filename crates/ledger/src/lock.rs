//! Locks that end with their holder, however it ends: `flock` on an open file or directory.
//!
//! A `flock` belongs to the open file, not to the process, and a child has a copy of every open file from its fork until its
//! program begins. Closing the file does not end the lock while such a copy is open: a run that is over would look alive
//! because another thread starts a process. So a [`FileLock`] is released before its file is closed, and nothing else in this
//! crate calls `flock`. A holder that is killed releases nothing, and the last child it started can hold its locks a moment
//! longer; so who asks whether somebody holds a lock asks again for a [`MOMENT`].

use std::fs::File;
use std::ops::Deref;
use std::os::fd::AsFd;
use std::path::Path;
use std::thread;
use std::time::Duration;

use referee_model::id::TaskId;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::error::LedgerError;
use crate::folder::Folder;
use crate::paths;

/// How long a lock is waited for before it counts as stuck. The task's lock is held for a few renames and syncs.
const WAIT_SECONDS: u64 = 30;

/// The same.
const WAIT: Duration = Duration::from_secs(WAIT_SECONDS);

/// How long a lock is asked for again before it is said to be held: what is held for good is held for longer, and a child of
/// somebody who was killed has begun its program by then.
pub(crate) const MOMENT: Duration = Duration::from_millis(50);

/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Beside others that only read.
    Shared,
    /// Alone.
    Exclusive,
}

impl Hold {
    fn operation(self) -> FlockOperation {
        match self {
            Self::Shared => FlockOperation::NonBlockingLockShared,
            Self::Exclusive => FlockOperation::NonBlockingLockExclusive,
        }
    }
}

/// An open file or directory that is locked until this is dropped, or its process ends.
#[derive(Debug)]
pub(crate) struct FileLock<F: AsFd = File> {
    file: F,
}

impl<F: AsFd> FileLock<F> {
    /// Tries until the lock is held, for so long; for no time is once. None: somebody else held it all the while.
    pub(crate) fn take(file: F, hold: Hold, patience: Duration) -> Result<Option<Self>, Errno> {
        let is_held = attempts(&file, hold, &mut tries(patience))?;
        Ok(is_held.then_some(Self { file }))
    }

    /// Tries until the lock is held, as long as `goes_on` says so. None: it said no.
    pub(crate) fn take_while(file: F, hold: Hold, goes_on: &mut dyn FnMut() -> bool) -> Result<Option<Self>, Errno> {
        let is_held = attempts(&file, hold, goes_on)?;
        Ok(is_held.then_some(Self { file }))
    }

    /// Holds it otherwise, which others may come between. False: somebody else held it all the while, and it may not be held.
    pub(crate) fn change(&self, hold: Hold, patience: Duration) -> Result<bool, Errno> {
        attempts(&self.file, hold, &mut tries(patience))
    }
}

impl<F: AsFd> Deref for FileLock<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.file
    }
}

impl<F: AsFd> Drop for FileLock<F> {
    /// Where this fails, closing the file is all that can be done.
    #[expect(clippy::disallowed_methods, reason = "this is the one type of locks")]
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

/// Says whether to try again, as often as there is time for. Counted, because the time of day is not known here.
fn tries(patience: Duration) -> impl FnMut() -> bool {
    let mut left = patience.as_millis() / PAUSE.as_millis();
    move || {
        let is_left = left > 0;
        left = left.saturating_sub(1);
        is_left
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one type of locks")]
fn attempts(file: impl AsFd, hold: Hold, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, Errno> {
    loop {
        match rustix::fs::flock(&file, hold.operation()) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) if !goes_on() => return Ok(false),
            Err(Errno::WOULDBLOCK) => thread::sleep(PAUSE),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Opens a file to be locked, made where it is missing. What is no file is refused, and links are not followed.
pub(crate) fn open(folder: &Folder, name: &str) -> Result<File, LedgerError> {
    open_as(folder, Path::new(name), &folder.path().join(name), OFlags::RDWR | OFlags::CREATE, 0o644)
}

/// As [`open`], by its path, for this user alone.
pub(crate) fn open_at(path: &Path) -> Result<File, LedgerError> {
    open_as(CWD, path, path, OFlags::RDWR | OFlags::CREATE, 0o600)
}

fn open_as(at: impl AsFd, name: &Path, path: &Path, access: OFlags, mode: u32) -> Result<File, LedgerError> {
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::openat(at, name, flags, Mode::from_raw_mode(mode)) {
        Ok(handle) => Ok(File::from(handle)),
        Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => Err(LedgerError::NotAFile { path: path.to_path_buf() }),
        Err(error) => Err(LedgerError::io("open the lock", path)(error)),
    }
}

/// The lock over a task's folders, held until dropped.
#[derive(Debug)]
pub(crate) struct TaskLock {
    _lock: FileLock,
}

impl TaskLock {
    /// Waits for the lock of a task below an evidence root.
    pub(crate) fn take(root: &Folder, task: &TaskId) -> Result<Self, LedgerError> {
        let name = paths::lock_name(task);
        Ok(Self { _lock: wait_for(&root.make(paths::LOCKS)?, &name)? })
    }

    /// Waits for the lock beside other readers, without writing anything. None: there is no lock, so no run ever began.
    pub(crate) fn take_to_read(root: &Folder, task: &TaskId) -> Result<Option<Self>, LedgerError> {
        let Some(locks) = root.child(paths::LOCKS)? else { return Ok(None) };
        let name = paths::lock_name(task);
        if locks.kind(&name)?.is_none() {
            return Ok(None);
        }
        let path = locks.path().join(&name);
        let file = open_as(&locks, Path::new(&name), &path, OFlags::RDONLY, 0o644)?;
        Ok(Some(Self { _lock: held(file, Hold::Shared, &path)? }))
    }
}

/// The lock over all registers, held until dropped. Who needs a task's lock too takes this one first.
#[derive(Debug)]
pub(crate) struct RegistersLock {
    _lock: FileLock,
}

impl RegistersLock {
    /// Waits for the lock below an evidence root.
    pub(crate) fn take(root: &Folder) -> Result<Self, LedgerError> {
        let locks = root.make(paths::LOCKS)?;
        Ok(Self { _lock: wait_for(&locks, paths::REGISTERS_LOCK)? })
    }
}

/// The lock over captures of incidents below one root, held until dropped.
#[derive(Debug)]
pub(crate) struct CapturesLock {
    _lock: FileLock,
}

impl CapturesLock {
    /// Waits for the lock below a root of incidents.
    pub(crate) fn take(root: &Folder) -> Result<Self, LedgerError> {
        let locks = root.make(paths::LOCKS)?;
        Ok(Self { _lock: wait_for(&locks, paths::CAPTURES_LOCK)? })
    }
}

/// The lock over the trust store, held until dropped.
#[derive(Debug)]
pub(crate) struct TrustLock {
    _lock: FileLock,
}

impl TrustLock {
    /// Waits for the lock in the folder of the trust store.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        Ok(Self { _lock: wait_for(folder, paths::TRUST_LOCK)? })
    }
}

/// The lock over the records of enrolled projects, held until dropped.
#[derive(Debug)]
pub(crate) struct EnrolmentsLock {
    _lock: FileLock,
}

impl EnrolmentsLock {
    /// Waits for the lock in the folder of the records.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        Ok(Self { _lock: wait_for(folder, paths::ENROLMENTS_LOCK)? })
    }
}

/// The lock over the sessions of agents, held until dropped.
#[derive(Debug)]
pub(crate) struct SessionsLock {
    _lock: FileLock,
}

impl SessionsLock {
    /// Waits for the lock in the folder of the sessions.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        Ok(Self { _lock: wait_for(folder, paths::SESSIONS_LOCK)? })
    }
}

/// The lock around the token of the server.
#[derive(Debug)]
pub(crate) struct DoorLock {
    _lock: FileLock,
}

impl DoorLock {
    /// Waits for the lock in the folder of the token.
    pub(crate) fn take(folder: &Folder) -> Result<Self, LedgerError> {
        Ok(Self { _lock: wait_for(folder, DOOR_LOCK)? })
    }
}

/// The file of the lock around the token of the server.
const DOOR_LOCK: &str = "token.lock";

fn wait_for(locks: &Folder, name: &str) -> Result<FileLock, LedgerError> {
    held(open(locks, name)?, Hold::Exclusive, &locks.path().join(name))
}

fn held<F: AsFd>(file: F, hold: Hold, path: &Path) -> Result<FileLock<F>, LedgerError> {
    let lock = FileLock::take(file, hold, WAIT).map_err(LedgerError::io("lock", path))?;
    lock.ok_or_else(|| LedgerError::Locked { path: path.to_path_buf(), seconds: WAIT_SECONDS })
}

/// Marks a folder as being written by this process, as long as the lock is held.
pub(crate) fn mark_live(folder: Folder) -> Result<FileLock<Folder>, LedgerError> {
    let path = folder.path().to_path_buf();
    held(folder, Hold::Exclusive, &path)
}

/// Says whether some process is writing this folder. The folder must have been opened for this question.
pub(crate) fn is_live(folder: Folder) -> Result<bool, LedgerError> {
    let path = folder.path().to_path_buf();
    let free = FileLock::take(folder, Hold::Shared, MOMENT).map_err(LedgerError::io("lock", &path))?;
    Ok(free.is_none())
}

#[cfg(test)]
mod tests;
