//! Directories for copies of what is kept elsewhere.

use std::path::Path;

use tempfile::TempDir;

use crate::error::LedgerError;

/// A directory that only this user can access. Removed with its content on drop; somebody else may remove it before.
#[derive(Debug)]
pub struct CacheDirectory(TempDir);

impl CacheDirectory {
    /// Creates a directory below another one.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn make(above: &Path) -> Result<Self, LedgerError> {
        let made = tempfile::Builder::new().prefix("referee-").tempdir_in(above);
        made.map(Self).map_err(LedgerError::io("make a directory in", above))
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
