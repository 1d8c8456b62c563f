//! The end of a log. Its lines are numbered, and each holds the digest of the one before. The digest covers the
//! bytes on disk, so fields that a newer Referee wrote into a line are covered as well. The end of a log that
//! was written on this machine is kept in the state directory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use referee_model::id::Digest;
use referee_model::stage::log_end::{self, LogEnd, LogEndDocument};

use crate::error::LedgerError;
use crate::log_lines::{LINE_BYTES, Lines};
use crate::state::{Area, State, place_name};

/// Number of bytes from the end of a log in which its last line is searched, in successive attempts.
pub(crate) const END_BYTES: [u64; 3] = [16 * 1024, 1024 * 1024, 64 * 1024 * 1024];

/// Finds the end of the complete lines of a log, searching from the end of the file; its line count is the number of
/// the last line that has one. None: no line near the end has a number.
pub(crate) fn find(file: &File, number: impl Fn(&[u8]) -> Option<u64>) -> io::Result<Option<LogEnd>> {
    let length = file.metadata()?.len();
    for bytes in END_BYTES {
        let from = length.saturating_sub(bytes);
        let found = last_from(file, from, &number)?;
        if found.lines > 0 || from == 0 {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the end of the last complete line after an offset, with the number of the last line that has one.
fn last_from(file: &File, from: u64, number: impl Fn(&[u8]) -> Option<u64>) -> io::Result<LogEnd> {
    let mut end = nothing();
    let mut lines = Lines::from(file, from);
    while let Some(line) = lines.next()? {
        end.digest = Digest::of(line.bytes);
        end.lines = number(line.bytes).unwrap_or(end.lines);
    }
    // A line that is too long, or has no number, still counts as a line: nothing is written into its middle.
    Ok(LogEnd { bytes: lines.end().unwrap_or(from), ..end })
}

/// Returns whether a line of a log ends at this position. Reads no more than the longest possible line, whatever
/// the file holds.
pub(crate) fn stands_in(file: &File, end: LogEnd) -> io::Result<bool> {
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
