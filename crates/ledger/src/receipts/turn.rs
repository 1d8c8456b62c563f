//! Whose turn it is to ask the gate about a workspace: hosts fire twice, and the second then finds what the first recorded.

use std::path::Path;

use crate::error::LedgerError;
use crate::lock::{self, FileLock, Hold};
use crate::state::{Area, State, place_name};

/// The turn of one process, until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Turn {
    _lock: FileLock,
    /// Whether somebody else had it before.
    pub waited: bool,
}

/// Takes the turn to ask about a workspace. `goes_on` is asked several times a second while somebody else has it. None: it
/// said no.
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
