//! Appends lines to the log of a run. A line is on disk when the function returns.

use std::os::unix::fs::MetadataExt;

use referee_model::stage::log::{self, LOG, StageChange, StageLogLine};
use referee_model::time::Timestamp;
use rustix::fs::OFlags;

use super::head::{self, Judged, LogTrust, confirm, with_next};
use super::lines::room;
use crate::append;
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::log_end::{keep, link};
use crate::state::State;

/// Appends a line to a log that was written on this machine.
pub(super) fn append(
    directory: &Directory,
    state: &State,
    make: impl FnOnce(&StageLogLine) -> StageLogLine,
) -> Result<StageLogLine, LedgerError> {
    let judged = head::judged(directory, Some(state))?;
    let (LogTrust::Kept, Some(last)) = (&judged.log.trust, judged.log.lines.last()) else {
        return Err(refusal(directory, &judged.log.trust));
    };
    let line = make(last);
    write(directory, state, &judged, line)
}

/// Adopts a log that is consistent but not known on this machine.
pub(super) fn adopt(
    directory: &Directory,
    state: &State,
    at: Timestamp,
    by: &str,
) -> Result<StageLogLine, LedgerError> {
    let judged = head::judged(directory, Some(state))?;
    let (LogTrust::Unknown, Some(last)) = (&judged.log.trust, judged.log.lines.last()) else {
        return Err(refusal(directory, &judged.log.trust));
    };
    let line = StageLogLine {
        sequence: last.sequence + 1,
        at,
        run_id: last.run_id.clone(),
        stage_id: None,
        attempt: 0,
        by: by.to_owned(),
        operation: StageChange::Adopted,
        previous: None,
    };
    write(directory, state, &judged, line)
}

fn refusal(directory: &Directory, trust: &LogTrust) -> LedgerError {
    let path = directory.path().join(LOG);
    let unusable = |reason: &str| LedgerError::Unusable { path: path.clone(), reason: reason.to_owned() };
    match trust {
        LogTrust::Absent => unusable("there is no such log, so nothing vouches for the run: compose a run"),
        LogTrust::Unknown => unusable("it came from another place or machine: take the run on with --adopt"),
        LogTrust::Kept => unusable("it is known here already: there is nothing to take on"),
        LogTrust::Broken(reason) | LogTrust::Differs(reason) => {
            LedgerError::Meddled { path: directory.path().to_path_buf(), what: format!("{LOG}: {reason}") }
        }
    }
}

/// Writes a line after the judged log. The caller holds the run.
///
/// The new end of the log is recorded before the line is written, and confirmed afterwards. If the process dies
/// in between, the line counts if it is complete, and does not if it is partial; the next writer cuts off a
/// partial line.
fn write(
    directory: &Directory,
    state: &State,
    judged: &Judged,
    mut line: StageLogLine,
) -> Result<StageLogLine, LedgerError> {
    line.previous = link(judged.end);
    let mut text = rendered(&line)?;
    let intended = with_next(directory.path(), judged, &line, &text);
    let Some(next) = intended.next else { return Ok(line) };
    room(directory.path(), next, &line.operation)?;
    let path = directory.path().join(LOG);
    let file = directory.open_with(LOG, OFlags::WRONLY | OFlags::APPEND)?;
    if judged.is_torn {
        append::cut(&file, judged.end.bytes).map_err(LedgerError::io("cut half a line off", &path))?;
    }
    keep(directory.path(), state, &intended)?;
    text.push(b'\n');
    // If writing fails the line must not remain. If even removing it fails, the next writer cuts it off or
    // accepts it.
    append::append(&file, judged.end.bytes, &text).map_err(LedgerError::io("write", &path))?;
    if file.metadata().map_err(LedgerError::io("look at", &path))?.size() != next.bytes {
        let what = format!("{LOG}: another process wrote to it at the same time");
        return Err(LedgerError::Meddled { path: directory.path().to_path_buf(), what });
    }
    confirm(directory.path(), state, &intended);
    Ok(line)
}

/// Serializes a line, without its line break.
pub(super) fn rendered(line: &StageLogLine) -> Result<Vec<u8>, LedgerError> {
    let unreadable = |error: serde_json::Error| LedgerError::Unreadable { path: LOG.into(), reason: error.to_string() };
    log::line(line).map_err(unreadable)
}
