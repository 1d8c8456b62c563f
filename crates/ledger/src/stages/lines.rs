//! Parses the lines of a log, each of which continues the one before.

use referee_model::limit;
use referee_model::stage::log::{self, StageChange, StageLogLine};
use referee_model::stage::log_end::LogEnd;

use crate::error::LedgerError;
use crate::log_end::{after, link, nothing};

#[derive(Debug)]
pub(super) struct Chain {
    /// The lines, up to the first that does not continue the chain.
    pub(super) lines: Vec<StageLogLine>,
    pub(super) end: LogEnd,
    /// What is wrong with the rest of the log. None: the log is not empty, and all of it is valid.
    pub(super) broken: Option<String>,
}

pub(super) fn chain(bytes: &[u8]) -> Chain {
    let mut chain = Chain { lines: Vec::new(), end: nothing(), broken: None };
    let mut rest = bytes;
    while !rest.is_empty() {
        let number = chain.lines.len() + 1;
        let Some(length) = rest.iter().position(|byte| *byte == b'\n') else {
            chain.broken = Some(format!("line {number} has no end"));
            return chain;
        };
        let (text, after_it) = rest.split_at(length);
        match follows(&chain, text) {
            Ok(line) => chain.lines.push(line),
            Err(problem) => {
                chain.broken = Some(format!("line {number} {problem}"));
                return chain;
            }
        }
        chain.end = after(chain.end, text);
        rest = after_it.get(1..).unwrap_or_default();
    }
    if chain.lines.is_empty() {
        chain.broken = Some("it is empty".to_owned());
    }
    chain
}

fn follows(chain: &Chain, text: &[u8]) -> Result<StageLogLine, String> {
    if chain.lines.len() >= limit::STAGE_LOG_LINES {
        return Err(format!("is one more than the {} that a log has", limit::STAGE_LOG_LINES));
    }
    let line = log::read(text).map_err(|error| format!("cannot be read: {error}"))?;
    if line.previous != link(chain.end) || line.sequence != chain.end.lines + 1 {
        return Err("does not follow from the one before".to_owned());
    }
    if chain.lines.first().is_some_and(|first| first.run_id != line.run_id) {
        return Err("is about another run".to_owned());
    }
    Ok(line)
}

/// Checks that a log with this end has room for the line. Lines that only record a validation of outputs are
/// refused earlier than the lines that a stage needs to finish, so that validating cannot keep a stage from
/// finishing.
///
/// # Errors
/// Fails if there is no room.
pub(super) fn room(path: &std::path::Path, next: LogEnd, operation: &StageChange) -> Result<(), LedgerError> {
    let (lines, bytes) = (limit::STAGE_LOG_LINES as u64, limit::STAGE_LOG_BYTES);
    let (lines, bytes) = match operation {
        StageChange::Validated { .. } => (lines / 10 * 9, bytes / 10 * 9),
        _ => (lines, bytes),
    };
    if next.lines <= lines && next.bytes <= bytes {
        return Ok(());
    }
    Err(LedgerError::Unusable {
        path: path.join(log::LOG),
        reason: format!("it is full ({lines} lines, {bytes} bytes at most): compose another run"),
    })
}

#[cfg(test)]
mod tests {
    use referee_model::id::Digest;
    use referee_model::stage::id::StageRunId;
    use referee_model::time::Timestamp;

    use super::*;

    fn line(chain: &Chain, run: u32) -> Vec<u8> {
        let line = StageLogLine {
            sequence: chain.end.lines + 1,
            at: Timestamp::from_millisecond(0),
            run_id: StageRunId::new("2026-11-22", run).unwrap(),
            stage_id: None,
            attempt: 0,
            by: "test".to_owned(),
            operation: StageChange::Adopted,
            previous: chain.lines.last().map(|_| chain.end.digest),
        };
        log::line(&line).unwrap()
    }

    fn log_of(lines: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..lines {
            bytes.extend(line(&chain(&bytes), 1));
            bytes.push(b'\n');
        }
        bytes
    }

    #[test]
    fn a_log_is_read_to_the_first_line_that_does_not_follow() {
        let whole = log_of(3);
        let read = chain(&whole);
        assert_eq!((read.lines.len(), read.end.bytes, read.broken), (3, whole.len() as u64, None));
        let ends: Vec<usize> =
            whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1).collect();
        for cut in 0..whole.len() {
            let read = chain(whole.get(..cut).unwrap());
            let whole_lines = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(read.lines.len(), whole_lines, "{cut}");
            assert_eq!(read.broken.is_none(), ends.contains(&cut), "{cut}");
        }
        // The second line left out, an empty line between, a line break of another system, a line of another
        // run.
        let (first, second) = (whole.get(..ends[0]).unwrap(), whole.get(ends[0]..ends[1]).unwrap());
        let third = whole.get(ends[1]..).unwrap();
        let foreign = [&line(&chain(first), 2), b"\n".as_slice()].concat();
        for (bad, lines) in [
            ([first, third].concat(), 1),
            ([second, third].concat(), 0),
            ([first, b"\n", second].concat(), 1),
            ([first, second.trim_ascii_end(), b"\r\n", third].concat(), 2),
            ([first, foreign.as_slice()].concat(), 1),
            ([first, first].concat(), 1),
        ] {
            let read = chain(&bad);
            assert_eq!(read.lines.len(), lines, "{}", String::from_utf8_lossy(&bad));
            assert!(read.broken.is_some());
        }
    }

    #[test]
    fn looks_at_outputs_leave_room_for_what_ends_a_stage() {
        let path = std::path::Path::new("/run");
        let looked = StageChange::Validated { passed: true, outputs: std::collections::BTreeMap::new(), verdict: None };
        let at = |lines: usize, bytes: u64| LogEnd { lines: lines as u64, bytes, digest: Digest::of(b"") };
        let most = limit::STAGE_LOG_LINES;
        assert!(room(path, at(most, 1), &StageChange::Adopted).is_ok());
        assert!(room(path, at(most + 1, 1), &StageChange::Adopted).is_err());
        assert!(room(path, at(1, limit::STAGE_LOG_BYTES + 1), &StageChange::Adopted).is_err());
        assert!(room(path, at(most / 10 * 9, 1), &looked).is_ok());
        assert!(room(path, at(most / 10 * 9 + 1, 1), &looked).is_err());
    }
}
