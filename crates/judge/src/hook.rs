//! Decisions of a hook at a stop: whether the gate is asked, and whether the agent is sent back once more.

use std::collections::BTreeSet;

use referee_model::claim::ClaimGrade;
use referee_model::gate::GateAnswer;
use referee_model::loop_guard::{LoopBudget, LoopDecision, LoopLimit};
use referee_model::progress::Snapshot;
use referee_model::session::{Beginning, GuardStanding, Refusal, StopDecision, StopGuard, WorkspaceState};
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;

use crate::loop_guard;

/// A stop with the answer of the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Progress by the answer, including whether it passed.
    pub snapshot: Snapshot,
    /// Time of the stop, by the host. None: the host does not say.
    pub stopped: Option<Timestamp>,
    pub began: Timestamp,
    pub answered: Timestamp,
}

/// Returns whether a workspace is unchanged since the session began: then there is nothing to call done.
pub fn is_unchanged(beginning: &Beginning, now: &WorkspaceState) -> bool {
    matches!(beginning, Beginning::Known(found) if found == now)
}

/// Facts about a handback that determine whether the gate is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handover {
    /// Whether the workspace is as the session found it.
    pub unchanged: bool,
    /// Whether the tree was judged before the session began, and did not pass.
    pub failed_before: bool,
    /// Whether the agent's last message claims success.
    pub claims: bool,
}

/// Whether the gate is asked at a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// No: nothing was changed, and nothing is claimed.
    No,
    /// Yes, but the answer counts only where it contradicts the agent.
    Claims,
    Work,
}

/// Decides whether the gate is asked.
///
/// | unchanged since the beginning | it had failed before | the last message claims success | asked            |
/// |-------------------------------|----------------------|---------------------------------|------------------|
/// | no                            | –                    | –                               | about the work   |
/// | yes                           | yes                  | –                               | about the work   |
/// | yes                           | no, or not known     | yes                             | about the claims |
/// | yes                           | no, or not known     | no                              | no               |
pub fn asking(handover: Handover) -> Asking {
    match handover {
        Handover { unchanged: false, .. } | Handover { failed_before: true, .. } => Asking::Work,
        Handover { claims: true, .. } => Asking::Claims,
        Handover { claims: false, .. } => Asking::No,
    }
}

/// Returns whether an answer counts for an agent that changed nothing but claims something: if the work passes,
/// or the run contradicts the claim. Checks that were not made, and unsupported claims, are not the agent's
/// fault.
pub fn is_borne_by_claims(answer: &GateAnswer) -> bool {
    let is_contradicted = |claim: &referee_model::claim::Contradiction| claim.grade == ClaimGrade::Contradicted;
    answer.decision == Decision::Pass || answer.contradictions.iter().any(is_contradicted)
}

/// Takes a snapshot of an answer: that of the first task that did not pass. If all tasks passed but the answer
/// is not a pass, the snapshot has no failure.
pub fn snapshot(answer: &GateAnswer) -> Snapshot {
    if answer.decision == Decision::Pass {
        return Snapshot { passed: true, ..unanswered() };
    }
    let failed = answer.tasks.iter().find(|task| task.decision != Decision::Pass);
    failed.map_or_else(unanswered, |task| Snapshot { passed: false, ..task.snapshot.clone() })
}

/// Returns the snapshot for a gate that could not answer; all of these count as the same error.
pub fn unanswered() -> Snapshot {
    Snapshot { passed: false, first_failure: None, failures: BTreeSet::new(), reached: 0 }
}

/// Adds a stop to a session's guard, and decides.
///
/// | in this order                                                  | decision                  | counted |
/// |----------------------------------------------------------------|---------------------------|---------|
/// | it passed                                                      | passed; a fresh budget    | –       |
/// | a limit was reached before, and no person spoke since          | escalated, as before      | no      |
/// | the same stop as the last counted one                          | refused, as before        | no      |
/// | a limit is reached, and the last refusal said that it was last | escalated                 | yes     |
/// | a limit is reached, or the same again would reach it           | refused, for the last time | yes     |
/// | any other                                                      | refused                   | yes     |
///
/// A limit is one of [`loop_guard::after`], or the eighth turn since a person intervened or since a pass, over
/// plan revisions: hosts end a turn at the eighth block, and a person is called before that.
///
/// Two stops are the same if their host gives both the same time, or if the hook of the second began before the
/// first was answered: hosts may start several hooks for one stop.
///
/// The time of a plan revision is counted from its first refusal: the work before it is not part of the loop.
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
    if is_same(guard, &stop) {
        return (guard.clone(), StopDecision::Refused(guard.refusal));
    }
    let Stop { snapshot, stopped, answered: at, .. } = stop;
    let refusals = guard.refusals.saturating_add(1);
    let since = guard.answered.unwrap_or(at);
    let (state, decision) = loop_guard::after(state, budget, snapshot.clone(), (since, at));
    let counted = |standing, refusal| {
        let (since, answered) = (at, Some(at));
        StopGuard { since, answered, stopped, refusals, refusal, standing }
    };
    let reached = limit(decision, refusals, budget);
    if let Some(limit) = reached.filter(|_| guard.refusal.last) {
        let standing = GuardStanding::Escalated { limit, at };
        return (counted(standing, guard.refusal), StopDecision::Escalated { limit, at });
    }
    let same_again = || {
        let then = at.plus_milliseconds(at.milliseconds_since(since));
        let (_, decision) = loop_guard::after(&state, budget, snapshot, (at, then));
        limit(decision, refusals.saturating_add(1), budget)
    };
    let last = reached.or_else(same_again).is_some();
    let refusal = Refusal { replan: decision == LoopDecision::Replan, last };
    (counted(GuardStanding::Open(state), refusal), StopDecision::Refused(refusal))
}

/// Returns whether a stop is the last counted one.
fn is_same(guard: &StopGuard, stop: &Stop) -> bool {
    let began_before = guard.answered.is_some_and(|answered| stop.began <= answered);
    began_before || (stop.stopped.is_some() && stop.stopped == guard.stopped)
}

/// Returns the limit that is reached with the last of this many refusals.
fn limit(decision: LoopDecision, refusals: u32, budget: &LoopBudget) -> Option<LoopLimit> {
    match decision {
        LoopDecision::Escalate(limit) => Some(limit),
        LoopDecision::Passed | LoopDecision::Continue | LoopDecision::Replan => {
            (refusals >= budget.loops).then_some(LoopLimit::Loops)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use referee_model::fingerprint::Fingerprint;
    use referee_model::id::Digest;
    use referee_model::session::SpecificationState;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millisecond(second * 1_000)
    }

    fn print(byte: u8) -> Fingerprint {
        Fingerprint::version_1(Digest::from_bytes([byte; 32]))
    }

    /// Returns a stop that takes a second; without failures, it passed.
    fn stop(began: i64, failures: &[u8]) -> Stop {
        let snapshot = Snapshot {
            passed: failures.is_empty(),
            first_failure: failures.first().copied().map(print),
            failures: failures.iter().copied().map(print).collect(),
            reached: 0,
        };
        Stop { snapshot, stopped: None, began: at(began), answered: at(began + 1) }
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

    const REFUSED: StopDecision = StopDecision::Refused(Refusal { replan: false, last: false });
    const LAST: StopDecision = StopDecision::Refused(Refusal { replan: false, last: true });
    const LAST_REPLAN: StopDecision = StopDecision::Refused(Refusal { replan: true, last: true });

    #[test]
    fn the_same_failure_is_sent_back_twice_and_then_left_to_a_person_for_good() {
        let escalated = StopDecision::Escalated { limit: LoopLimit::SameError, at: at(31) };
        let stops = [10, 20, 30, 40, 50].map(|began| stop(began, &[1]));
        assert_eq!(decisions(stops), [REFUSED, LAST_REPLAN, escalated, escalated, escalated]);
    }

    #[test]
    fn questions_that_cannot_be_asked_count_as_the_same_error() {
        let stop = |began| Stop { snapshot: unanswered(), stopped: None, began: at(began), answered: at(began + 1) };
        let escalated = StopDecision::Escalated { limit: LoopLimit::SameError, at: at(31) };
        assert_eq!(decisions([10, 20, 30].map(stop)), [REFUSED, LAST_REPLAN, escalated]);
    }

    #[test]
    fn a_pass_ends_an_escalation_and_gives_a_fresh_budget() {
        let stops = [10, 20, 30].map(|began| stop(began, &[1])).into_iter();
        let decided = decisions(stops.chain([stop(40, &[]), stop(50, &[1]), stop(60, &[1])]));
        assert_eq!(decided[3..], [StopDecision::Passed, REFUSED, LAST_REPLAN]);
    }

    #[test]
    fn the_first_stop_of_a_session_is_never_escalated() {
        let hours_later = 5 * 60 * 60;
        assert_eq!(decisions([stop(hours_later, &[1])]), [REFUSED]);
        // Time counts from the first refusal on, and the duration of the next turn cannot be predicted.
        let escalated = StopDecision::Escalated { limit: LoopLimit::Duration, at: at(3 * hours_later + 1) };
        let stops = [stop(hours_later, &[1]), stop(2 * hours_later, &[2, 3]), stop(3 * hours_later, &[4, 5])];
        assert_eq!(decisions(stops), [REFUSED, LAST, escalated]);
    }

    #[test]
    fn a_person_is_called_before_hosts_end_the_turn_even_where_every_turn_brings_something() {
        let decided = decisions((1..10).map(|turn| stop(i64::from(turn) * 10, &[20 - turn, 100 + turn])));
        let refused = decided.iter().take_while(|decision| matches!(decision, StopDecision::Refused(_))).count();
        assert_eq!(refused, 7);
        assert!(matches!(decided[7], StopDecision::Escalated { limit: LoopLimit::Loops, .. }), "{decided:?}");
    }

    #[test]
    fn several_hooks_for_one_stop_count_once() {
        // The second began while the first was still waiting for its answer.
        assert_eq!(
            decisions([stop(10, &[1]), stop(10, &[1]), stop(11, &[1]), stop(12, &[1])]),
            [REFUSED, REFUSED, REFUSED, LAST_REPLAN]
        );
        // The second was started when the first had its answer: the host gives both the same time.
        let of = |began, stopped| Stop { stopped: Some(at(stopped)), ..stop(began, &[1]) };
        assert_eq!(
            decisions([of(10, 9), of(20, 9), of(30, 29), of(40, 29)]),
            [REFUSED, REFUSED, LAST_REPLAN, LAST_REPLAN]
        );
    }

    #[test]
    fn the_gate_is_asked_about_work_about_what_is_claimed_and_about_a_tree_that_had_not_passed() {
        let asked = |unchanged, failed_before, claims| asking(Handover { unchanged, failed_before, claims });
        for (failed_before, claims) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(asked(false, failed_before, claims), Asking::Work, "{failed_before} {claims}");
        }
        assert_eq!(asked(true, true, false), Asking::Work);
        assert_eq!(asked(true, true, true), Asking::Work);
        assert_eq!(asked(true, false, true), Asking::Claims);
        assert_eq!(asked(true, false, false), Asking::No);
    }

    #[test]
    fn only_the_very_ground_that_was_found_is_unchanged() {
        let digest = |byte| Digest::from_bytes([byte; 32]);
        let ground = WorkspaceState { tree: digest(1), specification: SpecificationState::Loads(digest(2)) };
        assert!(is_unchanged(&Beginning::Known(ground), &ground));
        for other in [
            WorkspaceState { tree: digest(3), ..ground },
            WorkspaceState { specification: SpecificationState::Loads(digest(3)), ..ground },
            WorkspaceState { specification: SpecificationState::Fails(digest(2)), ..ground },
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
            let refused = decided.iter().filter(|decision| matches!(decision, StopDecision::Refused(_))).count();
            prop_assert!(refused <= 7, "hosts end a turn at the eighth block, and a person is called before: {}", refused);
            for pair in decided.windows(2) {
                let is_let_go = |decision: &StopDecision| matches!(decision, StopDecision::Escalated { .. });
                let was_told = |decision: &StopDecision| matches!(decision, StopDecision::Refused(refusal) if refusal.last);
                prop_assert!(!is_let_go(&pair[1]) || is_let_go(&pair[0]) || was_told(&pair[0]), "{:?}", decided);
            }
        }
    }
}
