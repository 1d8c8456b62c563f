//! The end of the event log as of the last event that was written on this machine, kept in the state directory,
//! out of reach of processes that can change the incidents. Events after it may come from another user, or from
//! a process that died before it recorded the end.

use std::fs::File;
use std::path::PathBuf;

use referee_model::stage::log_end::{LogEnd, LogEndDocument};

use super::incident_root::IncidentRoot;
use crate::error::LedgerError;
use crate::log_end::{self, stands_in};
use crate::real_path::real_path;
use crate::state::{Area, State};

pub(super) struct Kept {
    pub(super) end: LogEnd,
    pub(super) path: PathBuf,
}

/// Reads the recorded end of the events. None: none is recorded.
pub(super) fn kept(ground: &IncidentRoot) -> Result<Option<Kept>, LedgerError> {
    let Some((place, state)) = place(ground) else { return Ok(None) };
    let Some(kept) = log_end::kept(&place, state)? else { return Ok(None) };
    Ok(Some(Kept { end: kept.end, path: state.area(Area::Stages)?.join(log_end::name(&place)) }))
}

/// Records the current end of the events. If the end recorded before is not found in the log, it is kept: the
/// log was changed, and lists report that until a person decides. But a root that was created again starts a
/// new log. The caller must hold the lock of the events.
pub(super) fn keep(ground: &IncidentRoot, file: &File, end: LogEnd) -> Result<(), LedgerError> {
    let Some((place, state)) = place(ground) else { return Ok(()) };
    let stands = kept(ground)?.is_none_or(|kept| stands_in(file, kept.end).unwrap_or(false));
    if !stands && (end.lines > 1 || ground.incidents()? > 1) {
        return Ok(());
    }
    log_end::keep(&place, state, &LogEndDocument::of_events(place.display().to_string(), end))
}

/// Returns the root of the incidents, and the state directory that keeps the end of their events. None: none
/// does.
pub(super) fn place(ground: &IncidentRoot) -> Option<(PathBuf, &State)> {
    Some((real_path(ground.root()), ground.state()?))
}
