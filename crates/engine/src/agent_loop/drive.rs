//! The agent loop: the order of its steps, and where an interrupted loop resumes.

use super::AgentRunner;

/// The next step of a loop, computed from the stored state so that an interrupted loop resumes where it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Run a turn of the agent, or what the turn needs first.
    Turn,
    /// The loop was interrupted during a turn: count the turn as finished and check what it left.
    CutOff,
    /// Inspect what the turn left, run the checks and decide.
    Checks,
    /// No turn follows: complete what was decided last.
    Close,
}

/// A repair loop. The implementation defines what its steps record, whom they notify and how it ends.
pub(crate) trait RepairLoop {
    type End;
    type Error;

    fn runner(&self) -> &AgentRunner<'_>;
    fn next(&self) -> Step;

    /// Performs a step. Returns `None` if the loop continues.
    fn take(&mut self, step: Step) -> Result<Option<Self::End>, Self::Error>;

    /// Ends the loop after a request to stop.
    fn interrupted(&mut self) -> Result<Self::End, Self::Error>;
}

/// Drives a loop until it is decided or canceled.
pub(crate) fn drive<Loop: RepairLoop>(work: &mut Loop) -> Result<Loop::End, Loop::Error> {
    loop {
        let step = work.next();
        if step != Step::Close && work.runner().is_canceled() {
            return work.interrupted();
        }
        if let Some(end) = work.take(step)? {
            return Ok(end);
        }
    }
}
