//! That something happened to an incident, whoever did it: this server, a command, or another program.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Most who follow at once.
const FOLLOWERS: usize = 64;

/// The number of the last event that was seen, told to all who follow.
#[derive(Debug)]
pub(crate) struct News {
    head: watch::Sender<u64>,
    places: Arc<Semaphore>,
}

impl Default for News {
    fn default() -> Self {
        Self { head: watch::Sender::new(0), places: Arc::new(Semaphore::new(FOLLOWERS)) }
    }
}

impl News {
    /// Follows. None: too many do.
    pub(crate) fn follow(&self) -> Option<(watch::Receiver<u64>, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some((self.head.subscribe(), place))
    }

    pub(crate) fn is_followed(&self) -> bool {
        self.head.receiver_count() > 0
    }

    /// Returns the number of the last event that was seen.
    pub(crate) fn head(&self) -> u64 {
        *self.head.borrow()
    }

    /// Tells that there is an event of this number.
    pub(crate) fn tell(&self, head: u64) {
        self.head.send_if_modified(|known| std::mem::replace(known, head) != head);
    }
}
