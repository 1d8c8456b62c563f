//! Locks of incidents: files that exist only while a process holds them, or after it died holding them.
//!
//! A lock ends with its holder, however that ends. Its file is outside the incident's directory, because that
//! moves, and the holder removes it on release, so that a hundred thousand incidents do not leave as many lock
//! files. A process that waited for a file that has been removed meanwhile takes the lock of the new file.

use std::time::Duration;

use referee_model::incident::id::IncidentId;
use rustix::fs::AtFlags;

use super::incident_root::IncidentRoot;
use crate::directory::{Directory, FileId};
use crate::error::LedgerError;
use crate::lock::{self, FileLock, WAIT_SECONDS};

/// Directory of the locks, below the root.
pub(super) const LOCKS: &str = ".locks";

/// A lock, held until dropped.
#[derive(Debug)]
pub(super) struct Lock {
    directory: Directory,
    name: String,
    _held: FileLock,
}

impl Lock {
    /// Waits for the right to change an incident.
    pub(super) fn of_changes(ground: &IncidentRoot, id: &IncidentId) -> Result<Self, LedgerError> {
        Self::wait(ground.make_hidden(LOCKS)?, &format!("{id}.lock"))
    }

    /// Takes the right to change an incident. None: another process holds it now.
    pub(super) fn of_changes_now(ground: &IncidentRoot, id: &IncidentId) -> Result<Option<Self>, LedgerError> {
        Self::take(ground.make_hidden(LOCKS)?, &format!("{id}.lock"), lock::MOMENT)
    }

    /// Takes the lock for working on an incident. None: another process holds it.
    pub(super) fn of_work(ground: &IncidentRoot, id: &IncidentId) -> Result<Option<Self>, LedgerError> {
        Self::take(ground.make_hidden(LOCKS)?, &format!("{id}.work"), lock::MOMENT)
    }

    /// Waits for the lock for working on an incident.
    pub(super) fn of_work_later(ground: &IncidentRoot, id: &IncidentId) -> Result<Self, LedgerError> {
        Self::wait(ground.make_hidden(LOCKS)?, &format!("{id}.work"))
    }

    /// Waits for the right to append events.
    pub(super) fn of_events(ground: &IncidentRoot) -> Result<Self, LedgerError> {
        // No incident has this name: an id begins with a letter or a digit.
        Self::wait(ground.make_hidden(LOCKS)?, ".events.lock")
    }

    /// Waits for the right to capture incidents.
    pub(super) fn of_captures(ground: &IncidentRoot) -> Result<Self, LedgerError> {
        Self::wait(ground.make_hidden(LOCKS)?, ".captures.lock")
    }

    fn wait(directory: Directory, name: &str) -> Result<Self, LedgerError> {
        let path = directory.path().join(name);
        let lock = Self::take(directory, name, Duration::from_secs(WAIT_SECONDS))?;
        lock.ok_or(LedgerError::Locked { path, seconds: WAIT_SECONDS })
    }

    /// Tries for the given time to take a lock. None: another process holds it.
    fn take(directory: Directory, name: &str, patience: Duration) -> Result<Option<Self>, LedgerError> {
        loop {
            match lock::of_file_within(&directory, name, patience)? {
                Some(lock) if directory.id_of(name) == FileId::of(&*lock) => {
                    return Ok(Some(Self { directory, name: name.to_owned(), _held: lock }));
                }
                // Its holder has removed the file.
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }
}

impl Drop for Lock {
    /// A lock file that cannot be removed does no harm.
    fn drop(&mut self) {
        let _ = rustix::fs::unlinkat(&self.directory, &self.name, AtFlags::empty());
    }
}

/// A lock for working on an incident, or for capturing.
#[derive(Debug)]
pub struct Hold {
    pub(super) _lock: Lock,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_holder_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let id = IncidentId::parse("i-1").unwrap();
        let held = Lock::of_work(&ground, &id).unwrap().unwrap();
        assert!(Lock::of_work(&ground, &id).unwrap().is_none());
        assert!(Lock::of_changes_now(&ground, &id).unwrap().is_some(), "who works at it can be told of");
        drop(held);
        assert!(Lock::of_work(&ground, &id).unwrap().is_some());
        let left: Vec<_> =
            std::fs::read_dir(directory.path().join(LOCKS)).unwrap().map(|entry| entry.unwrap()).collect();
        assert_eq!(left.iter().map(std::fs::DirEntry::file_name).collect::<Vec<_>>(), [".gitignore"]);
    }

    #[test]
    fn whoever_waits_for_a_lock_that_is_removed_takes_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let id = IncidentId::parse("i-1").unwrap();
        let inside = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _lock = Lock::of_changes(&ground, &id).unwrap();
                        assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0, "two are inside");
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    }
                });
            }
        });
    }

    #[test]
    fn something_else_in_the_place_of_a_lock_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let id = IncidentId::parse("i-1").unwrap();
        ground.make_hidden(LOCKS).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", directory.path().join(LOCKS).join("i-1.lock")).unwrap();
        assert!(matches!(Lock::of_changes(&ground, &id), Err(LedgerError::NotAFile { .. })));
        std::fs::remove_dir_all(directory.path().join(LOCKS)).unwrap();
        std::os::unix::fs::symlink("/tmp", directory.path().join(LOCKS)).unwrap();
        assert!(matches!(Lock::of_changes(&ground, &id), Err(LedgerError::NotADirectory { .. })));
    }
}
