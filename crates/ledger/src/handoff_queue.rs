//! A directory into which incident packages are put for an external executor (seed 3, "Antigravity Handoff").
//!
//! The directory belongs to another program, so files appear in it only complete, links in it are not followed,
//! and files of others are replaced only on request.

use std::path::{Path, PathBuf};

use referee_model::incident::id::IncidentId;
use referee_model::limit;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;

#[derive(Debug)]
pub struct HandoffQueue {
    directory: Directory,
}

impl HandoffQueue {
    /// Opens a queue, creating its directory if it is missing.
    ///
    /// # Errors
    /// Fails if a file or a link is at the path, and on I/O errors.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        std::fs::create_dir_all(path).map_err(LedgerError::io("make the directory", path))?;
        Ok(Self { directory: Directory::open(path)? })
    }

    /// Opens a queue without creating anything. None: its directory does not exist.
    ///
    /// # Errors
    /// As [`HandoffQueue::open`].
    pub fn find(path: &Path) -> Result<Option<Self>, LedgerError> {
        Ok(Directory::find(path)?.map(|directory| Self { directory }))
    }

    /// Returns the path of an incident's package.
    pub fn path_of(&self, id: &IncidentId) -> PathBuf {
        self.directory.path().join(name(id))
    }

    /// Reads the package of an incident. None: there is no package.
    ///
    /// # Errors
    /// Fails if a link, a directory or a device is at its path, if the file is too large, and on I/O errors.
    pub fn read(&self, id: &IncidentId) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read_at_most(&name(id), limit::INCIDENT_FILE_BYTES)
    }

    /// Adds the package of an incident. Returns false, and changes nothing, if there is one already.
    ///
    /// # Errors
    /// Fails on I/O errors; the package is then not in the queue.
    pub fn put(&self, id: &IncidentId, bytes: &[u8]) -> Result<bool, LedgerError> {
        self.directory.put_new(&name(id), bytes, None)
    }

    /// Adds the package of an incident, replacing any file or link of its name.
    ///
    /// # Errors
    /// Fails if a directory is at its path, and on I/O errors.
    pub fn replace(&self, id: &IncidentId, bytes: &[u8]) -> Result<(), LedgerError> {
        let name = name(id);
        if self.directory.kind(&name)? == Some(Kind::Directory) {
            return Err(LedgerError::NotAFile { path: self.directory.path().join(name) });
        }
        self.directory.replace(&name, bytes).map(drop)
    }

    /// Removes the package of an incident if its content is `bytes`. Returns false if there is none, or a
    /// different one.
    ///
    /// # Errors
    /// Fails if the package cannot be read or removed.
    pub fn take_back(&self, id: &IncidentId, bytes: &[u8]) -> Result<bool, LedgerError> {
        let name = name(id);
        if self.directory.kind(&name)? != Some(Kind::File) || self.read(id)?.as_deref() != Some(bytes) {
            return Ok(false);
        }
        self.directory.discard(&name)?;
        self.directory.sync()?;
        Ok(true)
    }
}

fn name(id: &IncidentId) -> String {
    format!("{id}.json")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn id() -> IncidentId {
        IncidentId::parse("incident_1").unwrap()
    }

    #[test]
    fn a_package_is_put_once_read_back_and_taken_back_only_if_it_is_the_same() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("deep/queue");
        assert!(HandoffQueue::find(&directory).unwrap().is_none());
        let queue = HandoffQueue::open(&directory).unwrap();
        assert_eq!(queue.read(&id()).unwrap(), None);
        assert!(queue.put(&id(), b"one").unwrap());
        assert!(!queue.put(&id(), b"two").unwrap(), "what is there stays");
        assert_eq!(queue.read(&id()).unwrap().unwrap(), b"one");
        assert!(!queue.take_back(&id(), b"two").unwrap());
        queue.replace(&id(), b"two").unwrap();
        assert!(queue.take_back(&id(), b"two").unwrap());
        assert!(!queue.take_back(&id(), b"two").unwrap());
        assert_eq!(fs::read_dir(directory).unwrap().count(), 0, "nothing unfinished is left");
    }

    #[test]
    fn no_link_is_followed() {
        let place = tempfile::tempdir().unwrap();
        let theirs = place.path().join("theirs");
        fs::write(&theirs, "theirs").unwrap();
        let directory = place.path().join("queue");
        let queue = HandoffQueue::open(&directory).unwrap();
        symlink(&theirs, queue.path_of(&id())).unwrap();
        assert!(queue.read(&id()).is_err() && !queue.put(&id(), b"ours").unwrap());
        assert!(!queue.take_back(&id(), b"theirs").unwrap());
        queue.replace(&id(), b"ours").unwrap();
        assert_eq!(fs::read(queue.path_of(&id())).unwrap(), b"ours");
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
        symlink(&directory, place.path().join("link")).unwrap();
        assert!(HandoffQueue::open(&place.path().join("link")).is_err());
        fs::remove_file(queue.path_of(&id())).unwrap();
        fs::create_dir(queue.path_of(&id())).unwrap();
        assert!(queue.replace(&id(), b"ours").is_err() && queue.read(&id()).is_err());
    }
}
