//! Atomic replacement of documents.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;

use super::Directory;
use crate::error::LedgerError;
use crate::fault;

impl Directory {
    /// Writes a document atomically: a reader sees the old one or the new one. Returns its path.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
        self.replace_as(name, bytes, None)
    }

    /// Like [`Directory::replace`], with the permissions of the file. None: the default permissions of new
    /// files.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn replace_as(&self, name: &str, bytes: &[u8], mode: Option<Mode>) -> Result<PathBuf, LedgerError> {
        self.replace_with(name, mode, |file| file.write_all(bytes))?;
        Ok(self.path.join(name))
    }

    /// Like [`Directory::replace`], with content written by `fill`; returns the result of `fill`.
    pub(crate) fn replace_with<T>(
        &self,
        name: &str,
        mode: Option<Mode>,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<T, LedgerError> {
        let filled = self.swap_in(name, mode, fill)?;
        self.sync()?;
        Ok(filled)
    }

    /// Like [`Directory::replace_with`], without a sync of the directory: until the next sync a power loss may
    /// bring back the old document, complete.
    pub(crate) fn swap_in<T>(
        &self,
        name: &str,
        mode: Option<Mode>,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<T, LedgerError> {
        self.swap(name, |unfinished| self.fill_new(unfinished, mode, fill))
    }

    /// Writes a document that can be regenerated, atomically but without a sync: after a power loss it may be
    /// the old document, or invalid.
    pub(crate) fn swap_in_unsynced(&self, name: &str, bytes: &[u8], mode: Mode) -> Result<(), LedgerError> {
        let fill = |file: &mut File| file.write_all(bytes);
        self.swap(name, |unfinished| self.fill_unsynced(unfinished, Some(mode), fill).map(drop))
    }

    /// Writes a document under a temporary name and renames it over the old one.
    fn swap<T>(&self, name: &str, write: impl FnOnce(&str) -> Result<T, LedgerError>) -> Result<T, LedgerError> {
        let unfinished = format!(".{name}.{}", rustix::process::getpid().as_raw_nonzero());
        self.discard(&unfinished)?;
        let swapped = write(&unfinished).and_then(|written| {
            fault::point()
                .and_then(|()| Ok(rustix::fs::renameat(&self.handle, &unfinished, &self.handle, name)?))
                .map_err(LedgerError::io("write", &self.path.join(name)))?;
            Ok(written)
        });
        if swapped.is_err() {
            let _ = self.discard(&unfinished);
        }
        swapped
    }

    /// Writes a document atomically if its name is free. Returns false if the name is taken; the existing entry
    /// then stays, on every file system: a hard link is never created over an existing name.
    pub(crate) fn put_new(&self, name: &str, bytes: &[u8], mode: Option<Mode>) -> Result<bool, LedgerError> {
        let unfinished = format!(".{name}.{}.unfinished", rustix::process::getpid().as_raw_nonzero());
        self.replace_as(&unfinished, bytes, mode)?;
        let path = self.path.join(name);
        fault::point().map_err(LedgerError::io("write", &path))?;
        let put = match rustix::fs::linkat(&self.handle, &unfinished, &self.handle, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            // The file system has no hard links.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => self.move_to(&unfinished, self, name),
            Err(error) => Err(LedgerError::io("write", &path)(error)),
        };
        let discarded = self.discard(&unfinished);
        if !matches!(put, Ok(true)) {
            discarded?;
        }
        self.sync()?;
        put
    }
}
