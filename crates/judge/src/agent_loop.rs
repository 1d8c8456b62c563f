//! Decides what follows a turn of a repair loop (ruling 24), for runs of agents and for loops of incidents
//! alike. The counters are those of [`crate::loop_guard`]; loops differ only in the budget that they are given.

use referee_model::gate::{GateAnswer, GateTask};
use referee_model::loop_guard::{LoopBudget, LoopDecision, LoopLimit, LoopState};
use referee_model::progress::Snapshot;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};

use crate::{loop_guard, progress};

#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    pub answer: &'a GateAnswer,
    /// Whether this was the last turn allowed, whatever is left of the budget.
    pub is_last: bool,
    /// Start of its work, and end of its checks.
    pub span: (Timestamp, Timestamp),
}

/// Decision after a turn, with the state of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub decision: TurnDecision,
    /// Counters to continue with.
    pub state: LoopState,
    /// Number of turns of this plan, this one included.
    pub loops_used: u32,
    /// Consecutive turns with the same first failure, this one included; 0 after a pass.
    pub same_error_repeats: u32,
    /// Consecutive turns without progress, this one included; 0 after a pass.
    pub no_progress_streak: u32,
}

impl Decided {
    /// Returns the decision for a pass without a turn: checks that never failed cannot have been fixed.
    pub fn of_no_turn(state: &LoopState) -> Self {
        Self {
            decision: TurnDecision::Passed,
            state: state.clone(),
            loops_used: state.loops,
            same_error_repeats: 0,
            no_progress_streak: 0,
        }
    }
}

/// Decision after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnDecision {
    Passed,
    Continue,
    /// The last turns made no progress: another plan is needed.
    Replan,
    /// The loop stops and a person takes over; never a pass.
    Escalate(Leaving),
}

/// Reason why a loop is left to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// The protection of the checks was changed, or the specification is wrong. The agent must not touch
    /// either, so no further turn can fix it.
    Specification,
    Turns,
    /// A limit of ruling 24 is reached.
    Limit(LoopLimit),
}

impl Leaving {
    /// Returns the reason as warnings and messages print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Specification => "specification",
            Self::Turns => "max_iterations",
            Self::Limit(limit) => limit.as_str(),
        }
    }

    pub fn sentence(self) -> &'static str {
        match self {
            Self::Specification => {
                "the specification is wrong, or what is protected was changed: that is a person's to fix"
            }
            Self::Turns => "all turns were taken",
            Self::Limit(LoopLimit::SameError) => "the same first failure came again and again",
            Self::Limit(LoopLimit::NoProgress) => "turn after turn nothing got better, also after another plan",
            Self::Limit(LoopLimit::Loops) => "as many turns were taken as one plan may have",
            Self::Limit(LoopLimit::Duration) => "the time was up",
        }
    }
}

/// Decides what follows a turn, and counts the turn.
///
/// | in this order                                           | what follows     |
/// |---------------------------------------------------------|------------------|
/// | the checks passed                                       | passed           |
/// | drift, or a wrong specification (exit 3)                | left to a person |
/// | a limit of ruling 24 is reached ([`loop_guard::after`]) | left to a person |
/// | it was the last turn that may be taken                  | left to a person |
/// | ruling 24 asks for another plan                         | another plan     |
/// | any other                                               | another turn     |
pub fn after(state: &LoopState, budget: &LoopBudget, turn: &Turn<'_>) -> Decided {
    let passed = is_pass(turn.answer);
    let snapshot = Snapshot { passed, ..snapshot(turn.answer) };
    // The guard resets the counters for another plan; the reported ones are those of this turn.
    let told = progress::after(&state.progress, snapshot.clone());
    let (next, decision) = loop_guard::after(state, budget, snapshot, turn.span);
    let decision = match decision {
        _ if passed => TurnDecision::Passed,
        _ if turn.answer.exit == Exit::Specification => TurnDecision::Escalate(Leaving::Specification),
        LoopDecision::Escalate(limit) => TurnDecision::Escalate(Leaving::Limit(limit)),
        _ if turn.is_last => TurnDecision::Escalate(Leaving::Turns),
        LoopDecision::Replan => TurnDecision::Replan,
        // Passes are handled above; what only looks like a pass is not one.
        LoopDecision::Continue | LoopDecision::Passed => TurnDecision::Continue,
    };
    Decided {
        decision,
        state: next,
        loops_used: state.loops.saturating_add(1),
        same_error_repeats: told.same_error_repeats,
        no_progress_streak: told.no_progress_streak,
    }
}

/// Returns whether the checks passed. An answer without a task is never a pass.
pub fn is_pass(answer: &GateAnswer) -> bool {
    answer.decision == Decision::Pass && answer.exit == Exit::Passed && !answer.tasks.is_empty()
}

/// Returns the limit that is reached before the next turn, for example because the budget was lowered.
pub fn spent(state: &LoopState, budget: &LoopBudget, now: Timestamp) -> Option<Leaving> {
    let is_over = |began: Timestamp| now.milliseconds_since(began) >= budget.duration_ms;
    if state.loops >= budget.loops {
        Some(Leaving::Limit(LoopLimit::Loops))
    } else if state.began.is_some_and(is_over) {
        Some(Leaving::Limit(LoopLimit::Duration))
    } else {
        None
    }
}

/// Combines the snapshots of all tasks: the first failure is that of the first task that did not pass, and
/// progress also counts the actions of the tasks before it.
fn snapshot(answer: &GateAnswer) -> Snapshot {
    let failed = |task: &&GateTask| task.decision != Decision::Pass;
    let first = answer.tasks.iter().position(|task| failed(&task));
    let until = first.map_or(answer.tasks.len(), |first| first + 1);
    let reached = answer.tasks.iter().take(until).fold(0, |sum: usize, task| sum.saturating_add(task.snapshot.reached));
    Snapshot {
        passed: answer.decision == Decision::Pass,
        first_failure: answer.tasks.iter().find(failed).and_then(|task| task.snapshot.first_failure),
        failures: answer.tasks.iter().flat_map(|task| task.snapshot.failures.iter().copied()).collect(),
        reached,
    }
}

#[cfg(test)]
mod tests;
