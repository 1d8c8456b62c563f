//! The interface through which a run reports events and asks for decisions.

use referee_model::event::EventKind;
use referee_model::id::ActionId;
use referee_model::plan::Action;
use referee_model::record::SkipReason;
use referee_model::time::Timestamp;

use crate::silence::Silence;

/// Decision on an action that is about to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    GoOn,
    /// The action is skipped, for this reason; later ones are decided separately.
    Skip(SkipReason),
    /// Neither the action nor any later prerequisite or step runs. Cleanup actions are decided separately.
    Stop(SkipReason),
}

/// Follows a run and decides what still runs; through it the judge's decisions reach the run.
pub trait Observer {
    /// Decides on an action that nothing else keeps from running.
    fn due(&mut self, action: &Action) -> Answer;

    /// Receives the events in order. An error stops the run at once, because it must not continue without a record.
    /// Cleanup still runs, but no further events are reported.
    fn happened(&mut self, at: Timestamp, happening: EventKind) -> Result<(), ObserverError>;

    /// Decides after a finished attempt with retries left whether to try again.
    fn again(&mut self, action: &Action, attempt: u32) -> bool;

    /// Called after each finished action where steps run in parallel: returns the first action in plan order that
    /// failed, blocks, and after which no later step runs.
    fn stopped_at(&mut self) -> Option<ActionId>;

    /// Receives once that a command has printed nothing for a minute. This is not an event, and is not stored.
    fn silent(&mut self, silence: &Silence);

    /// Called about ten times a second during a wait.
    fn idle(&mut self);
}

/// Error of storing an event.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ObserverError(Box<dyn std::error::Error + Send + Sync>);

impl ObserverError {
    /// Wraps an error or a text.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}
