//! The journal: one line for each event, written before anyone is told of the event.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use referee_model::event::{Event, EventKind};
use referee_model::id::Digest;
use referee_model::time::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::contents::{Finished, Written};
use crate::error::LedgerError;
use crate::fault;

/// Actions that finish within this time of one another are brought to disk together, so that a thousand quick ones do not wait
/// a thousand times for it, and a quick run only when it is sealed. The time is that of the events; no clock is read.
const GROUP_MS: u64 = 1_000;

/// The journal of a run that goes on.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    hash: Sha256,
    bytes: u64,
    sequence: u64,
    started: Option<Timestamp>,
    over: bool,
    broken: bool,
    unsynced: bool,
    synced_at: Option<Timestamp>,
}

impl Journal {
    /// Starts on an empty file that is written at its end.
    pub(crate) fn new(file: File, path: PathBuf) -> Self {
        Self {
            file,
            path,
            hash: Sha256::new(),
            bytes: 0,
            sequence: 0,
            started: None,
            over: false,
            broken: false,
            unsynced: false,
            synced_at: None,
        }
    }

    /// Numbers what happened and writes it as one line with one write, so that a reader never sees half a line while
    /// the run lives. After an error nothing can be appended any more: a journal with a gap proves nothing.
    pub(crate) fn append(&mut self, at: Timestamp, happening: EventKind) -> Result<Event, LedgerError> {
        if self.broken {
            return Err(LedgerError::CutShort { path: self.path.clone() });
        }
        let event = Event { sequence: self.sequence + 1, at, happening };
        let mut line = referee_model::event::journal::line(&event);
        line.push('\n');
        let written = self.write(line.as_bytes()).and_then(|()| self.sync_if_due(&event));
        self.broken = written.is_err();
        written.map_err(LedgerError::io("write", &self.path))?;
        self.hash.update(line.as_bytes());
        self.bytes += line.len() as u64;
        self.sequence = event.sequence;
        self.started.get_or_insert(event.at);
        self.over = matches!(event.happening, EventKind::RunFinished { .. });
        Ok(event)
    }

    /// Whether the last event says that the run is over.
    pub(crate) fn is_over(&self) -> bool {
        self.over && !self.broken
    }

    /// Returns the time of the first event.
    pub(crate) fn started(&self) -> Option<Timestamp> {
        self.started
    }

    /// Returns the journal as it will be sealed. It has no stamp: what was appended must be all that is there.
    pub(crate) fn finished(&self) -> Finished {
        let sha256 = Digest::from_bytes(self.hash.clone().finalize().into());
        Finished { written: Written { bytes: self.bytes, sha256 }, stamp: None }
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        fault::point()?;
        let length = loop {
            match self.file.write(line) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => break written?,
            }
        };
        if length == line.len() { Ok(()) } else { Err(io::Error::from(io::ErrorKind::StorageFull)) }
    }

    /// Brings finished actions to disk: at once, or with a later event where the run began or the last sync was only just.
    fn sync_if_due(&mut self, event: &Event) -> io::Result<()> {
        self.unsynced |= matches!(event.happening, EventKind::ActionFinished(_));
        self.synced_at.get_or_insert(event.at);
        let just_now = |synced: Timestamp| synced <= event.at && event.at.milliseconds_since(synced) < GROUP_MS;
        if !self.unsynced || self.synced_at.is_some_and(just_now) {
            return Ok(());
        }
        fault::point()?;
        self.file.sync_data()?;
        fault::landed(&self.file);
        self.unsynced = false;
        self.synced_at = Some(event.at);
        Ok(())
    }
}
