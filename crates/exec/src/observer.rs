//! Whom the run tells, and asks.

use referee_model::event::EventKind;
use referee_model::id::ActionId;
use referee_model::plan::Action;
use referee_model::record::SkipReason;
use referee_model::time::Timestamp;

use crate::silence::Silence;

/// What is to become of an action that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    GoOn,
    /// It does not run, and this is why; later ones are asked about.
    Skip(SkipReason),
    /// Neither it nor any later prerequisite or step runs. Cleanup is asked about all the same.
    Stop(SkipReason),
}

/// Follows a run and decides what still runs. The seam through which the judge's word reaches the run.
pub trait Observer {
    /// Is asked before each action that nothing else forbids.
    fn due(&mut self, action: &Action) -> Answer;

    /// Is told what happened, in order. An error stops the run at once: what cannot be kept must not go on. Cleanup still
    /// runs, but nothing more is told.
    fn happened(&mut self, at: Timestamp, happening: EventKind) -> Result<(), ObserverError>;

    /// Is asked after each attempt that is over and has retries left: whether to try again.
    fn again(&mut self, action: &Action, attempt: u32) -> bool;

    /// Is asked after each action that is over, where steps run at once: the first in plan order that failed, blocks, and
    /// after which no later step runs.
    fn stopped_at(&mut self) -> Option<ActionId>;

    /// Is told once of a command that prints nothing for a minute. It is no event: nothing is kept of it.
    fn silent(&mut self, silence: &Silence);

    /// Is called about ten times a second while something is waited for.
    fn idle(&mut self);
}

/// Why what happened could not be kept.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ObserverError(Box<dyn std::error::Error + Send + Sync>);

impl ObserverError {
    /// Wraps an error, or a text.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}
