//! Where a log ends. Its lines are numbered, and each holds the digest of the one before: that of the bytes as they lie there, so that
//! what a newer Referee wrote into a line is held to as well. The end of a log that was written here is kept in the
//! state directory.

use std::path::Path;

use referee_model::id::Digest;
use referee_model::stage::log_end::{self, LogEnd, LogEndDocument};

use crate::error::LedgerError;
use crate::state::{Area, State, place_name};

/// The end of a log without a line.
pub(crate) fn nothing() -> LogEnd {
    LogEnd { lines: 0, bytes: 0, digest: Digest::of(b"") }
}

/// Returns where a log ends with one line more, given without its end.
pub(crate) fn after(end: LogEnd, text: &[u8]) -> LogEnd {
    LogEnd { lines: end.lines.saturating_add(1), bytes: end.bytes + text.len() as u64 + 1, digest: Digest::of(text) }
}

/// Returns what the next line holds of the one before it. None: it is the first.
pub(crate) fn link(end: LogEnd) -> Option<Digest> {
    (end.lines > 0).then_some(end.digest)
}

/// Returns the name under which the end of the log at a place is kept.
pub(crate) fn name(path: &Path) -> String {
    format!("{}.json", place_name(path))
}

/// Reads what is kept of the log at a place. None: nothing is.
pub(crate) fn kept(path: &Path, state: &State) -> Result<Option<LogEndDocument>, LedgerError> {
    out_of_reach(path, state)?;
    state.read(Area::Stages, &name(path), |bytes| {
        let found: LogEndDocument = log_end::KIND.decode(bytes).map_err(|error| error.to_string())?;
        let is_its_own = found.path == path.display().to_string();
        if is_its_own { Ok(found) } else { Err(format!("it is about {}", found.path)) }
    })
}

/// Keeps it, in place of what was kept.
pub(crate) fn keep(path: &Path, state: &State, end: &LogEndDocument) -> Result<(), LedgerError> {
    out_of_reach(path, state)?;
    state.write(Area::Stages, &name(path), log_end::KIND.encode(end))
}

/// Whoever works where the log lies must not reach what vouches for it.
fn out_of_reach(path: &Path, state: &State) -> Result<(), LedgerError> {
    if state.lies_in(path) {
        return Err(LedgerError::Unusable {
            path: state.path().to_path_buf(),
            reason: format!(
                "the state directory is in `{}`, where agents can write: set REFEREE_STATE_DIR to a directory outside it",
                path.display()
            ),
        });
    }
    Ok(())
}
