//! Turns that were ordered on other machines, in the user's state directory: whoever asked may die before he has the answer.
//!
//! ```text
//! <state>/agents/<loop>.turn.json             the last turn that a loop ordered, until its changes are taken over
//! <state>/agents/<loop>.checkpoint.dsse.json  the last checkpoint that a loop put in a depot, or was about to put
//! ```

use std::convert::Infallible;

use referee_model::id::ExecutionId;
use referee_model::order_protocol::PendingTurn;

use crate::error::LedgerError;
use crate::state::{Area, State};

fn name(run: &ExecutionId) -> String {
    format!("{run}.turn.json")
}

fn checkpoint_name(run: &ExecutionId) -> String {
    format!("{run}.checkpoint.dsse.json")
}

/// Keeps the turn of a loop, in place of an earlier one.
///
/// # Errors
/// Fails on an I/O error.
pub fn keep(state: &State, run: &ExecutionId, turn: &PendingTurn) -> Result<(), LedgerError> {
    state.write(Area::Agents, &name(run), PendingTurn::KIND.encode(turn))
}

/// Returns the turn with this number that a loop has ordered. `None`: there is none.
///
/// # Errors
/// Fails if it cannot be read.
pub fn find(state: &State, run: &ExecutionId, number: u32) -> Result<Option<PendingTurn>, LedgerError> {
    let found = state.read(Area::Agents, &name(run), |bytes| PendingTurn::KIND.decode::<PendingTurn>(bytes))?;
    Ok(found.filter(|turn| turn.turn == number))
}

/// Forgets the turn of a loop.
///
/// # Errors
/// Fails on an I/O error.
pub fn forget(state: &State, run: &ExecutionId) -> Result<(), LedgerError> {
    state.open_area(Area::Agents)?.discard(&name(run))
}

/// Keeps the signed checkpoint of a loop, in place of an earlier one.
///
/// # Errors
/// Fails on an I/O error.
pub fn keep_checkpoint(state: &State, run: &ExecutionId, envelope: &[u8]) -> Result<(), LedgerError> {
    state.write(Area::Agents, &checkpoint_name(run), Ok::<_, Infallible>(envelope.to_vec()))
}

/// Returns the signed checkpoint that a loop of this machine put last, or was about to put. `None`: there is none.
///
/// # Errors
/// Fails if it cannot be read.
pub fn find_checkpoint(state: &State, run: &ExecutionId) -> Result<Option<Vec<u8>>, LedgerError> {
    state.read(Area::Agents, &checkpoint_name(run), |bytes| Ok::<_, Infallible>(bytes.to_vec()))
}
