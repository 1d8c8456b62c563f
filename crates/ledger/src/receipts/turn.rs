//! Serializes gate evaluations of a workspace: hosts may fire a hook twice, and the second process then finds
//! the receipt of the first.

use std::path::Path;

use crate::error::LedgerError;
use crate::lock::{self, FileLock, Hold};
use crate::state::{Area, State, place_name};

/// The turn of one process to evaluate the gate. Ends when it is dropped or the process ends.
#[derive(Debug)]
pub struct Turn {
    _lock: FileLock,
    /// Whether another process had the turn before.
    pub waited: bool,
}

/// Waits for the turn to evaluate the gate of a workspace. `goes_on` is called several times a second while
/// another process has it. Returns `None` if it returned false.
///
/// # Errors
/// Fails on an I/O error.
pub fn take_turn(
    state: &State,
    workspace: &Path,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Turn>, LedgerError> {
    let area = state.open_area(Area::Receipts)?;
    let name = format!("{}.turn", place_name(workspace));
    let mut waited = false;
    let mut goes_on = || {
        waited = goes_on();
        waited
    };
    let lock = FileLock::take_while(lock::open(&area, &name)?, Hold::Exclusive, &mut goes_on);
    let lock = lock.map_err(LedgerError::io("lock", &area.path().join(name)))?;
    Ok(lock.map(|lock| Turn { _lock: lock, waited }))
}
