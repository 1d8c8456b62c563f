//! Leases of loops: whoever works at a loop renews its last checkpoint, so that a machine that stands by notices when that
//! machine is gone.

use std::convert::Infallible;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use referee_exec::Cancellation;
use referee_model::agent_checkpoint::AgentLoopId;
use referee_model::id::Digest;

use crate::error::EngineError;
use crate::event_sink::{Note, NoteSink};

/// Time between two renewals.
const RENEWAL: Duration = Duration::from_secs(10);

/// Time between two looks of a machine that stands by.
const LOOK: Duration = Duration::from_secs(2);

/// Longest time until a request to stop is noticed.
const PAUSE: Duration = Duration::from_millis(200);

/// The renewals of a checkpoint. They end when this is dropped.
pub(super) struct Lease {
    _held: Sender<Infallible>,
}

impl Lease {
    /// Renews from time to time, until `renew` returns false.
    ///
    /// # Errors
    /// Fails if no thread can be created.
    pub(super) fn begin(mut renew: impl FnMut() -> bool + Send + 'static) -> Result<Self, EngineError> {
        let (held, released) = mpsc::channel();
        let renewals = move || while released.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) && renew() {};
        thread::Builder::new().name("lease".to_owned()).spawn(renewals).map_err(EngineError::internal)?;
        Ok(Self { _held: held })
    }
}

/// How a machine stands by until the one that works at a loop is gone.
pub struct Standby<'run> {
    /// Time without a renewal after which a machine is gone, in milliseconds.
    pub silence_ms: u64,
    /// Ends the wait.
    pub cancellation: &'run Cancellation,
    /// Receives notes.
    pub notes: NoteSink,
}

impl Standby<'_> {
    /// Waits until the last checkpoint of the loop, which `find` returns, has stayed the same for a while. Only what is seen counts: while the depot
    /// does not answer, the other machine cannot renew it either.
    ///
    /// # Errors
    /// Fails after a request to stop, and if the depot has no checkpoint any more.
    pub(super) fn wait(
        &self,
        of: &AgentLoopId,
        find: &dyn Fn() -> Result<Option<String>, EngineError>,
    ) -> Result<(), EngineError> {
        let silence = Duration::from_millis(self.silence_ms);
        let seconds = silence.as_secs();
        self.tell(format!("standing by: {of} is taken over when it is silent for {seconds} s elsewhere"));
        let (mut seen, mut is_away): (Option<(Digest, Instant)>, bool) = (None, false);
        loop {
            match find() {
                Ok(None) => return Err(EngineError::refused(format!("the depot has no checkpoint of {of} any more"))),
                Ok(Some(checkpoint)) => {
                    let digest = Digest::of(checkpoint);
                    let since = seen.filter(|(last, _)| *last == digest).map_or_else(Instant::now, |(_, since)| since);
                    if silence <= since.elapsed() {
                        return Ok(());
                    }
                    (seen, is_away) = (Some((digest, since)), false);
                }
                Err(error) => {
                    if !is_away {
                        self.tell(format!("still standing by: {}", error.message));
                    }
                    (seen, is_away) = (None, true);
                }
            }
            self.pause()?;
        }
    }

    fn pause(&self) -> Result<(), EngineError> {
        let began = Instant::now();
        while began.elapsed() < LOOK {
            if self.cancellation.level() > 0 {
                return Err(EngineError::refused("interrupted: nothing was taken over".to_owned()));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn tell(&self, text: String) {
        (self.notes)(&Note::Text(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_is_dropped_is_not_renewed_any_more() {
        let (told, renewed) = mpsc::channel();
        let lease = Lease::begin(move || told.send(()).is_ok()).unwrap();
        drop(lease);
        // The thread ends, and with it the sender.
        assert_eq!(renewed.recv(), Err(mpsc::RecvError));
    }
}
