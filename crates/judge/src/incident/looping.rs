//! What is decided after a turn of an incident's loop (ruling 24). The counters are those of every loop of repairs
//! ([`crate::loop_guard`]); what is different here is what the caller may choose.

use referee_model::gate::GateAnswer;
use referee_model::loop_guard::{LoopBudget, LoopDecision, LoopLimit, LoopState};
use referee_model::progress::Snapshot;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};

use crate::repair::{self, Leaving};
use crate::{loop_guard, progress};

/// What the caller chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choices {
    /// What one plan may spend.
    pub budget: LoopBudget,
    /// Whether another plan may be asked for. Without one only repeats, turns and time end the loop.
    pub auto_replan: bool,
    /// Whether one turn is taken, and no more.
    pub single_iteration: bool,
}

/// What was decided, and where the loop stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What was decided.
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

/// What follows after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnDecision {
    /// The checks passed, and one of them was red for the incident before.
    Resolved,
    /// The checks passed, and none of them is known to have been red for it: what was never red is not turned green. It stays as
    /// it is, and only a person can close it. That was no turn.
    NeverRed,
    /// Another turn.
    Continue,
    /// Another plan.
    Replan,
    /// It is left to a person.
    Escalate(Leaving),
    /// One turn was asked for: it stays as it is.
    Stay,
}

/// Decides after the checks of a turn, which began and was over then.
///
/// | in this order                                          | what follows                    |
/// |--------------------------------------------------------|---------------------------------|
/// | the checks passed, and one of them was red before      | resolved                        |
/// | the checks passed, and none of them ever was red       | stays, and a person closes it   |
/// | drift, or a wrong specification                        | left to a person                |
/// | the first failure came too often, turns or time are up | left to a person                |
/// | no progress, and another plan may be asked for         | another plan                    |
/// | no progress, and another plan was asked for before     | left to a person                |
/// | one turn was asked for                                 | stays                           |
/// | any other                                              | another turn                    |
///
/// `was_red` says whether one of these checks failed for the incident, or when its loop began.
pub fn after(
    state: &LoopState,
    choices: &Choices,
    answer: &GateAnswer,
    span: (Timestamp, Timestamp),
    was_red: bool,
) -> Decided {
    let passed = is_pass(answer);
    if passed && !was_red {
        return Decided {
            decision: TurnDecision::NeverRed,
            state: state.clone(),
            loops_used: state.loops,
            same_error_repeats: 0,
            no_progress_streak: 0,
        };
    }
    decide(state, choices, (Snapshot { passed, ..repair::snapshot(answer) }, answer.exit), span)
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

fn decide(
    state: &LoopState,
    choices: &Choices,
    (snapshot, exit): (Snapshot, Exit),
    span: (Timestamp, Timestamp),
) -> Decided {
    let without_progress = if choices.auto_replan { choices.budget.without_progress } else { u32::MAX };
    let budget = LoopBudget { without_progress, ..choices.budget };
    let passed = snapshot.passed;
    // The guard begins the counters anew where another plan follows; what is told are those of this turn.
    let told = progress::after(&state.progress, snapshot.clone());
    let (next, decision) = loop_guard::after(state, &budget, snapshot, span);
    let decision = match decision {
        _ if passed => TurnDecision::Resolved,
        _ if exit == Exit::Specification => TurnDecision::Escalate(Leaving::Specification),
        LoopDecision::Escalate(limit) => TurnDecision::Escalate(Leaving::Limit(limit)),
        LoopDecision::Replan => TurnDecision::Replan,
        LoopDecision::Continue | LoopDecision::Passed if choices.single_iteration => TurnDecision::Stay,
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

#[cfg(test)]
mod tests;
