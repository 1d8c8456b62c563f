//! Where the events ended when one was last told of here, kept in the state directory, out of reach of whoever changes
//! the incidents. What comes after it may be another user's, or of a process that died before it was kept.

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

/// Reads what is kept. None: nothing is.
pub(super) fn kept(ground: &IncidentRoot) -> Result<Option<Kept>, LedgerError> {
    let Some((place, state)) = place(ground) else { return Ok(None) };
    let Some(kept) = log_end::kept(&place, state)? else { return Ok(None) };
    Ok(Some(Kept { end: kept.end, path: state.area(Area::Stages)?.join(log_end::name(&place)) }))
}

/// Keeps where the events end now. What was kept and does not stand in them is left: somebody changed them, and lists say so until a
/// person decides; but a root that was made anew has events of its own. Whoever calls this holds the lock of the events.
pub(super) fn keep(ground: &IncidentRoot, file: &File, end: LogEnd) -> Result<(), LedgerError> {
    let Some((place, state)) = place(ground) else { return Ok(()) };
    let stands = kept(ground)?.is_none_or(|kept| stands_in(file, kept.end).unwrap_or(false));
    if !stands && (end.lines > 1 || ground.incidents()? > 1) {
        return Ok(());
    }
    log_end::keep(&place, state, &LogEndDocument::of_events(place.display().to_string(), end))
}

/// Whether a line of the events ends there. No more is read than a line can have, whatever lies in the file.
pub(super) fn stands_in(file: &File, end: LogEnd) -> io::Result<bool> {
    // The line, its end, and the end of the one before.
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

/// The root of the incidents, and the state directory that keeps where their events end. None: none does.
fn place(ground: &IncidentRoot) -> Option<(PathBuf, &State)> {
    Some((real_path(ground.root()), ground.state()?))
}
