//! The incidents as they were last read, for a server that lists them many times a second.
//!
//! What Referee changes is seen at once: every change is a line in the event log and an entry in the journal. Files
//! that another program changes in place are seen within [`AGE_MAX`]: every list that is older is read again by one
//! of those who ask, while the others get the old one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::events::Events;
use super::incident_dir::IncidentDir;
use super::incident_root::IncidentRoot;
use super::index;
use super::journal::JOURNAL;
use super::scan::{self, Everything};
use crate::contents::Stamp;
use crate::error::LedgerError;

/// Maximum age of a list whose directories have not changed.
const AGE_MAX: Duration = Duration::from_secs(1);

/// The incidents of one root, kept in memory.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    kept: Mutex<Option<Kept>>,
    /// Held by whoever reads the directories.
    reading: Mutex<()>,
}

#[derive(Debug, Clone)]
struct Kept {
    everything: Arc<Everything>,
    stamps: Stamps,
    read_at: Instant,
}

/// State of the inbox, the archive, the journal and the event log. None: there is no such entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamps(Vec<Option<Stamp>>);

impl Stamps {
    fn of(ground: &IncidentRoot) -> Result<Self, LedgerError> {
        let mut stamps = vec![match Events::of(ground).open()? {
            Some(file) => Some(Stamp::of(&file).map_err(LedgerError::io("look at", ground.root()))?),
            None => None,
        }];
        for names in IncidentDir::ALL.map(IncidentDir::directories).into_iter().chain([&[JOURNAL][..]]) {
            stamps.push(ground.descend(names)?.map(|directory| directory.stamp()).transpose()?);
        }
        Ok(Self(stamps))
    }
}

impl Catalog {
    /// Returns all incidents, from memory where nothing has changed.
    ///
    /// # Errors
    /// Fails if they must be read, and cannot be.
    pub(super) fn everything(&self, ground: &IncidentRoot) -> Result<Arc<Everything>, LedgerError> {
        let current = |stamps: &Stamps| locked(&self.kept).clone().filter(|kept| kept.stamps == *stamps);
        let stamps = Stamps::of(ground)?;
        let _reading = match current(&stamps) {
            Some(kept) if kept.read_at.elapsed() < AGE_MAX => return Ok(kept.everything),
            Some(kept) => match self.reading.try_lock() {
                Ok(reading) => reading,
                Err(_) => return Ok(kept.everything),
            },
            None => locked(&self.reading),
        };
        // Another request may have read them meanwhile. The stamps are older than what is read, never newer.
        let (stamps, read_at) = (Stamps::of(ground)?, Instant::now());
        if let Some(kept) = current(&stamps).filter(|kept| kept.read_at.elapsed() < AGE_MAX) {
            return Ok(kept.everything);
        }
        let before = locked(&self.kept).as_ref().map(|kept| Arc::clone(&kept.everything));
        let everything = Arc::new(in_a_thread_of_its_own(|| match &before {
            Some(before) => scan::read_all(ground, &before.rows),
            None => scan::read_all(ground, &index::load(ground)),
        })?);
        *locked(&self.kept) = Some(Kept { everything: Arc::clone(&everything), stamps, read_at });
        Ok(everything)
    }
}

/// Reads in a new thread. The allocator keeps memory for each thread, and gives that of a thread that has ended to the next
/// one; if each of a server's threads read, each would hold the memory of a whole reading.
fn in_a_thread_of_its_own<T: Send>(read: impl Fn() -> T + Sync) -> T {
    let other = thread::scope(|scope| {
        thread::Builder::new().spawn_scoped(scope, &read).ok().map(thread::ScopedJoinHandle::join)
    });
    match other {
        Some(Ok(read)) => read,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        None => read(),
    }
}

/// A list is replaced whole, so one that a panic left behind is whole too.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
