//! The folders below one root. Each is reached from the root by one name at a time, and links are never followed.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use referee_model::incident::id::IncidentId;

use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;

use super::change::Part;
use super::shelf::Shelf;
use crate::error::LedgerError;
use crate::folder::{Folder, Kind};

/// Keeps what is only ours to know out of version control.
const IGNORE_FILE: &str = ".gitignore";

/// The folders below one root.
#[derive(Debug)]
pub(super) struct Ground {
    root: PathBuf,
}

impl Ground {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Opens the root. None: it is not there.
    pub(super) fn open(&self) -> Result<Option<Folder>, LedgerError> {
        match self.root.symlink_metadata() {
            Ok(_) => Folder::open(&self.root).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LedgerError::io("look at", &self.root)(error)),
        }
    }

    /// Opens a folder below the root. None: it is not there.
    pub(super) fn descend(&self, names: &[&str]) -> Result<Option<Folder>, LedgerError> {
        let Some(mut folder) = self.open()? else { return Ok(None) };
        for name in names {
            match folder.child(name)? {
                Some(child) => folder = child,
                None => return Ok(None),
            }
        }
        Ok(Some(folder))
    }

    /// Opens a folder below the root, and makes what is missing of it, the root included.
    pub(super) fn make(&self, names: &[&str]) -> Result<Folder, LedgerError> {
        std::fs::create_dir_all(&self.root).map_err(LedgerError::io("make the folder", &self.root))?;
        names.iter().try_fold(Folder::open(&self.root)?, |folder, name| folder.make(name))
    }

    /// As [`Self::make`], for a hidden folder right below the root: version control passes over it.
    pub(super) fn make_hidden(&self, name: &str) -> Result<Folder, LedgerError> {
        let folder = self.make(&[name])?;
        if folder.kind(IGNORE_FILE)?.is_none() {
            match folder.create(IGNORE_FILE) {
                Ok(mut file) => {
                    io::Write::write_all(&mut file, b"*\n").map_err(LedgerError::io("write", folder.path()))?;
                }
                // Somebody else was quicker.
                Err(LedgerError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(folder)
    }

    /// Opens the own folder of an incident, wherever it lies. None: it lies nowhere.
    pub(super) fn own(&self, id: &IncidentId) -> Result<Option<(Shelf, Folder)>, LedgerError> {
        for shelf in Shelf::ALL {
            if let Some(folder) = self.descend(shelf.folders())?
                && let Some(folder) = folder.child(id.as_str())?
            {
                return Ok(Some((shelf, folder)));
            }
        }
        Ok(None)
    }

    /// Says whether anything of this name, whatever it is, lies on a shelf.
    pub(super) fn is_taken(&self, id: &IncidentId) -> Result<bool, LedgerError> {
        for shelf in Shelf::ALL {
            if let Some(folder) = self.descend(shelf.folders())?
                && folder.kind(id.as_str())?.is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Opens one of an incident's folders. None: it is not there.
    pub(super) fn part(&self, id: &IncidentId, part: Part) -> Result<Option<Folder>, LedgerError> {
        match part.folder() {
            Some(name) => self.descend(&[name, id.as_str()]),
            None => Ok(self.own(id)?.map(|(_, folder)| folder)),
        }
    }
}

/// Returns all names in a folder with what stands under them, in no order. The system is asked about each only where the folder
/// itself does not say, and what is gone by then is not there: others may work in it.
pub(super) fn names(folder: &Folder) -> Result<Vec<(String, Kind)>, LedgerError> {
    let wrong = |error: Errno| LedgerError::io("list", folder.path())(error);
    let mut names = Vec::new();
    for entry in Dir::read_from(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        let name = OsString::from_vec(name.to_vec());
        let kind = match entry.file_type() {
            FileType::Directory => Kind::Folder,
            FileType::RegularFile => Kind::File,
            FileType::Unknown => match rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => match FileType::from_raw_mode(found.st_mode) {
                    FileType::Directory => Kind::Folder,
                    FileType::RegularFile => Kind::File,
                    _ => Kind::Other,
                },
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(wrong(error)),
            },
            _ => Kind::Other,
        };
        names.push((name.to_string_lossy().into_owned(), kind));
    }
    Ok(names)
}
