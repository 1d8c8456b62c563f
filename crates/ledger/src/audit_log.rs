//! The audit log of `referee serve`, in the user's state directory: `doors/audit.jsonl`, one line for each event,
//! numbered from 1 without a gap, each with the digest of the line before. It is appended to by one process at a time.
//!
//! The end of the log is recorded beside it (`log_end`), so that lines cannot be cut off its end unnoticed.

use std::fs::File;
use std::path::{Path, PathBuf};

use referee_model::audit::{self, AuditFault, AuditLine};
use referee_model::stage::log_end::{LogEnd, LogEndDocument};
use rustix::fs::OFlags;

use crate::append;
use crate::directory::{Directory, PRIVATE};
use crate::error::LedgerError;
use crate::lock;
use crate::log_end::{self, after, link, nothing, stands_in};
use crate::log_lines::{LINE_BYTES, Lines};
use crate::state::{Area, State};

const LOG: &str = "audit.jsonl";
const LOCK: &str = "audit.lock";

/// Appends a line; its number and the digest of the line before are set here. The line is on disk when this returns.
///
/// # Errors
/// Fails if the log cannot be written. The line is not in the log then.
pub fn append(state: &State, line: &AuditLine) -> Result<(), LedgerError> {
    let directory = state.open_area(Area::Doors)?;
    let path = directory.path().join(LOG);
    let unusable = |reason: String| LedgerError::Unusable { path: path.clone(), reason };
    let _lock = lock::of_file(&directory, LOCK)?;
    let file = open(&directory)?;
    let end = log_end::find(&file, number).map_err(LedgerError::io("read", &path))?;
    let end =
        end.ok_or_else(|| unusable("no line stands near its end: move it away, and it begins anew".to_owned()))?;
    let line = AuditLine { sequence: end.lines.saturating_add(1), previous: link(end), ..line.clone() };
    let text = audit::KIND.encode_line(&line).map_err(|error| unusable(error.to_string()))?;
    if text.len() > LINE_BYTES {
        return Err(unusable(format!("a line has at most {LINE_BYTES} bytes")));
    }
    append::cut(&file, end.bytes)
        .and_then(|()| append::append(&file, end.bytes, &text))
        .map_err(LedgerError::io("write", &path))?;
    keep(state, &path, &file, log_end::after(end, text.trim_ascii_end()));
    Ok(())
}

/// Opens the log to be written. Creates it if it is missing.
fn open(directory: &Directory) -> Result<File, LedgerError> {
    let file = directory.open_with(LOG, OFlags::RDWR | OFlags::CREATE)?;
    rustix::fs::fchmod(&file, PRIVATE).map_err(LedgerError::io("close to others", &directory.path().join(LOG)))?;
    Ok(file)
}

/// Records the end of the log. The line is written: if its end cannot be recorded now, the end of the next line is.
/// Where the end that was recorded before is not in the log any more, it stays: the log was changed.
fn keep(state: &State, path: &Path, file: &File, end: LogEnd) {
    let stands = match log_end::kept(path, state) {
        Ok(Some(kept)) => kept.end.lines == 0 || stands_in(file, kept.end).unwrap_or(false),
        Ok(None) => true,
        Err(_) => false,
    };
    if stands {
        let document = LogEndDocument::of_events(path.display().to_string(), end);
        drop(log_end::keep(path, state, &document));
    }
}

fn number(line: &[u8]) -> Option<u64> {
    audit::KIND.decode::<AuditLine>(line).ok().map(|line| line.sequence)
}

/// The audit log as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditState {
    /// Path of the log.
    pub path: PathBuf,
    /// Number of lines.
    pub lines: u64,
    /// What is wrong with the log. None: nothing.
    pub fault: Option<AuditFault>,
}

/// Reads the log, hands out each line that can be read, and checks that each follows from the one before. A last line
/// without a line break is one that is being written, or was when its writer died, and is left out.
///
/// # Errors
/// Fails if the log, or the record of its end, cannot be read.
pub fn scan(state: &State, take: &mut dyn FnMut(AuditLine)) -> Result<AuditState, LedgerError> {
    let path = state.path().join(Area::Doors.name()).join(LOG);
    // Read first, so that lines that are appended meanwhile come after this end.
    let kept = log_end::kept(&path, state)?.map(|kept| kept.end).filter(|end| end.lines > 0);
    let file = match state.look_into(Area::Doors)? {
        Some(directory) => directory.find_file(LOG)?,
        None => None,
    };
    let Some(file) = file else {
        let fault = kept.map(|kept| lost(1, format!("the log is gone, and had {} lines", kept.lines)));
        return Ok(AuditState { path, lines: 0, fault });
    };
    let mut end = nothing();
    let mut fault = None;
    let mut lines = Lines::from(&file, 0);
    while let Some(line) = lines.next().map_err(LedgerError::io("read", &path))? {
        let number = end.lines + 1;
        let read = audit::KIND.decode::<AuditLine>(line.bytes);
        if fault.is_none() {
            fault = wrong(read.as_ref().ok(), line.start, end).map(|reason| lost(number, reason));
        }
        end = LogEnd { bytes: line.start + line.bytes.len() as u64 + 1, ..after(end, line.bytes) };
        if let Ok(line) = read {
            take(line);
        }
    }
    let stands = kept.map_or(Ok(true), |kept| stands_in(&file, kept)).map_err(LedgerError::io("read", &path))?;
    if let (None, false, Some(kept)) = (&fault, stands, kept) {
        let reason =
            format!("the log does not hold its line {} as it was written: lines were changed or removed", kept.lines);
        fault = Some(lost(kept.lines.min(end.lines + 1), reason));
    }
    Ok(AuditState { path, lines: end.lines, fault })
}

/// Returns why a line does not follow from the end of the one before. None: it does.
fn wrong(line: Option<&AuditLine>, start: u64, end: LogEnd) -> Option<String> {
    match line {
        _ if start != end.bytes => Some("a line before it is too long to be one".to_owned()),
        None => Some("it is no line of this log".to_owned()),
        Some(line) if line.sequence != end.lines + 1 => Some(format!("it says that it is line {}", line.sequence)),
        Some(line) if line.previous != link(end) => {
            Some("it does not follow from the line before, which was changed, moved or removed".to_owned())
        }
        Some(_) => None,
    }
}

fn lost(line: u64, reason: String) -> AuditFault {
    AuditFault { line, reason }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use referee_model::access::{Actor, Role};
    use referee_model::audit::AuditEvent;
    use referee_model::time::Timestamp;

    use super::*;

    fn state() -> (tempfile::TempDir, State) {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        (outside, state)
    }

    fn line(request: &str) -> AuditLine {
        AuditLine {
            sequence: 0,
            at: Timestamp::from_millisecond(1),
            event: AuditEvent::Begun,
            request: request.to_owned(),
            who: Actor::Token { name: "ci".to_owned() },
            role: Some(Role::Operator),
            method: "POST".to_owned(),
            route: "/logout".to_owned(),
            subject: None,
            status: None,
            omitted: 0,
            previous: None,
        }
    }

    fn log(state: &State) -> PathBuf {
        state.path().join("doors").join(LOG)
    }

    fn fault(state: &State) -> Option<u64> {
        scan(state, &mut drop).unwrap().fault.map(|fault| fault.line)
    }

    #[test]
    fn lines_are_numbered_and_follow_from_one_another() {
        let (_outside, state) = state();
        assert_eq!(scan(&state, &mut drop).unwrap().lines, 0);
        for request in ["a", "b", "c"] {
            append(&state, &line(request)).unwrap();
        }
        let mut lines = Vec::new();
        let found = scan(&state, &mut |line| lines.push(line)).unwrap();
        assert_eq!((found.lines, found.fault), (3, None));
        assert_eq!(lines.iter().map(|line| line.request.as_str()).collect::<String>(), "abc");
        assert_eq!(lines.iter().map(|line| line.sequence).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(lines[0].previous.is_none() && lines[1].previous.is_some());
    }

    #[test]
    fn a_line_that_is_changed_moved_or_removed_is_found() {
        let (_outside, state) = state();
        for request in ["a", "b", "c", "d"] {
            append(&state, &line(request)).unwrap();
        }
        let whole = fs::read_to_string(log(&state)).unwrap();
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let without = |index: usize| [&lines[..index], &lines[index + 1..]].concat().concat();
        for (text, line) in [
            (whole.replace("\"c\"", "\"x\""), 4),
            (without(0), 1),
            (without(1), 2),
            (without(3), 4),
            (lines[..2].concat(), 3),
            (String::new(), 1),
            ([lines[0], lines[2], lines[1], lines[3]].concat(), 2),
            ([lines[0], "junk\n", lines[1], lines[2], lines[3]].concat(), 2),
            (whole.replace("\"d\"", "\"x\""), 4),
            (format!("{whole}{}", lines[3]), 5),
        ] {
            fs::write(log(&state), &text).unwrap();
            assert_eq!(fault(&state), Some(line), "{text}");
        }
        fs::remove_file(log(&state)).unwrap();
        assert_eq!(fault(&state), Some(1));
        // Whoever goes on does not heal it.
        append(&state, &line("e")).unwrap();
        assert!(fault(&state).is_some());
        fs::write(log(&state), &whole).unwrap();
        assert_eq!(fault(&state), None);
    }

    #[test]
    fn half_a_line_of_a_writer_that_died_is_cut_off_by_the_next() {
        let (_outside, state) = state();
        append(&state, &line("a")).unwrap();
        let whole = fs::read_to_string(log(&state)).unwrap();
        fs::write(log(&state), format!("{whole}{{\"audit_version\"")).unwrap();
        assert_eq!(fault(&state), None);
        append(&state, &line("b")).unwrap();
        let found = scan(&state, &mut drop).unwrap();
        assert_eq!((found.lines, found.fault), (2, None));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let (_outside, state) = state();
        append(&state, &line("a")).unwrap();
        let long = "x".repeat(LINE_BYTES);
        assert!(append(&state, &line(&long)).is_err());
        assert_eq!(scan(&state, &mut drop).unwrap().lines, 1);
        fs::remove_file(log(&state)).unwrap();
        fs::create_dir(log(&state)).unwrap();
        assert!(append(&state, &line("b")).is_err() && scan(&state, &mut drop).is_err());
    }
}
