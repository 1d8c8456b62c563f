//! A document takes the place of another one in one step.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;

use super::Directory;
use crate::error::LedgerError;
use crate::fault;

impl Directory {
    /// Writes a document whole and in one step: whoever reads it finds the old one or the new one. Returns where it lies.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
        self.replace_as(name, bytes, None)
    }

    /// As [`Directory::replace`], with who may use the file. None: as new files are.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn replace_as(&self, name: &str, bytes: &[u8], mode: Option<Mode>) -> Result<PathBuf, LedgerError> {
        self.replace_with(name, mode, |file| file.write_all(bytes))?;
        Ok(self.path.join(name))
    }

    /// As [`Directory::replace`], with what `fill` writes, and returns what that does.
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

    /// As [`Directory::replace_with`], without a sync of the directory: until the next one a power loss may bring the
    /// old document back, whole.
    pub(crate) fn swap_in<T>(
        &self,
        name: &str,
        mode: Option<Mode>,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<T, LedgerError> {
        self.swap(name, |unfinished| self.fill_new(unfinished, mode, fill))
    }

    /// Writes what can be made again in one step, without a sync: after a power loss it may be the old document, or junk.
    pub(crate) fn swap_in_unsynced(&self, name: &str, bytes: &[u8], mode: Mode) -> Result<(), LedgerError> {
        let fill = |file: &mut File| file.write_all(bytes);
        self.swap(name, |unfinished| self.fill_unsynced(unfinished, Some(mode), fill).map(drop))
    }

    /// Puts what is written under a name of its own in the place of a document.
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

    /// Writes a document whole and in one step where there is nothing of its name; false: there is, and it stays, whichever file
    /// system it is: a second name of a file is nowhere given to what is there.
    pub(crate) fn put_new(&self, name: &str, bytes: &[u8], mode: Option<Mode>) -> Result<bool, LedgerError> {
        let unfinished = format!(".{name}.{}.unfinished", rustix::process::getpid().as_raw_nonzero());
        self.replace_as(&unfinished, bytes, mode)?;
        let path = self.path.join(name);
        fault::point().map_err(LedgerError::io("write", &path))?;
        let put = match rustix::fs::linkat(&self.handle, &unfinished, &self.handle, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            // Files have one name there.
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
