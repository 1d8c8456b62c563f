//! What follows after a turn of a loop of repairs (ruling 24): the one decision for runs of agents and for loops of incidents.
//! The counters are those of [`crate::loop_guard`]; what differs between loops is in the budget that they are given.

use referee_model::gate::{GateAnswer, GateTask};
use referee_model::loop_guard::{LoopBudget, LoopDecision, LoopLimit, LoopState};
use referee_model::progress::Snapshot;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};

use crate::{loop_guard, progress};

#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    pub answer: &'a GateAnswer,
    /// Whether no other turn may follow, whatever the budget has left.
    pub is_last: bool,
    /// When its work began, and when its checks were over.
    pub span: (Timestamp, Timestamp),
}

/// What was decided, and where the loop stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub decision: TurnDecision,
    /// The counters, as they go on.
    pub state: LoopState,
    /// Turns of this plan, this one included.
    pub loops_used: u32,
    /// Turns in a row with the same first failure, this one included; 0 after a pass.
    pub same_error_repeats: u32,
    /// Turns in a row without progress, this one included; 0 after a pass.
    pub no_progress_streak: u32,
}

impl Decided {
    /// A pass that was no turn: what was never red is not turned green.
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

/// What follows after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnDecision {
    Passed,
    Continue,
    /// The last turns brought nothing: another plan is needed.
    Replan,
    /// It is left to a person; never a pass.
    Escalate(Leaving),
}

/// Why a loop is left to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// What protects the checks was changed, or the specification is wrong: the agent may not touch it, so no turn of the agent
    /// can be trusted to fix it.
    Specification,
    Turns,
    /// A limit of ruling 24.
    Limit(LoopLimit),
}

impl Leaving {
    /// Returns it as warnings and messages name it.
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

/// Decides what follows after a turn, and counts it.
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
    // The guard begins the counters anew where another plan follows; what is told are those of this turn.
    let told = progress::after(&state.progress, snapshot.clone());
    let (next, decision) = loop_guard::after(state, budget, snapshot, turn.span);
    let decision = match decision {
        _ if passed => TurnDecision::Passed,
        _ if turn.answer.exit == Exit::Specification => TurnDecision::Escalate(Leaving::Specification),
        LoopDecision::Escalate(limit) => TurnDecision::Escalate(Leaving::Limit(limit)),
        _ if turn.is_last => TurnDecision::Escalate(Leaving::Turns),
        LoopDecision::Replan => TurnDecision::Replan,
        // A pass was told above; one that only looks like it is none.
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

/// Whether the checks passed. An answer without a task is no pass, whatever it says of itself.
pub fn is_pass(answer: &GateAnswer) -> bool {
    answer.decision == Decision::Pass && answer.exit == Exit::Passed && !answer.tasks.is_empty()
}

/// Says whether what one plan may spend is spent before another turn begins, as when less is allowed than before.
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

/// Takes the snapshots of all tasks together: the first failure is that of the first task that did not pass, and how far it
/// came counts the actions of the tasks before.
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
