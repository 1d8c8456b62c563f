//! What is left of a run that is lost: nobody is told of it, and nothing is kept.

use referee_model::event::EventKind;
use referee_model::id::ActionId;
use referee_model::plan::{Action, CaptureName};
use referee_model::record::{Log, Stream};
use referee_model::time::Timestamp;

use crate::capture::{Capture, Sink, SinkError};
use crate::observer::{Answer, Observer, ObserverError};
use crate::silence::Silence;

/// The observer of a run, as long as it can keep what it is told.
pub(super) struct Audience<'run> {
    observer: &'run mut dyn Observer,
    lost: bool,
}

impl<'run> Audience<'run> {
    pub(super) fn new(observer: &'run mut dyn Observer) -> Self {
        Self { observer, lost: false }
    }

    /// From here on nothing is told.
    pub(super) fn lose(&mut self) {
        self.lost = true;
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    pub(super) fn due(&mut self, action: &Action) -> Answer {
        self.observer.due(action)
    }

    /// Tells what happened. Where that cannot be kept, nothing is told from here on.
    pub(super) fn happened(&mut self, at: Timestamp, happening: EventKind) -> Result<(), ObserverError> {
        if self.lost {
            return Ok(());
        }
        let kept = self.observer.happened(at, happening);
        self.lost = kept.is_err();
        kept
    }

    /// What was not told cannot be asked about.
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

/// Takes the output of a run that is lost, and keeps none.
pub(super) struct Discarded;

impl Sink for Discarded {
    fn begin(&self, _: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
        Ok(Box::new(Self))
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
        Err(SinkError::new("the run is lost, and its output with it"))
    }
}
