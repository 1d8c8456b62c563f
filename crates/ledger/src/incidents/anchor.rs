//! The end of the event log as of the last event that was written on this machine, kept in the state directory,
//! out of reach of processes that can change the incidents. Events after it may come from another user, or from
//! a process that died before it recorded the end.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use referee_model::id::Digest;
use referee_model::stage::log_end::{LogEnd, LogEndDocument};

use super::incident_root::IncidentRoot;
use super::lines::LINE_BYTES;
use crate::error::LedgerError;
use crate::log_end;
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

/// Returns whether a line of the events ends at this position. Reads no more than the longest possible line,
/// whatever the file holds.
pub(super) fn stands_in(file: &File, end: LogEnd) -> io::Result<bool> {
    // The line, its line break, and the line break before it.
    let length = usize::try_from(end.bytes).unwrap_or(usize::MAX).min(LINE_BYTES + 2);
    let mut bytes = vec![0; length];
    match file.read_exact_at(&mut bytes, end.bytes.saturating_sub(length as u64)) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        read => read?,
    }
    let Some((b'\n', text)) = bytes.split_last() else { return Ok(false) };
    let start = memchr::memrchr(b'\n', text).map_or(0, |before| before + 1);
    Ok(Digest::of(text.get(start..).unwrap_or_default()) == end.digest)
}

/// Returns the root of the incidents, and the state directory that keeps the end of their events. None: none
/// does.
pub(super) fn place(ground: &IncidentRoot) -> Option<(PathBuf, &State)> {
    Some((real_path(ground.root()), ground.state()?))
}
