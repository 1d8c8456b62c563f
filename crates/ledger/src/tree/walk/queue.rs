//! Directories that wait for a thread.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::directory::Directory;
use crate::error::LedgerError;

/// Directories that wait for a thread.
pub(super) struct Queue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

struct Waiting {
    directories: Vec<Arc<Directory>>,
    busy: usize,
    /// Threads that wait for one. Where there are none nobody is woken, which would cost a call of the system.
    idle: usize,
    failure: Option<LedgerError>,
}

impl Queue {
    pub(super) fn new(directories: Vec<Arc<Directory>>) -> Self {
        let state = Mutex::new(Waiting { directories, busy: 0, idle: 0, failure: None });
        Self { state, changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a directory; waits while others may still find one. None: there is nothing more to do.
    pub(super) fn next(&self) -> Option<Arc<Directory>> {
        let mut waiting = self.lock();
        loop {
            if waiting.failure.is_some() {
                return None;
            }
            if let Some(directory) = waiting.directories.pop() {
                waiting.busy += 1;
                return Some(directory);
            }
            if waiting.busy == 0 {
                return None;
            }
            waiting.idle += 1;
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            waiting.idle -= 1;
        }
    }

    /// Gives back what a visit found.
    pub(super) fn done(&self, found: &mut Vec<Arc<Directory>>, failure: Option<LedgerError>) {
        let mut waiting = self.lock();
        waiting.directories.append(found);
        waiting.busy -= 1;
        if waiting.failure.is_none() {
            waiting.failure = failure;
        }
        if waiting.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// Why the walk was given up. None: it was not.
    pub(super) fn failure(&self) -> Option<LedgerError> {
        self.lock().failure.take()
    }
}
