//! Locks that end with their holder, however it ends: `flock` on an open file or directory.
//!
//! A `flock` belongs to the open file, not to the process, and a child process has a copy of every open file
//! between `fork` and `exec`. Closing the file does not release the lock while such a copy is open: a finished
//! run would look alive because another thread is starting a process. So a [`FileLock`] is released before its
//! file is closed, and nothing else in this crate calls `flock`. A holder that is killed releases nothing, and
//! the last child it started can hold its locks a moment longer; so a check whether a lock is held retries for
//! a [`MOMENT`].

use std::fs::File;
use std::ops::Deref;
use std::os::fd::AsFd;
use std::path::Path;
use std::thread;
use std::time::Duration;

use referee_model::id::TaskId;
use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use crate::directory::Directory;
use crate::error::LedgerError;
use crate::paths;

/// How long a lock is waited for before it counts as stuck. Holders keep it for a few renames and syncs.
pub(crate) const WAIT_SECONDS: u64 = 30;

/// How long a check retries before it reports a lock as held. A lock in use is held for longer, and a child of
/// a killed process has called `exec` by then.
pub(crate) const MOMENT: Duration = Duration::from_millis(50);

const PAUSE: Duration = Duration::from_millis(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Shared with other readers.
    Shared,
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

/// An open file or directory that is locked until this value is dropped or its process ends.
#[derive(Debug)]
pub(crate) struct FileLock<F: AsFd = File> {
    file: F,
}

impl<F: AsFd> FileLock<F> {
    /// Tries to take the lock for the given time; with zero, once. None: another holder had it all the while.
    pub(crate) fn take(file: F, hold: Hold, patience: Duration) -> Result<Option<Self>, Errno> {
        let is_held = attempts(&file, hold, &mut tries(patience))?;
        Ok(is_held.then_some(Self { file }))
    }

    /// Tries to take the lock as long as `goes_on` returns true. None: it returned false.
    pub(crate) fn take_while(file: F, hold: Hold, goes_on: &mut dyn FnMut() -> bool) -> Result<Option<Self>, Errno> {
        let is_held = attempts(&file, hold, goes_on)?;
        Ok(is_held.then_some(Self { file }))
    }
}

impl<F: AsFd> Deref for FileLock<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.file
    }
}

impl<F: AsFd> Drop for FileLock<F> {
    /// If this fails, closing the file is all that can be done.
    #[expect(clippy::disallowed_methods, reason = "this is the one type of locks")]
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

/// Returns a function that returns true as often as there is time for another attempt. Attempts are counted,
/// because this crate does not read the clock.
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

/// Waits for the lock of a file in a directory, creating the file if it is missing.
pub(crate) fn of_file(directory: &Directory, name: &str) -> Result<FileLock, LedgerError> {
    held(open(directory, name)?, Hold::Exclusive, &directory.path().join(name))
}

/// Like [`of_file`], for a limited time. None: another holder has the lock.
pub(crate) fn of_file_within(
    directory: &Directory,
    name: &str,
    patience: Duration,
) -> Result<Option<FileLock>, LedgerError> {
    let taken = FileLock::take(open(directory, name)?, Hold::Exclusive, patience);
    taken.map_err(LedgerError::io("lock", &directory.path().join(name)))
}

/// Opens a lock file, creating it if it is missing. Fails if the entry is not a regular file; links are not
/// followed.
pub(crate) fn open(directory: &Directory, name: &str) -> Result<File, LedgerError> {
    directory.open_with(name, OFlags::RDWR | OFlags::CREATE)
}

/// Waits for the lock on a task's directories below an evidence root.
pub(crate) fn of_task(root: &Directory, task: &TaskId) -> Result<FileLock, LedgerError> {
    of_file(&root.make_unsynced(paths::LOCKS)?, &paths::lock_name(task))
}

/// Like [`of_task`], shared with other readers, without writing anything. None: there is no lock file, so no
/// run was ever started.
pub(crate) fn of_task_to_read(root: &Directory, task: &TaskId) -> Result<Option<FileLock>, LedgerError> {
    let Some(locks) = root.child(paths::LOCKS)? else { return Ok(None) };
    let name = paths::lock_name(task);
    let file = locks.find_file(&name)?;
    file.map(|file| held(file, Hold::Shared, &locks.path().join(&name))).transpose()
}

/// Waits for the lock of a directory. While the lock is held, the directory counts as being written.
pub(crate) fn of_directory(directory: &Directory) -> Result<FileLock<Directory>, LedgerError> {
    held(directory.again()?, Hold::Exclusive, directory.path())
}

/// Returns whether some process is writing to a directory.
pub(crate) fn is_live(directory: &Directory) -> Result<bool, LedgerError> {
    let free = FileLock::take(directory.again()?, Hold::Shared, MOMENT);
    Ok(free.map_err(LedgerError::io("lock", directory.path()))?.is_none())
}

fn held<F: AsFd>(file: F, hold: Hold, path: &Path) -> Result<FileLock<F>, LedgerError> {
    let lock = FileLock::take(file, hold, Duration::from_secs(WAIT_SECONDS)).map_err(LedgerError::io("lock", path))?;
    lock.ok_or_else(|| LedgerError::Locked { path: path.to_path_buf(), seconds: WAIT_SECONDS })
}

#[cfg(test)]
mod tests;
