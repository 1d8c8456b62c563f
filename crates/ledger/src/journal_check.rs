//! Checks a stored journal: which run wrote it, when it started, and whether it is complete.

use std::io::{self, BufRead, BufReader, Read};

use referee_model::event::journal::{self, JournalLine};
use referee_model::evidence_name;
use referee_model::id::ExecutionId;
use referee_model::seal::Seal;
use referee_model::time::Timestamp;

use crate::directory::Directory;

/// Longest line that is read, in bytes: far longer than any event, short enough for memory.
const LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Event names of a run's first and last line.
const STARTED: &str = "run-started";
const FINISHED: &str = "run-finished";

#[derive(Debug, Default)]
pub(crate) struct Beginning {
    pub(crate) execution: Option<ExecutionId>,
    pub(crate) started: Option<Timestamp>,
}

/// Reads the run and its start from the first line of a directory's journal. Both are None if the journal is
/// missing, empty or malformed.
pub(crate) fn beginning(directory: &Directory) -> Beginning {
    let first = || {
        let file = directory.open_file(evidence_name::JOURNAL).ok()?;
        let line = next_line(&mut BufReader::new(file)).ok()??;
        journal::read_line(&line).ok().filter(|line| line.kind == STARTED)
    };
    match first() {
        Some(line) => Beginning { execution: line.execution, started: Some(line.at) },
        None => Beginning::default(),
    }
}

/// Returns what is wrong with a directory's journal, if anything is: its events must be numbered from 1 without
/// a gap, begin with the start of the sealed run and finish with its end.
pub(crate) fn broken(directory: &Directory, seal: Option<&Seal>) -> Option<String> {
    let file = match directory.find_file(evidence_name::JOURNAL) {
        Ok(Some(file)) => file,
        Ok(None) => return Some("file not found".to_owned()),
        Err(error) => return Some(error.to_string()),
    };
    let mut reader = BufReader::new(file);
    let mut order = JournalState::default();
    loop {
        let taken = match next_line(&mut reader) {
            Ok(Some(line)) => order.take(&line),
            Ok(None) => return order.end(seal).err(),
            Err(error) => Err(format!("line {}: {error}", order.lines + 1)),
        };
        if let Err(problem) = taken {
            return Some(problem);
        }
    }
}

/// State of the journal after the lines read so far.
#[derive(Debug, Default)]
struct JournalState {
    lines: u64,
    execution: Option<ExecutionId>,
    finished: bool,
}

impl JournalState {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let number = self.lines + 1;
        let line: JournalLine = journal::read_line(line).map_err(|error| format!("line {number}: {error}"))?;
        if line.sequence != number {
            return Err(format!("line {number} is not event {number}: events are missing or out of order"));
        }
        if self.finished {
            return Err(format!("event {number} comes after the end of the run"));
        }
        if number == 1 && line.kind == STARTED {
            self.execution = line.execution;
        }
        self.finished = line.kind == FINISHED;
        self.lines = number;
        Ok(())
    }

    fn end(self, seal: Option<&Seal>) -> Result<(), String> {
        if !self.finished {
            return Err("it does not end with the end of the run".to_owned());
        }
        match (self.execution, seal) {
            (None, _) => Err("it does not begin with the start of a run".to_owned()),
            (Some(run), Some(seal)) if run != seal.execution_id => {
                Err(format!("it belongs to {run}, the seal to {}", seal.execution_id))
            }
            (Some(_), _) => Ok(()),
        }
    }
}

/// Reads one line without its line break. A truncated last line is an error. None: the end of the journal.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    reader.by_ref().take(LINE_BYTES).read_line(&mut line)?;
    match line.pop() {
        None => Ok(None),
        Some('\n') => Ok(Some(line)),
        Some(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "the line is cut off, or far too long")),
    }
}
