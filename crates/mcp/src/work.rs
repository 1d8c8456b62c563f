//! Runs that this server started. They share one workspace, so only one runs at a time.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use referee_engine::incident::Cancellation;

use crate::answer::Refusal;
use crate::stop;

/// Signal number that a run is asked to stop with: SIGTERM.
const STOP: i32 = 15;

/// Time for a run to end: its processes are asked to stop, and then killed, and the evidence is sealed.
const GRACE: Duration = Duration::from_mins(2);

/// The run of a server, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Work {
    turn: Arc<tokio::sync::Mutex<()>>,
    current: Mutex<Option<Cancellation>>,
    is_closed: AtomicBool,
}

/// Asks a run to stop when nobody waits for it any more. After its end that has no effect.
struct Waiter<'work>(&'work Work, Cancellation);

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.stop(&self.1);
    }
}

impl Work {
    /// Waits for the turn, and does an operation in a thread of its own. It is asked to stop if the request is cancelled
    /// or abandoned.
    pub(crate) async fn perform<T: Send + 'static>(
        &self,
        cancelled: impl Future<Output = ()>,
        operation: impl FnOnce(&Cancellation) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let mut cancelled = pin!(cancelled);
        let turn = tokio::select! {
            biased;
            () = &mut cancelled => return Err(Refusal::new("the request was cancelled before its turn came")),
            turn = Arc::clone(&self.turn).lock_owned() => turn,
        };
        let cancellation = Cancellation::new().map_err(Refusal::internal)?;
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancellation.clone());
        // Looked at after the run can be stopped: whoever closes does it the other way round.
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(Refusal::new("the server is about to end"));
        }
        let waiter = Waiter(self, cancellation.clone());
        let mut done = tokio::task::spawn_blocking(move || {
            let done = operation(&cancellation);
            // The turn is held until the end, even if the client has gone away.
            drop(turn);
            done
        });
        let done = tokio::select! {
            done = &mut done => done,
            () = &mut cancelled => {
                self.stop(&waiter.1);
                done.await
            }
        };
        done.map_err(Refusal::internal)
    }

    /// Asks a run to stop, once: a second request would give it no time for its evidence.
    fn stop(&self, cancellation: &Cancellation) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if cancellation.requests().is_empty() {
            cancellation.request(STOP);
        }
        drop(current);
    }

    /// Stops the run, and waits for its end. A second request to stop the server gives the run no more time.
    ///
    /// # Errors
    /// Fails if the run does not end in time.
    pub(crate) async fn close(&self, signals: &Cancellation) -> io::Result<()> {
        self.is_closed.store(true, Ordering::SeqCst);
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(current) = &current {
            self.stop(current);
        }
        let over = tokio::time::timeout(GRACE, self.turn.lock());
        let mut over = pin!(over);
        let ended = tokio::select! {
            ended = &mut over => ended,
            () = stop::requested(signals, 2) => {
                if let Some(current) = &current {
                    current.request(STOP);
                }
                over.await
            }
        };
        ended.map(drop).map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "a run would not end"))
    }
}
