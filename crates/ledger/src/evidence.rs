//! Read access to an evidence directory: sealed or not, from this machine or from elsewhere.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use referee_model::record::Log;
use referee_model::seal::SealedFile;

pub use crate::log_file::LogFile;

use crate::content_check::{self, Buffer};
use crate::contents::Written;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::paths;

/// An evidence directory. Its content is not trusted; links are not followed.
#[derive(Debug)]
pub struct Evidence {
    directory: Arc<Directory>,
}

impl Evidence {
    /// Opens a directory, which must not be a link.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        Ok(Self::of(Directory::open(directory)?))
    }

    /// Wraps a directory that is open already; a directory that replaces it later is not looked at.
    pub(crate) fn of(directory: Directory) -> Self {
        Self { directory: Arc::new(directory) }
    }

    /// Returns the path by which the directory was opened. The directory may have been moved since.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Reads one document of at most 256 MiB.
    pub fn read(&self, file_name: &str) -> Result<Vec<u8>, LedgerError> {
        let name = paths::component(file_name)?;
        let missing = || LedgerError::io("read", &self.directory.path().join(name))(rustix::io::Errno::NOENT);
        self.directory.read(name)?.ok_or_else(missing)
    }

    /// Reads one document of at most 256 MiB. None: no entry has this name.
    pub fn find(&self, file_name: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read(paths::component(file_name)?)
    }

    /// Reads a file that a seal lists, and passes its bytes to `each` as they are read, in constant memory. The
    /// bytes that are passed on are the ones that are hashed, so they cannot be changed in between. Fails with
    /// [`LedgerError::Meddled`] if they are not the sealed ones; the caller must then discard them.
    pub fn sealed(&self, file: &SealedFile, each: &mut dyn FnMut(&[u8])) -> Result<(), LedgerError> {
        let name = paths::component(&file.path)?;
        let written = Written { bytes: file.bytes, sha256: file.sha256 };
        content_check::unchanged(&self.directory, name, written, &mut Buffer::new(), each)
    }

    /// Opens a file that a seal lists. The caller checks what it reads.
    pub fn open_file(&self, file: &SealedFile) -> Result<File, LedgerError> {
        self.directory.open_file(paths::component(&file.path)?)
    }

    /// Returns a log that a record in this directory describes; [`LogFile::check`] checks that the file is
    /// unchanged.
    pub fn log(&self, log: &Log) -> LogFile {
        LogFile::new(Arc::clone(&self.directory), log)
    }

    /// Returns the names of all regular files, sorted.
    pub fn names(&self) -> Result<Vec<String>, LedgerError> {
        self.directory.names_of(Kind::File)
    }
}
