//! The end of a log. Its lines are numbered, and each holds the digest of the one before. The digest covers the
//! bytes on disk, so fields that a newer Referee wrote into a line are covered as well. The end of a log that
//! was written on this machine is kept in the state directory.

use std::path::Path;

use referee_model::id::Digest;
use referee_model::stage::log_end::{self, LogEnd, LogEndDocument};

use crate::error::LedgerError;
use crate::state::{Area, State, place_name};

/// Returns the end of an empty log.
pub(crate) fn nothing() -> LogEnd {
    LogEnd { lines: 0, bytes: 0, digest: Digest::of(b"") }
}

/// Returns the end of a log after one more line, given without its line break.
pub(crate) fn after(end: LogEnd, text: &[u8]) -> LogEnd {
    LogEnd { lines: end.lines.saturating_add(1), bytes: end.bytes + text.len() as u64 + 1, digest: Digest::of(text) }
}

/// Returns the digest of the previous line that the next line holds. None: the next line is the first.
pub(crate) fn link(end: LogEnd) -> Option<Digest> {
    (end.lines > 0).then_some(end.digest)
}

/// Returns the name of the file in the state directory that keeps the end of the log at a path.
pub(crate) fn name(path: &Path) -> String {
    format!("{}.json", place_name(path))
}

/// Reads the kept end of the log at a path. None: none is kept.
pub(crate) fn kept(path: &Path, state: &State) -> Result<Option<LogEndDocument>, LedgerError> {
    out_of_reach(path, state)?;
    state.read(Area::Stages, &name(path), |bytes| {
        let found: LogEndDocument = log_end::KIND.decode(bytes).map_err(|error| error.to_string())?;
        let is_its_own = found.path == path.display().to_string();
        if is_its_own { Ok(found) } else { Err(format!("it is about {}", found.path)) }
    })
}

/// Keeps the end of a log, replacing the one before.
pub(crate) fn keep(path: &Path, state: &State, end: &LogEndDocument) -> Result<(), LedgerError> {
    out_of_reach(path, state)?;
    state.write(Area::Stages, &name(path), log_end::KIND.encode(end))
}

/// Fails if the state directory is inside the log's directory: processes that write there must not reach the
/// record that vouches for the log.
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
