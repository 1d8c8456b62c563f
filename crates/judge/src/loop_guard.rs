//! Decides after each turn of a repair loop (ruling 24): an exhausted budget escalates, it never passes.

use referee_model::loop_guard::{LoopBudget, LoopDecision, LoopLimit, LoopState};
use referee_model::progress::{Progress, Snapshot};
use referee_model::time::Timestamp;

use crate::progress;

/// Adds a turn that ended at `now`, and decides. `began` is the time when the work of the turn began, which
/// starts the clock of a plan revision at its first turn.
///
/// | in this order                                                             | decision            |
/// |---------------------------------------------------------------------------|---------------------|
/// | it passed                                                                 | passed              |
/// | the same first failure, up to the limit of repeats                        | escalate: same error|
/// | turns of this plan revision, up to the limit                              | escalate: loops     |
/// | time of this plan revision, up to the limit                               | escalate: duration  |
/// | no progress, up to the limit, and another plan is allowed                 | replan              |
/// | no progress, up to the limit                                              | escalate            |
/// | any other                                                                 | go on               |
pub fn after(
    state: &LoopState,
    budget: &LoopBudget,
    turn: Snapshot,
    (began, now): (Timestamp, Timestamp),
) -> (LoopState, LoopDecision) {
    let passed = turn.passed;
    let progress = progress::after(&state.progress, turn);
    if passed {
        return (LoopState { progress, ..LoopState::default() }, LoopDecision::Passed);
    }
    let began = state.began.unwrap_or(began);
    let next = LoopState { replans: state.replans, loops: state.loops.saturating_add(1), began: Some(began), progress };
    let decision = if next.progress.same_error_repeats >= budget.same_errors {
        LoopDecision::Escalate(LoopLimit::SameError)
    } else if next.loops >= budget.loops {
        LoopDecision::Escalate(LoopLimit::Loops)
    } else if now.milliseconds_since(began) >= budget.duration_ms {
        LoopDecision::Escalate(LoopLimit::Duration)
    } else if next.progress.no_progress_streak < budget.without_progress {
        LoopDecision::Continue
    } else if next.replans < budget.replans {
        LoopDecision::Replan
    } else {
        LoopDecision::Escalate(LoopLimit::NoProgress)
    };
    match decision {
        LoopDecision::Replan => (replanned(next), decision),
        _ => (next, decision),
    }
}

/// Starts a new plan revision, with reset budgets.
fn replanned(state: LoopState) -> LoopState {
    let progress = Progress { no_progress_streak: 0, equal_snapshots: 0, ..state.progress };
    LoopState { replans: state.replans.saturating_add(1), loops: 0, began: None, progress }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_model::fingerprint::Fingerprint;
    use referee_model::id::Digest;

    use super::*;

    /// Name, budget, failures of each turn, and the decision after each.
    type Row<'a> = (&'a str, LoopBudget, &'a [&'a [u8]], &'a [LoopDecision]);

    fn turn(failures: &[u8]) -> Snapshot {
        let print = |byte: &u8| Fingerprint::version_1(Digest::from_bytes([*byte; 32]));
        Snapshot {
            passed: failures.is_empty(),
            first_failure: failures.first().map(print),
            failures: failures.iter().map(print).collect::<BTreeSet<_>>(),
            reached: 0,
        }
    }

    /// Returns the decisions over turns of one minute each.
    fn decisions(budget: &LoopBudget, turns: &[&[u8]]) -> Vec<LoopDecision> {
        let mut state = LoopState::default();
        let mut minute = 0;
        let mut decided = Vec::new();
        for failures in turns {
            let at = |minute: i64| Timestamp::from_millisecond(minute * 60_000);
            let (next, decision) = after(&state, budget, turn(failures), (at(minute), at(minute + 1)));
            (state, minute) = (next, minute + 1);
            decided.push(decision);
        }
        decided
    }

    #[test]
    fn each_limit_escalates_and_none_passes() {
        use LoopDecision::{Continue, Escalate, Passed, Replan};
        let usual = LoopBudget::default();
        let patient = LoopBudget { without_progress: 99, same_errors: 99, ..usual };
        let no_replan = LoopBudget { replans: 0, ..usual };
        let rows: [Row<'_>; 7] = [
            ("passes at once", usual, &[&[]], &[Passed]),
            (
                "fixes one after another",
                usual,
                &[&[1, 2, 3], &[2, 3], &[3], &[]],
                &[Continue, Continue, Continue, Passed],
            ),
            ("the same thrice", usual, &[&[1], &[1], &[1]], &[Continue, Replan, Escalate(LoopLimit::SameError)]),
            (
                "ever another failure",
                usual,
                &[&[1], &[2, 1], &[3, 2, 1], &[4, 3, 2, 1]],
                &[Continue, Replan, Continue, Escalate(LoopLimit::NoProgress)],
            ),
            ("no plan is left", no_replan, &[&[1], &[1]], &[Continue, Escalate(LoopLimit::NoProgress)]),
            (
                "all turns",
                LoopBudget { loops: 3, ..patient },
                &[&[1], &[2], &[1]],
                &[Continue, Continue, Escalate(LoopLimit::Loops)],
            ),
            (
                "all time",
                LoopBudget { duration_ms: 120_000, ..patient },
                &[&[1], &[2]],
                &[Continue, Escalate(LoopLimit::Duration)],
            ),
        ];
        for (name, budget, turns, expected) in rows {
            assert_eq!(decisions(&budget, turns), expected, "{name}");
        }
    }

    #[test]
    fn a_pass_gives_a_fresh_budget() {
        let (state, _) = after(
            &LoopState { replans: 1, loops: 7, ..LoopState::default() },
            &LoopBudget::default(),
            turn(&[]),
            (Timestamp::from_millisecond(0), Timestamp::from_millisecond(1)),
        );
        assert_eq!((state.replans, state.loops, state.began), (0, 0, None));
    }
}
