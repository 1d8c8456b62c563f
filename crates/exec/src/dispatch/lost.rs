//! Handles a run whose evidence can no longer be stored: nothing more is reported, and nothing is stored.

use referee_model::event::EventKind;
use referee_model::id::ActionId;
use referee_model::plan::{Action, CaptureName};
use referee_model::record::{Log, Stream};
use referee_model::time::Timestamp;

use crate::capture::{Capture, Sink, SinkError};
use crate::observer::{Answer, Observer, ObserverError};
use crate::silence::Silence;

/// The observer of a run, for as long as it can store the events that it receives.
pub(super) struct Audience<'run> {
    observer: &'run mut dyn Observer,
    lost: bool,
}

impl<'run> Audience<'run> {
    pub(super) fn new(observer: &'run mut dyn Observer) -> Self {
        Self { observer, lost: false }
    }

    /// Stops reporting events from here on.
    pub(super) fn lose(&mut self) {
        self.lost = true;
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    pub(super) fn due(&mut self, action: &Action) -> Answer {
        self.observer.due(action)
    }

    /// Reports an event. If the observer cannot store it, nothing is reported from here on.
    pub(super) fn happened(&mut self, at: Timestamp, happening: EventKind) -> Result<(), ObserverError> {
        if self.lost {
            return Ok(());
        }
        let kept = self.observer.happened(at, happening);
        self.lost = kept.is_err();
        kept
    }

    /// Asks the observer whether to retry, unless events are no longer reported: it cannot decide about an
    /// attempt that it does not know.
    pub(super) fn again(&mut self, action: &Action, attempt: u32) -> bool {
        !self.lost && self.observer.again(action, attempt)
    }

    pub(super) fn stopped_at(&mut self) -> Option<ActionId> {
        self.observer.stopped_at()
    }

    pub(super) fn silent(&mut self, silence: &Silence) {
        self.observer.silent(silence);
    }

    pub(super) fn idle(&mut self) {
        self.observer.idle();
    }
}

/// Message where something cannot be described, because it is not stored.
const LOST: &str = "the run is lost, and its output with it";

/// Accepts the output of a run that is no longer stored, and discards it.
pub(super) struct Discarded;

impl Sink for Discarded {
    fn begin(&self, _: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
        Ok(Box::new(Self))
    }

    fn begin_container(&self, _: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
        Ok(Box::new(Self))
    }

    fn picture(&self, _: &Action, _: u32, _: usize, _: &[u8]) -> Result<Log, SinkError> {
        Err(SinkError::new(LOST))
    }

    fn learn(&self, _: &CaptureName, _: &str) -> Result<(), SinkError> {
        Ok(())
    }
}

impl Capture for Discarded {
    fn append(&mut self, _: Stream, _: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        Err(SinkError::new(LOST))
    }
}
