//! The directories below one root. Each is reached from the root by one name at a time, and links are never followed.

use std::path::{Path, PathBuf};

use super::intent::Part;
use referee_model::incident::id::IncidentId;

use super::incident_dir::IncidentDir;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::paths;
use crate::state::State;

/// The directories below one root.
#[derive(Debug)]
pub(super) struct IncidentRoot {
    root: PathBuf,
    /// Keeps where the events end. None: nothing does.
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

    /// Opens the root. None: it is not there.
    pub(super) fn open(&self) -> Result<Option<Directory>, LedgerError> {
        Directory::find(&self.root)
    }

    /// Opens a directory below the root. None: it is not there.
    pub(super) fn descend(&self, names: &[&str]) -> Result<Option<Directory>, LedgerError> {
        self.open()?.map_or(Ok(None), |root| root.descend(names))
    }

    /// Opens a directory below the root, and makes what is missing of it, the root included.
    pub(super) fn make(&self, names: &[&str]) -> Result<Directory, LedgerError> {
        std::fs::create_dir_all(&self.root).map_err(LedgerError::io("make the directory", &self.root))?;
        Directory::open(&self.root)?.make_below(names)
    }

    /// As [`Self::make`], for a hidden directory right below the root: version control passes over it.
    pub(super) fn make_hidden(&self, name: &str) -> Result<Directory, LedgerError> {
        let directory = self.make(&[name])?;
        if directory.kind(paths::IGNORE_FILE)?.is_none() {
            match directory.write_new(paths::IGNORE_FILE, b"*\n") {
                // Somebody else was quicker.
                Err(LedgerError::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
                written => written?,
            }
        }
        Ok(directory)
    }

    /// Opens the own directory of an incident, wherever it lies. None: it lies nowhere.
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

    /// Says whether anything of this name, whatever it is, lies on a shelf.
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

    /// Counts what may be an incident on all shelves.
    pub(super) fn incidents(&self) -> Result<usize, LedgerError> {
        let mut count = 0;
        for shelf in IncidentDir::ALL {
            if let Some(directory) = self.descend(shelf.directories())? {
                count += directory.names_of(Kind::Directory)?.len();
            }
        }
        Ok(count)
    }

    /// Opens one of an incident's directories. None: it is not there.
    pub(super) fn part(&self, id: &IncidentId, part: Part) -> Result<Option<Directory>, LedgerError> {
        match part.directory() {
            Some(name) => self.descend(&[name, id.as_str()]),
            None => Ok(self.own(id)?.map(|(_, directory)| directory)),
        }
    }
}
