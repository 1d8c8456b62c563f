//! Notification of new incident events, whether caused by this server, a command, or another program.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Maximum number of simultaneous followers.
const FOLLOWERS: usize = 64;

/// Publishes the number of the last known event to all followers.
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
    /// Subscribes. `None`: there are too many followers.
    pub(crate) fn follow(&self) -> Option<(watch::Receiver<u64>, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some((self.head.subscribe(), place))
    }

    pub(crate) fn is_followed(&self) -> bool {
        self.head.receiver_count() > 0
    }

    /// Returns the number of the last known event.
    pub(crate) fn head(&self) -> u64 {
        *self.head.borrow()
    }

    /// Announces the number of the last event.
    pub(crate) fn tell(&self, head: u64) {
        self.head.send_if_modified(|known| std::mem::replace(known, head) != head);
    }
}
