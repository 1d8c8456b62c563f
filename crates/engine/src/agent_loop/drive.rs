//! The loop itself: which step follows which, and where one that was cut off goes on.

use super::AgentRunner;

/// What is to be done next. Told from what is kept, so that a loop that was cut off goes on where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A turn of the agent, or what it needs first.
    Turn,
    /// The agent was at work when the loop was cut off: that was its turn, whatever it did is checked.
    CutOff,
    /// What the turn left is looked at, checked, and decided.
    Checks,
    /// No turn follows: what was decided last is brought to its end.
    Close,
}

/// A loop of repairs. What its steps write down, whom they tell, and how it ends is its own.
pub(crate) trait RepairLoop {
    type End;
    type Error;

    fn runner(&self) -> &AgentRunner<'_>;
    fn next(&self) -> Step;

    /// Takes a step. None: the loop goes on.
    fn take(&mut self, step: Step) -> Result<Option<Self::End>, Self::Error>;

    /// Somebody asked it to stop.
    fn interrupted(&mut self) -> Result<Self::End, Self::Error>;
}

/// Drives a loop until it is decided, or somebody asks it to stop.
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
