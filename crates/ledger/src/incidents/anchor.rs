//! Where the events ended when one was last told of here, kept in the state folder, out of reach of whoever changes the incidents. What
//! comes after it may be another user's, or of a process that died before it was kept.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use referee_model::id::Digest;
use referee_wire::stage::log_end::{LogEnd, LogEndDocument};

use super::ground::Ground;
use super::lines::{LINE_BYTES, Lines};
use crate::error::LedgerError;
use crate::log_end;
use crate::real_path::real_path;
use crate::state::{Area, State};

/// What is kept, and where.
pub(super) struct Kept {
    pub(super) end: LogEnd,
    pub(super) path: PathBuf,
}

/// Reads what is kept. None: nothing is.
pub(super) fn kept(ground: &Ground) -> Result<Option<Kept>, LedgerError> {
    let Some((place, state)) = place(ground) else { return Ok(None) };
    let Some(kept) = log_end::kept(&place, state)? else { return Ok(None) };
    Ok(Some(Kept { end: kept.end, path: state.area(Area::Stages)?.join(log_end::name(&place)) }))
}

/// Keeps where the events end now. What was kept and does not stand in them is left: somebody changed them, and lists say so until a
/// person decides; but a root that was made anew has events of its own. Whoever calls this holds the lock of the events.
pub(super) fn keep(ground: &Ground, file: &File, end: LogEnd) -> Result<(), LedgerError> {
    let Some((place, state)) = place(ground) else { return Ok(()) };
    let stands = kept(ground)?.is_none_or(|kept| stands_in(file, kept.end).unwrap_or(false));
    if !stands && (end.lines > 1 || ground.incidents()? > 1) {
        return Ok(());
    }
    log_end::keep(&place, state, &LogEndDocument::of_events(place.display().to_string(), end))
}

/// Whether a line of the events ends there.
pub(super) fn stands_in(file: &File, end: LogEnd) -> io::Result<bool> {
    let mut lines = Lines::from(file, end.bytes.saturating_sub(LINE_BYTES as u64));
    while let Some(line) = lines.next()? {
        let line_end = line.start + line.bytes.len() as u64 + 1;
        if line_end >= end.bytes {
            return Ok(line_end == end.bytes && Digest::of(line.bytes) == end.digest);
        }
    }
    Ok(false)
}

/// The root of the incidents, and the state folder that keeps where their events end. None: none does.
fn place(ground: &Ground) -> Option<(PathBuf, &State)> {
    Some((real_path(ground.root()), ground.state()?))
}
