//! Random numbers from the operating system.

use std::path::Path;

use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::LedgerError;

/// Returns random bytes. `path` is the file that they are for, named in errors.
pub(crate) fn chance<const BYTES: usize>(path: &Path) -> Result<[u8; BYTES], LedgerError> {
    let mut chance = [0; BYTES];
    let filled = getrandom(&mut chance, GetRandomFlags::empty()).map_err(LedgerError::io("find chance for", path))?;
    if filled < BYTES {
        let reason = "the system gives too few random numbers".to_owned();
        return Err(LedgerError::Unusable { path: path.to_path_buf(), reason });
    }
    Ok(chance)
}
