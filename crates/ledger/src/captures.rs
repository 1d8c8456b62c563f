//! The turn to capture incidents below one root: looking for an incident of the same failure and adding to it, or making one,
//! is one step for whoever has it, so that two captures at once make one incident (ruling 26).

use std::path::Path;

use crate::error::LedgerError;
use crate::folder::Folder;
use crate::lock::{self, FileLock};
use crate::paths;

/// The turn to capture, until it is dropped, however the process ends.
#[derive(Debug)]
pub struct CaptureTurn {
    _lock: FileLock,
}

impl CaptureTurn {
    /// Waits for the turn below a root, which is made where it is missing.
    ///
    /// # Errors
    /// Fails where the root cannot be made or is no folder, and where somebody has the turn for half a minute.
    pub fn take(root: &Path) -> Result<Self, LedgerError> {
        std::fs::create_dir_all(root).map_err(LedgerError::io("make the folder", root))?;
        let lock = lock::of_file(&Folder::open(root)?.make(paths::LOCKS)?, paths::CAPTURES_LOCK)?;
        Ok(Self { _lock: lock })
    }
}
