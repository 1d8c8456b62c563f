//! Records in the state folder about one thing below one root, out of reach of whoever works there:
//!
//! ```text
//! <state>/<area>/<sha256 of the root and the id>.json
//! ```
//!
//! The name stands for the place: what is moved has nothing kept. A record that cannot be read is an error, and never none.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_model::id::Digest;
use sha2::{Digest as _, Sha256};

use crate::error::LedgerError;
use crate::state::{Area, State};

/// Which record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key<'a> {
    pub(crate) area: Area,
    pub(crate) root: &'a Path,
    pub(crate) id: &'a str,
}

/// Reads a record; `parse` returns it with the id that it is about. None: there is none.
pub(crate) fn read<Record, Error: std::fmt::Display>(
    state: &State,
    key: Key<'_>,
    parse: impl FnOnce(&[u8]) -> Result<(Record, String), Error>,
) -> Result<Option<Record>, LedgerError> {
    let Some(area) = state.look_into(key.area)? else { return Ok(None) };
    let name = name(key);
    let Some(bytes) = area.read(&name)? else { return Ok(None) };
    let unreadable = |reason: String| LedgerError::Unreadable { path: area.path().join(&name), reason };
    let (record, id) = parse(&bytes).map_err(|error| unreadable(error.to_string()))?;
    if id != key.id {
        return Err(unreadable(format!("it is about {id}")));
    }
    Ok(Some(record))
}

/// Writes a record, rendered.
pub(crate) fn write(
    state: &State,
    key: Key<'_>,
    rendered: Result<Vec<u8>, serde_json::Error>,
) -> Result<(), LedgerError> {
    let area = state.open_area(key.area)?;
    let name = name(key);
    let unusable = |reason: String| LedgerError::Unusable { path: area.path().join(&name), reason };
    let bytes = rendered.map_err(|error| unusable(error.to_string()))?;
    area.replace(&name, &bytes).map(drop)
}

/// Returns the name of a record's file.
pub(crate) fn name(key: Key<'_>) -> String {
    let root = std::fs::canonicalize(key.root).unwrap_or_else(|_| key.root.to_path_buf());
    let mut hasher = Sha256::new();
    hasher.update(root.as_os_str().as_bytes());
    hasher.update([0]);
    hasher.update(key.id.as_bytes());
    format!("{}.json", Digest::from_bytes(hasher.finalize().into()))
}
