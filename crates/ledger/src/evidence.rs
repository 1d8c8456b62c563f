//! A folder of evidence being read: sealed or not, one's own or anybody's.

use std::path::Path;
use std::sync::Arc;

use referee_model::record::Log;

pub use crate::log_file::LogFile;

use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::paths;

/// A folder of evidence. Nothing in it is believed; links are not followed.
#[derive(Debug)]
pub struct Evidence {
    folder: Arc<Folder>,
}

impl Evidence {
    /// Opens a folder, which must not be a link.
    pub fn open(folder: &Path) -> Result<Self, LedgerError> {
        Ok(Self { folder: Arc::new(Folder::open(folder)?) })
    }

    /// Reads one document of at most 256 MiB.
    pub fn read(&self, file_name: &str) -> Result<Vec<u8>, LedgerError> {
        let name = paths::component(file_name)?;
        let missing = || LedgerError::io("read", &self.folder.path().join(name))(rustix::io::Errno::NOENT);
        self.folder.read(name)?.ok_or_else(missing)
    }

    /// Returns a log that a record in this folder tells of; [`LogFile::check`] says whether it still is that log.
    pub fn log(&self, log: &Log) -> LogFile {
        LogFile::new(Arc::clone(&self.folder), log)
    }

    /// Returns the names of all regular files, sorted.
    pub fn names(&self) -> Result<Vec<String>, LedgerError> {
        let entries = self.folder.entries()?;
        Ok(entries.into_iter().filter(|(_, kind)| *kind == Kind::File).map(|(name, _)| name).collect())
    }
}
