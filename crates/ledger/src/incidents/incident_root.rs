//! The directories below an incident root. Each is opened from the root one name at a time, and links are never
//! followed.

use std::path::{Path, PathBuf};

use super::intent::Part;
use referee_model::incident::id::IncidentId;

use super::incident_dir::IncidentDir;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::paths;
use crate::state::State;

/// The directories below an incident root.
#[derive(Debug)]
pub(super) struct IncidentRoot {
    root: PathBuf,
    /// The state directory that keeps the end of the events. None: the end is not kept.
    state: Option<State>,
}

impl IncidentRoot {
    pub(super) fn new(root: &Path, state: Option<&State>) -> Self {
        Self { root: root.to_path_buf(), state: state.cloned() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Opens the root. None: it does not exist.
    pub(super) fn open(&self) -> Result<Option<Directory>, LedgerError> {
        Directory::find(&self.root)
    }

    /// Opens a directory below the root. None: it does not exist.
    pub(super) fn descend(&self, names: &[&str]) -> Result<Option<Directory>, LedgerError> {
        self.open()?.map_or(Ok(None), |root| root.descend(names))
    }

    /// Opens a directory below the root, creating missing directories, including the root. They are on disk before
    /// any name that is made later.
    pub(super) fn make(&self, names: &[&str]) -> Result<Directory, LedgerError> {
        std::fs::create_dir_all(&self.root).map_err(LedgerError::io("make the directory", &self.root))?;
        names.iter().try_fold(Directory::open(&self.root)?, |directory, name| directory.make_unsynced(name))
    }

    /// Like [`Self::make`], for a hidden directory directly below the root that version control ignores.
    pub(super) fn make_hidden(&self, name: &str) -> Result<Directory, LedgerError> {
        let directory = self.make(&[name])?;
        if directory.kind(paths::IGNORE_FILE)?.is_none() {
            match directory.write_unsynced(paths::IGNORE_FILE, b"*\n") {
                // Another process created it first.
                Err(LedgerError::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
                written => written?,
            }
        }
        Ok(directory)
    }

    /// Opens an incident's own directory, wherever it is. None: there is no such incident.
    pub(super) fn own(&self, id: &IncidentId) -> Result<Option<(IncidentDir, Directory)>, LedgerError> {
        for shelf in IncidentDir::ALL {
            if let Some(directory) = self.descend(shelf.directories())?
                && let Some(directory) = directory.child(id.as_str())?
            {
                return Ok(Some((shelf, directory)));
            }
        }
        Ok(None)
    }

    /// Returns whether any entry with this name exists in the inbox or the archive.
    pub(super) fn is_taken(&self, id: &IncidentId) -> Result<bool, LedgerError> {
        for shelf in IncidentDir::ALL {
            if let Some(directory) = self.descend(shelf.directories())?
                && directory.kind(id.as_str())?.is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts the directories in the inbox and the archive.
    pub(super) fn incidents(&self) -> Result<usize, LedgerError> {
        let mut count = 0;
        for shelf in IncidentDir::ALL {
            if let Some(directory) = self.descend(shelf.directories())? {
                count += directory.names_of(Kind::Directory)?.len();
            }
        }
        Ok(count)
    }

    /// Opens one of an incident's directories. None: it does not exist.
    pub(super) fn part(&self, id: &IncidentId, part: Part) -> Result<Option<Directory>, LedgerError> {
        match part.directory() {
            Some(name) => self.descend(&[name, id.as_str()]),
            None => Ok(self.own(id)?.map(|(_, directory)| directory)),
        }
    }
}
