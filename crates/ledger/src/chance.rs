//! Random numbers from the operating system.

use std::path::Path;

use crate::error::LedgerError;

/// Returns random bytes. `path` is the file that they are for, named in errors.
pub(crate) fn chance<const BYTES: usize>(path: &Path) -> Result<[u8; BYTES], LedgerError> {
    let mut chance = [0; BYTES];
    getrandom::fill(&mut chance).map_err(LedgerError::io("find chance for", path))?;
    Ok(chance)
}
