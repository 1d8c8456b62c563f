//! Decides whether a run's log is the one that was written on this machine. The end of the log is kept in the
//! state directory under the run's path, and the next end is recorded there before a line is written (`next`),
//! so a process that dies leaves a log that ends at one of two known positions, or in between.

use std::path::Path;

use referee_model::limit;
use referee_model::stage::id::StageRunId;
use referee_model::stage::log::{LOG, StageLogLine};
use referee_model::stage::log_end::{LogEnd, LogEndDocument};

use super::RunLog;
use super::lines::{Chain, chain};
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::log_end::{after, keep, kept, name, nothing};
use crate::state::{Area, State};

/// Number of times that a log is read again because another process wrote to it meanwhile.
const TRIES: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogTrust {
    /// There is no log, and none was ever written on this machine.
    Absent,
    /// The log was written on this machine and is complete to its last line.
    Kept,
    /// The log is consistent, but this machine has no record of it: it came from another path or machine.
    Unknown,
    /// The log is inconsistent; the text is the reason.
    Broken(String),
    /// The log is not the one that was written on this machine; the text is the reason.
    Differs(String),
}

#[derive(Debug)]
pub(super) struct Judged {
    pub(super) log: RunLog,
    /// End of the trustworthy part of the log.
    pub(super) end: LogEnd,
    /// Whether a partial line follows that a process left when it died.
    pub(super) is_torn: bool,
    pub(super) kept: Option<LogEndDocument>,
}

/// Content of the log's path.
enum LogFile {
    Absent,
    /// An entry that cannot be read, with the reason.
    Unread(String),
    Bytes(Vec<u8>),
}

/// Returns whether this machine has a record of a run at a path. An unreadable record counts as one.
pub(super) fn is_known(path: &Path, state: &State) -> Result<bool, LedgerError> {
    match kept(path, state) {
        Ok(kept) => Ok(kept.is_some_and(|kept| kept.confirmed)),
        Err(LedgerError::Unreadable { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Returns whether a directory may be the run recorded for a path: its log has everything that was written
/// there. If no run is recorded, any directory may be.
pub(super) fn may_be(place: &Path, directory: &Directory, state: &State) -> Result<bool, LedgerError> {
    if !is_known(place, state)? {
        return Ok(true);
    }
    let (Ok(Some(kept)), LogFile::Bytes(bytes)) = (kept(place, state), read(directory)?) else { return Ok(false) };
    let written = usize::try_from(kept.end.bytes).ok().and_then(|length| bytes.get(..length));
    Ok(written.map(chain).is_some_and(|written| written.broken.is_none() && written.end == kept.end))
}

fn read(directory: &Directory) -> Result<LogFile, LedgerError> {
    match directory.read_at_most(LOG, limit::STAGE_LOG_BYTES) {
        Ok(Some(bytes)) => Ok(LogFile::Bytes(bytes)),
        Ok(None) => Ok(LogFile::Absent),
        Err(LedgerError::NotAFile { .. }) => Ok(LogFile::Unread("it is not a regular file".to_owned())),
        Err(LedgerError::TooLarge { limit_bytes, .. }) => {
            Ok(LogFile::Unread(format!("it is larger than {limit_bytes} bytes")))
        }
        Err(error) => Err(error),
    }
}

/// Reads the log of a run and determines its trust. If it is written to meanwhile, it is read again.
pub(super) fn judged(directory: &Directory, state: Option<&State>) -> Result<Judged, LedgerError> {
    let path = directory.path();
    let Some(state) = state else { return Ok(judge(read(directory)?, None)) };
    for _ in 0..TRIES {
        let before = kept(path, state)?;
        let file = read(directory)?;
        if kept(path, state)? == before {
            return Ok(judge(file, before));
        }
    }
    Err(LedgerError::Unusable { path: path.join(LOG), reason: "it is written to all the time: try again".to_owned() })
}

fn judge(file: LogFile, kept: Option<LogEndDocument>) -> Judged {
    let is_confirmed = kept.as_ref().is_some_and(|kept| kept.confirmed);
    let bad = |reason: String| if is_confirmed { LogTrust::Differs(reason) } else { LogTrust::Broken(reason) };
    let bytes = match file {
        LogFile::Bytes(bytes) => bytes,
        LogFile::Unread(reason) => return without_lines(bad(reason), kept),
        LogFile::Absent if is_confirmed => return without_lines(LogTrust::Differs("it is gone".to_owned()), kept),
        LogFile::Absent => return without_lines(LogTrust::Absent, kept),
    };
    let whole = chain(&bytes);
    let Some(kept) = kept else {
        let trust = whole.broken.clone().map_or(LogTrust::Unknown, LogTrust::Broken);
        return of(whole, trust, false, None);
    };
    let ends_at = |chain: &Chain, end: &LogEnd| {
        chain.end == *end && chain.lines.first().is_none_or(|line| Some(&line.run_id) == kept.run_id.as_ref())
    };
    let known = if kept.confirmed { LogTrust::Kept } else { LogTrust::Unknown };
    if whole.broken.is_none() {
        if kept.next.as_ref().is_some_and(|next| ends_at(&whole, next)) {
            return of(whole, LogTrust::Kept, false, Some(kept));
        }
        if ends_at(&whole, &kept.end) {
            return of(whole, known, false, Some(kept));
        }
    }
    if let Some(next) = kept.next
        && kept.end.lines > 0
        && (kept.end.bytes + 1..=next.bytes).contains(&(bytes.len() as u64))
    {
        let before = usize::try_from(kept.end.bytes).ok().and_then(|length| bytes.get(..length));
        let before = before.map(chain).filter(|before| before.broken.is_none() && ends_at(before, &kept.end));
        if let Some(before) = before {
            return of(before, known, true, Some(kept));
        }
    }
    let trust = match whole.broken.clone() {
        None if !kept.confirmed => LogTrust::Unknown,
        Some(reason) if !kept.confirmed => LogTrust::Broken(reason),
        broken => LogTrust::Differs(broken.unwrap_or_else(|| difference(&whole, &kept))),
    };
    of(whole, trust, false, Some(kept))
}

fn without_lines(trust: LogTrust, kept: Option<LogEndDocument>) -> Judged {
    Judged { log: RunLog { lines: Vec::new(), trust }, end: nothing(), is_torn: false, kept }
}

fn of(chain: Chain, trust: LogTrust, is_torn: bool, kept: Option<LogEndDocument>) -> Judged {
    Judged { end: chain.end, log: RunLog { lines: chain.lines, trust }, is_torn, kept }
}

fn difference(found: &Chain, kept: &LogEndDocument) -> String {
    let (lines, written) = (found.end.lines, kept.end.lines);
    match (found.lines.first(), &kept.run_id) {
        (Some(first), Some(run_id)) if first.run_id != *run_id => {
            format!("it is the log of {}, and that of {run_id} was written here", first.run_id)
        }
        _ if lines < written => {
            format!("it has {lines} lines where {written} were written: it is an older one, or was cut")
        }
        _ if lines > written => {
            format!("it has {lines} lines where {written} were written: another process added to it")
        }
        _ => "it is another one than the one that was written here".to_owned(),
    }
}

/// Records that a run is about to be composed at a path. Returns the record before.
pub(super) fn intend(
    path: &Path,
    state: &State,
    run_id: &StageRunId,
    next: LogEnd,
) -> Result<Option<Vec<u8>>, LedgerError> {
    let before = state.look_into(Area::Stages)?.map(|area| area.read(&name(path))).transpose()?.flatten();
    keep(path, state, &LogEndDocument::intended(path.display().to_string(), run_id.clone(), nothing(), next))?;
    Ok(before)
}

/// Restores the record before [`intend`], because another directory took the path.
pub(super) fn forget(path: &Path, state: &State, before: Option<&[u8]>) -> Result<(), LedgerError> {
    let area = state.open_area(Area::Stages)?;
    match before {
        Some(bytes) => area.replace(&name(path), bytes).map(drop),
        None => area.discard(&name(path)),
    }
}

/// Records that the intended change has happened. If that fails nothing is lost: the intended change is
/// recorded.
pub(super) fn confirm(path: &Path, state: &State, intended: &LogEndDocument) {
    let Some(next) = intended.next else { return };
    let mut confirmed = intended.clone();
    confirmed.change += 1;
    confirmed.confirmed = true;
    confirmed.end = next;
    confirmed.next = None;
    let _ = keep(path, state, &confirmed);
}

/// Returns the record that is kept while a line is written.
pub(super) fn with_next(path: &Path, judged: &Judged, line: &StageLogLine, text: &[u8]) -> LogEndDocument {
    let next = after(judged.end, text);
    let run_id = line.run_id.clone();
    let mut intended = LogEndDocument::intended(path.display().to_string(), run_id, judged.end, next);
    intended.change = judged.kept.as_ref().map_or(1, |kept| kept.change + 1);
    intended.confirmed = judged.log.trust == LogTrust::Kept;
    intended
}
