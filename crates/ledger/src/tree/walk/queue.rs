//! Directories that wait for a thread.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::directory::Directory;
use crate::error::LedgerError;

pub(super) struct Queue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

struct Waiting {
    directories: Vec<Arc<Directory>>,
    busy: usize,
    /// Number of threads that wait for a directory. If there are none no thread is notified, which would cost a
    /// system call.
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

    /// Takes a directory; waits while other threads may still find one. None: the walk is finished.
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

    /// Adds the directories that a visit found.
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

    /// Returns why the walk was aborted. None: it was not.
    pub(super) fn failure(&self) -> Option<LedgerError> {
        self.lock().failure.take()
    }
}
