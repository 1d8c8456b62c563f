//! What a hook decides at a stop: whether there is anything to say, and whether the agent is sent back once more.

use std::collections::BTreeSet;

use referee_model::gate::GateAnswer;
use referee_model::loop_guard::{LoopBudget, LoopDecision, LoopLimit};
use referee_model::progress::Snapshot;
use referee_model::session::{Beginning, Ground, GuardStanding, StopDecision, StopGuard};
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;

use crate::loop_guard;

/// A stop whose question was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// What the answer tells of progress; whether it passed, too.
    pub snapshot: Snapshot,
    /// When the hook began.
    pub began: Timestamp,
    /// When it knew the answer.
    pub answered: Timestamp,
}

/// Whether a session stands on what it found: then it changed nothing, and there is nothing to call done.
pub fn is_unchanged(beginning: &Beginning, now: &Ground) -> bool {
    matches!(beginning, Beginning::Known(found) if found == now)
}

/// Takes a snapshot of an answer: that of the first task that did not pass. Where all tasks passed and the answer is no pass
/// all the same, it names no failure.
pub fn snapshot(answer: &GateAnswer) -> Snapshot {
    if answer.decision == Decision::Pass {
        return Snapshot { passed: true, ..unanswered() };
    }
    let failed = answer.tasks.iter().find(|task| task.decision != Decision::Pass);
    failed.map_or_else(unanswered, |task| Snapshot { passed: false, ..task.snapshot.clone() })
}

/// The snapshot of a question that could not be asked: all of them count as the same error.
pub fn unanswered() -> Snapshot {
    Snapshot { passed: false, first_failure: None, failures: BTreeSet::new(), reached: 0 }
}

/// Adds a stop to a session's guard, and decides.
///
/// | in this order                                              | decision                | counted |
/// |------------------------------------------------------------|-------------------------|---------|
/// | it passed                                                  | passed; a fresh budget  | –       |
/// | a limit was reached before, and no person spoke since      | escalated, as before    | no      |
/// | the hook began before the last counted stop had its answer | refused: the same stop  | no      |
/// | the eighth turn since a person spoke, or since a pass      | escalated               | yes     |
/// | any other                                                  | by [`loop_guard::after`] | yes     |
///
/// The eighth turn counts over plan revisions: hosts end a turn at the eighth block, and a person is called before that.
///
/// The time of a plan revision is counted from its first refusal on: how long the work before that took is nobody's loop.
pub fn after(guard: &StopGuard, budget: &LoopBudget, stop: Stop) -> (StopGuard, StopDecision) {
    if stop.snapshot.passed {
        return (StopGuard::fresh(stop.answered), StopDecision::Passed);
    }
    let state = match &guard.standing {
        GuardStanding::Escalated { limit, at } => {
            return (guard.clone(), StopDecision::Escalated { limit: *limit, at: *at });
        }
        GuardStanding::Open(state) => state,
    };
    if guard.answered.is_some_and(|answered| stop.began <= answered) {
        return (guard.clone(), StopDecision::Refused { replan: false });
    }
    let refusals = guard.refusals.saturating_add(1);
    let since = guard.answered.unwrap_or(stop.answered);
    let (state, decision) = loop_guard::after(state, budget, stop.snapshot, (since, stop.answered));
    let decision = match decision {
        LoopDecision::Continue | LoopDecision::Replan if refusals >= budget.loops => {
            LoopDecision::Escalate(LoopLimit::Loops)
        }
        _ => decision,
    };
    let (standing, decision) = match decision {
        LoopDecision::Passed => (GuardStanding::Open(state), StopDecision::Passed),
        LoopDecision::Continue => (GuardStanding::Open(state), StopDecision::Refused { replan: false }),
        LoopDecision::Replan => (GuardStanding::Open(state), StopDecision::Refused { replan: true }),
        LoopDecision::Escalate(limit) => {
            let at = stop.answered;
            (GuardStanding::Escalated { limit, at }, StopDecision::Escalated { limit, at })
        }
    };
    (StopGuard { since: stop.answered, answered: Some(stop.answered), refusals, standing }, decision)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use referee_model::fingerprint::Fingerprint;
    use referee_model::id::Digest;
    use referee_model::session::SpecificationGround;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millisecond(second * 1_000)
    }

    fn print(byte: u8) -> Fingerprint {
        Fingerprint::version_1(Digest::from_bytes([byte; 32]))
    }

    /// A stop that takes a second; no failures: it passed.
    fn stop(began: i64, failures: &[u8]) -> Stop {
        let snapshot = Snapshot {
            passed: failures.is_empty(),
            first_failure: failures.first().copied().map(print),
            failures: failures.iter().copied().map(print).collect(),
            reached: 0,
        };
        Stop { snapshot, began: at(began), answered: at(began + 1) }
    }

    fn decisions(stops: impl IntoIterator<Item = Stop>) -> Vec<StopDecision> {
        let mut guard = StopGuard::fresh(at(0));
        let mut decide = |stop| {
            let (next, decision) = after(&guard, &LoopBudget::default(), stop);
            guard = next;
            decision
        };
        stops.into_iter().map(&mut decide).collect()
    }

    const REFUSED: StopDecision = StopDecision::Refused { replan: false };
    const REPLAN: StopDecision = StopDecision::Refused { replan: true };

    #[test]
    fn the_same_failure_is_sent_back_twice_and_then_left_to_a_person_for_good() {
        let escalated = StopDecision::Escalated { limit: LoopLimit::SameError, at: at(31) };
        let stops = [10, 20, 30, 40, 50].map(|began| stop(began, &[1]));
        assert_eq!(decisions(stops), [REFUSED, REPLAN, escalated, escalated, escalated]);
    }

    #[test]
    fn questions_that_cannot_be_asked_count_as_the_same_error() {
        let stop = |began| Stop { snapshot: unanswered(), began: at(began), answered: at(began + 1) };
        let escalated = StopDecision::Escalated { limit: LoopLimit::SameError, at: at(31) };
        assert_eq!(decisions([10, 20, 30].map(stop)), [REFUSED, REPLAN, escalated]);
    }

    #[test]
    fn a_pass_ends_an_escalation_and_gives_a_fresh_budget() {
        let stops = [10, 20, 30].map(|began| stop(began, &[1])).into_iter();
        let decided = decisions(stops.chain([stop(40, &[]), stop(50, &[1]), stop(60, &[1])]));
        assert_eq!(decided[3..], [StopDecision::Passed, REFUSED, REPLAN]);
    }

    #[test]
    fn the_first_stop_of_a_session_is_never_escalated() {
        let hours_later = 5 * 60 * 60;
        assert_eq!(decisions([stop(hours_later, &[1])]), [REFUSED]);
        // From the first refusal on time counts.
        let escalated = StopDecision::Escalated { limit: LoopLimit::Duration, at: at(2 * hours_later + 1) };
        assert_eq!(decisions([stop(hours_later, &[1]), stop(2 * hours_later, &[2, 3])]), [REFUSED, escalated]);
    }

    #[test]
    fn a_person_is_called_before_hosts_end_the_turn_even_where_every_turn_brings_something() {
        let decided = decisions((1..10).map(|turn| stop(i64::from(turn) * 10, &[20 - turn, 100 + turn])));
        let refused = decided.iter().take_while(|decision| matches!(decision, StopDecision::Refused { .. })).count();
        assert_eq!(refused, 7);
        assert!(matches!(decided[7], StopDecision::Escalated { limit: LoopLimit::Loops, .. }), "{decided:?}");
    }

    #[test]
    fn several_hooks_for_one_stop_count_once() {
        // The second began while the first was still asking.
        assert_eq!(
            decisions([stop(10, &[1]), stop(10, &[1]), stop(11, &[1]), stop(12, &[1])]),
            [REFUSED, REFUSED, REFUSED, REPLAN]
        );
    }

    #[test]
    fn only_the_very_ground_that_was_found_is_unchanged() {
        let digest = |byte| Digest::from_bytes([byte; 32]);
        let ground = Ground { tree: digest(1), specification: SpecificationGround::Loads(digest(2)) };
        assert!(is_unchanged(&Beginning::Known(ground), &ground));
        for other in [
            Ground { tree: digest(3), ..ground },
            Ground { specification: SpecificationGround::Loads(digest(3)), ..ground },
            Ground { specification: SpecificationGround::Fails(digest(2)), ..ground },
        ] {
            assert!(!is_unchanged(&Beginning::Known(ground), &other), "{other:?}");
        }
        assert!(!is_unchanged(&Beginning::Unknown, &ground));
    }

    proptest! {
        #[test]
        fn nothing_but_a_pass_is_passed_and_every_series_of_failures_ends(
            failures in prop::collection::vec(prop::collection::vec(1_u8..6, 1..4), 1..40)
        ) {
            let stops = failures.iter().zip(1..).map(|(failures, turn)| stop(turn * 60, failures));
            let decided = decisions(stops);
            prop_assert!(!decided.contains(&StopDecision::Passed));
            let refused = decided.iter().filter(|decision| matches!(decision, StopDecision::Refused { .. })).count();
            prop_assert!(refused <= 7, "hosts end a turn at the eighth block, and a person is called before: {}", refused);
        }
    }
}
