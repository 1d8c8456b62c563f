use std::collections::BTreeSet;

use super::*;

/// Returns the states that can be reached from one.
fn reachable(from: RunState) -> BTreeSet<RunState> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        let after = RunEvent::ALL.iter().filter_map(|event| next(state, *event).ok());
        open.extend(after.filter(|state| seen.insert(*state)));
    }
    seen
}

fn end(events: &[RunEvent]) -> RunState {
    events.iter().fold(RunState::Queued, |state, event| next(state, *event).unwrap())
}

#[test]
fn sm_01_the_table_has_exactly_its_rows() {
    let legal =
        RunState::ALL.iter().flat_map(|state| RunEvent::ALL.iter().filter(move |event| next(*state, **event).is_ok()));
    // Seventeen rows of their own, and two for each of the eight states that are not final.
    assert_eq!(legal.count(), 17 + 2 * 8);
}

#[test]
fn sm_02_what_is_not_in_the_table_is_refused_by_name() {
    for (state, event) in [
        (RunState::Queued, RunEvent::BuildStarted),
        (RunState::Feedback, RunEvent::BuildStarted),
        (RunState::Succeeded, RunEvent::SystemError),
        (RunState::Failed, RunEvent::UserCanceled),
        (RunState::Verifying, RunEvent::BuildCompleted),
    ] {
        assert_eq!(next(state, event), Err(Illegal { state, event }));
    }
    let refused = next(RunState::Feedback, RunEvent::BuildStarted).unwrap_err();
    assert_eq!(refused.to_string(), "`build_started` cannot happen to a run that is feedback");
}

#[test]
fn sm_03_no_state_is_unreachable_and_none_but_the_ends_is_a_dead_end() {
    assert_eq!(reachable(RunState::Queued).len(), RunState::ALL.len());
    for state in RunState::ALL {
        let after = reachable(state);
        if state.is_terminal() {
            assert_eq!(after.len(), 1, "{state:?}");
        } else {
            assert!(after.contains(&RunState::Succeeded), "{state:?} can no longer succeed");
            assert!(after.contains(&RunState::Canceled) && after.contains(&RunState::Failed), "{state:?}");
        }
    }
}

#[test]
fn sm_04_every_event_happens_somewhere() {
    for event in RunEvent::ALL {
        assert!(RunState::ALL.iter().any(|state| next(*state, event).is_ok()), "{event:?}");
    }
}

#[test]
fn sm_05_the_usual_paths_end_in_success() {
    use RunEvent::{
        BuildCompleted, BuildStarted, CiPassed, CiPollingStarted, FeedbackGenerated, PrCreated, SnapshotCompleted,
        VerifyFailedRetryable, VerifyPassed, WorkspaceAcquired,
    };
    let begun = [WorkspaceAcquired, BuildStarted, BuildCompleted, SnapshotCompleted];
    let again = [VerifyFailedRetryable, FeedbackGenerated, BuildCompleted, SnapshotCompleted];
    for rest in
        [vec![VerifyPassed], [again.as_slice(), &[VerifyPassed]].concat(), vec![PrCreated, CiPollingStarted, CiPassed]]
    {
        assert_eq!(end(&[begun.as_slice(), &rest].concat()), RunState::Succeeded);
    }
}

#[test]
fn sm_07_an_end_has_a_result_and_nothing_else_has() {
    use RunEvent::{
        BuildFailed, CiTimeout, SnapshotFailed, SystemError, UserCanceled, VerifyFailedTerminal, VerifyPassed,
    };
    for (state, event, error, how) in [
        (RunState::Succeeded, VerifyPassed, None, RunResult::Passed),
        (RunState::Canceled, UserCanceled, None, RunResult::Canceled),
        (RunState::Failed, BuildFailed, Some(BuildErrorType::AgentCrash), RunResult::FailedBuild),
        (RunState::Failed, BuildFailed, Some(BuildErrorType::AgentTimeout), RunResult::FailedTimeout),
        (RunState::Failed, SystemError, Some(BuildErrorType::AgentTimeout), RunResult::FailedTimeout),
        (RunState::Failed, SystemError, None, RunResult::FailedError),
        (RunState::Failed, VerifyFailedTerminal, Some(BuildErrorType::TestFailed), RunResult::FailedVerification),
        (RunState::Failed, SnapshotFailed, None, RunResult::FailedError),
        (RunState::Failed, CiTimeout, None, RunResult::FailedError),
    ] {
        assert_eq!(result(state, event, error), Some(how), "{event:?}");
    }
    for state in RunState::ALL.iter().filter(|state| !state.is_terminal()) {
        assert!(RunEvent::ALL.iter().all(|event| result(*state, *event, None).is_none()));
    }
}

#[test]
fn sm_08_every_result_is_the_result_of_something() {
    let errors = BuildErrorType::ALL.into_iter().map(Some).chain([None]);
    let reached: BTreeSet<RunResult> = errors
        .flat_map(|error| {
            let pairs = RunState::ALL.iter().flat_map(|state| RunEvent::ALL.iter().map(move |event| (*state, *event)));
            pairs.filter_map(move |(state, event)| result(next(state, event).ok()?, event, error))
        })
        .collect();
    assert_eq!(reached.len(), RunResult::ALL.len());
}
