//! The journal: one line for each event, written before any observer receives the event.

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

/// Actions that finish within this many milliseconds of one another are synced together, so that a thousand
/// quick ones do not wait a thousand times for the disk, and a quick run waits only when it is sealed. Measured
/// by the times of the events; no clock is read.
const GROUP_MS: u64 = 1_000;

/// The journal of a run in progress.
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
    /// Creates a journal that appends to an empty file.
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

    /// Numbers an event and appends it as one line with a single write, so that a reader never sees a partial
    /// line while the run lives. After an error nothing can be appended any more: a journal with a gap proves
    /// nothing.
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

    /// Returns whether the last event finished the run.
    pub(crate) fn is_over(&self) -> bool {
        self.over && !self.broken
    }

    /// Returns the time of the first event.
    pub(crate) fn started(&self) -> Option<Timestamp> {
        self.started
    }

    /// Returns the journal's size and digest for the seal. It has no stamp, so its content is always verified
    /// by hash.
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

    /// Syncs finished actions: at once, or with a later event if the run began, or was last synced, less than
    /// [`GROUP_MS`] ago.
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
