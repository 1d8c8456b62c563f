//! A directory of evidence being read: sealed or not, one's own or anybody's.

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

/// A directory of evidence. Nothing in it is believed; links are not followed.
#[derive(Debug)]
pub struct Evidence {
    directory: Arc<Directory>,
}

impl Evidence {
    /// Opens a directory, which must not be a link.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        Ok(Self::of(Directory::open(directory)?))
    }

    /// Takes a directory that is open already: whatever is put in its place later is not looked at.
    pub(crate) fn of(directory: Directory) -> Self {
        Self { directory: Arc::new(directory) }
    }

    /// Returns the path by which the directory was reached. It may have been moved since.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Reads one document of at most 256 MiB.
    pub fn read(&self, file_name: &str) -> Result<Vec<u8>, LedgerError> {
        let name = paths::component(file_name)?;
        let missing = || LedgerError::io("read", &self.directory.path().join(name))(rustix::io::Errno::NOENT);
        self.directory.read(name)?.ok_or_else(missing)
    }

    /// Reads one document of at most 256 MiB. None: there is nothing of this name.
    pub fn find(&self, file_name: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read(paths::component(file_name)?)
    }

    /// Reads a file that a seal lists, and gives out its bytes as they are read, in constant memory. The very bytes that were
    /// given out are the ones that are hashed, so nobody can change them in between; where they are not what was sealed this
    /// fails with [`LedgerError::Meddled`], and what was given out is to be dropped.
    pub fn sealed(&self, file: &SealedFile, each: &mut dyn FnMut(&[u8])) -> Result<(), LedgerError> {
        let name = paths::component(&file.path)?;
        let written = Written { bytes: file.bytes, sha256: file.sha256 };
        content_check::unchanged(&self.directory, name, written, &mut Buffer::new(), each)
    }

    /// Returns a log that a record in this directory tells of; [`LogFile::check`] says whether it still is that log.
    pub fn log(&self, log: &Log) -> LogFile {
        LogFile::new(Arc::clone(&self.directory), log)
    }

    /// Returns the names of all regular files, sorted.
    pub fn names(&self) -> Result<Vec<String>, LedgerError> {
        self.directory.names_of(Kind::File)
    }
}
