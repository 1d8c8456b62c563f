//! The rows of the last reading, kept in the state directory, so that a list reads only what has changed since.
//!
//! A row counts only if its files still have the stamps that they had when they were read (`scan`). Whoever can change
//! the incidents cannot reach it. One that is missing, junk or of another version is written again; without one that
//! can be written, lists only take longer.

use std::path::PathBuf;

use super::anchor;
use super::incident_root::IncidentRoot;
use super::rows::Rows;
use crate::directory::PRIVATE;
use crate::log_end::name;
use crate::state::{Area, State};
use crate::tree::Moment;

/// Largest index that is read, in bytes.
const INDEX_BYTES: u64 = 1024 * 1024 * 1024;

/// One row in so many must be new for the index to be written again: reading one incident takes as long as writing this
/// number of rows.
const ROWS_FOR_ONE: usize = 64;

/// Returns the rows of the last reading. Empty: none are kept.
pub(super) fn load(ground: &IncidentRoot) -> Rows {
    let read = || {
        let (place, state) = place(ground)?;
        let area = state.look_into(Area::Incidents).ok()??;
        Rows::decode(&area.read_at_most(&name(&place), INDEX_BYTES).ok()??)
    };
    read().unwrap_or_default()
}

/// Reads the clock of the file system, before incidents are read. None: nothing can be kept.
pub(super) fn began(ground: &IncidentRoot) -> Option<Moment> {
    let (_, state) = place(ground)?;
    let file = tempfile::tempfile_in(state.area(Area::Incidents).ok()?).ok()?;
    Moment::of_change(&file.metadata().ok()?)
}

/// Keeps rows, if enough of them are new.
pub(super) fn save(ground: &IncidentRoot, rows: &mut Rows) {
    if rows.unsaved == 0 || rows.unsaved.saturating_mul(ROWS_FOR_ONE) < rows.all().len() {
        return;
    }
    if let Some((place, state)) = place(ground) {
        let area = state.open_area(Area::Incidents);
        // Without it the next list takes longer.
        let _ = area.and_then(|area| area.swap_in_unsynced(&name(&place), &rows.encode(), PRIVATE));
    }
    rows.unsaved = 0;
}

/// Returns the root, and the state directory, unless that is in the root.
fn place(ground: &IncidentRoot) -> Option<(PathBuf, &State)> {
    anchor::place(ground).filter(|(place, state)| !state.lies_in(place))
}
