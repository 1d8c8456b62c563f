#![expect(clippy::disallowed_methods, reason = "the observed cases are read from beside the project")]

use std::path::PathBuf;

use referee_model::fingerprint::Fingerprint;
use referee_model::gate::Basis;
use referee_model::id::{Digest, ExecutionId, TaskId};
use serde_json::Value;

use super::*;

fn minute(minute: i64) -> Timestamp {
    Timestamp::from_millisecond(minute * 60_000)
}

/// Returns a run of these commands with these exit codes: each code of each command is a distinct failure.
fn run(codes: &[u8]) -> Snapshot {
    let failures: Vec<Fingerprint> = codes
        .iter()
        .enumerate()
        .filter(|(_, code)| **code != 0)
        .map(|(place, code)| {
            let mut bytes = [*code; 32];
            bytes[0] = u8::try_from(place).unwrap();
            Fingerprint::version_1(Digest::from_bytes(bytes))
        })
        .collect();
    Snapshot {
        passed: failures.is_empty(),
        first_failure: failures.first().copied(),
        failures: failures.into_iter().collect(),
        reached: codes.iter().position(|code| *code != 0).unwrap_or(codes.len()),
    }
}

/// Returns an answer about tasks with these runs.
fn answer(runs: &[&[u8]]) -> GateAnswer {
    let task = |(number, codes): (usize, &&[u8])| {
        let snapshot = run(codes);
        GateTask {
            task: TaskId::parse(format!("T{:03}", number + 1)).unwrap(),
            title: String::new(),
            execution: ExecutionId::parse("exec-1").unwrap(),
            basis: Basis::Ran,
            decision: if snapshot.passed { Decision::Pass } else { Decision::Fail },
            exit: if snapshot.passed { Exit::Passed } else { Exit::Failed },
            reduced: false,
            reasons: Vec::new(),
            edited: Vec::new(),
            weaker: Vec::new(),
            report: String::new(),
            ended: minute(0),
            tests: None,
            checks: Vec::new(),
            snapshot,
        }
    };
    let tasks: Vec<GateTask> = runs.iter().enumerate().map(task).collect();
    let failed = tasks.iter().any(|task| task.decision != Decision::Pass);
    let (decision, exit) = if failed { (Decision::Fail, Exit::Failed) } else { (Decision::Pass, Exit::Passed) };
    GateAnswer::of(decision, exit, tasks)
}

/// Takes turns of a minute, up to a maximum, until the decision is not another turn. A run that continues with
/// another plan does not end there.
fn turns(
    mut state: LoopState,
    budget: &LoopBudget,
    turns: &[GateAnswer],
    of: usize,
    ends_by_replan: bool,
) -> Vec<Decided> {
    let mut all = Vec::new();
    for (place, answer) in turns.iter().enumerate() {
        let began = i64::try_from(place).unwrap();
        let turn = Turn { answer, is_last: place + 1 >= of, span: (minute(began), minute(began + 1)) };
        let decided = after(&state, budget, &turn);
        state = decided.state.clone();
        let decision = decided.decision;
        all.push(decided);
        if !(decision == TurnDecision::Continue || decision == TurnDecision::Replan && !ends_by_replan) {
            break;
        }
    }
    all
}

/// Returns the last decision over turns of one task each, where another plan ends the loop.
fn last(state: LoopState, budget: &LoopBudget, codes: &[Vec<u8>]) -> Decided {
    let answers: Vec<GateAnswer> = codes.iter().map(|codes| answer(&[codes])).collect();
    turns(state, budget, &answers, usize::MAX, true).pop().unwrap()
}

fn observed() -> Option<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/cases/exec_loop.json");
    let path = [path, "/work/shared/reference/cases/exec_loop.json".into()].into_iter().find(|path| path.exists());
    let Some(path) = path else {
        println!("skipped: the observed cases are not there");
        return None;
    };
    Some(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

fn budget(options: &Value) -> LoopBudget {
    let number = |key: &str, usual: u32| options[key].as_u64().map_or(usual, |number| u32::try_from(number).unwrap());
    let usual = LoopBudget::default();
    LoopBudget {
        loops: number("max_loops", usual.loops),
        same_errors: number("same_error_limit", usual.same_errors),
        without_progress: if options["auto_replan"] == false { u32::MAX } else { usual.without_progress },
        ..usual
    }
}

fn word(decision: TurnDecision) -> &'static str {
    match decision {
        TurnDecision::Passed => "resolved",
        TurnDecision::Replan => "replan_requested",
        TurnDecision::Escalate(_) => "escalated",
        TurnDecision::Continue => "running",
    }
}

/// IN-03, IN-07, IN-11 to IN-14, as observed with the original tool.
#[test]
fn the_observed_loops_are_decided_so() {
    let Some(cases) = observed() else { return };
    let mut looked_at = 0;
    for case in cases["cases"].as_array().unwrap() {
        let (name, expected) = (&case["name"], &case["expect"]);
        let codes: Vec<Vec<u8>> = serde_json::from_value(case["returncodes_per_iteration"].clone()).unwrap();
        if codes.is_empty() {
            // There is nothing to decide: such a loop is refused before its first turn.
            continue;
        }
        // Only one turn was requested: the caller stops there.
        let taken = if case["options"]["single_iteration"] == true { &codes[..1] } else { &codes[..] };
        let decided = last(LoopState::default(), &budget(&case["options"]), taken);
        assert_eq!(expected["final_status"], word(decided.decision), "{name}");
        assert_eq!(expected["loops_used"], decided.loops_used, "{name}");
        for (key, count) in
            [("same_error_repeats", decided.same_error_repeats), ("no_progress_streak", decided.no_progress_streak)]
        {
            assert!(expected[key].is_null() || expected[key] == count, "{name}: {key} is {count}");
        }
        looked_at += 1;
    }
    assert!(looked_at >= 7);
}

#[test]
fn errors_that_alternate_are_left_to_a_person_by_turns_alone() {
    // IN-12.
    let codes: Vec<Vec<u8>> = (0..8).map(|turn| vec![1 + turn % 2]).collect();
    let decided = last(LoopState::default(), &LoopBudget::default(), &codes);
    assert_eq!(decided.decision, TurnDecision::Escalate(Leaving::Limit(LoopLimit::Loops)));
    assert_eq!((decided.loops_used, decided.same_error_repeats, decided.no_progress_streak), (8, 1, 0));
}

#[test]
fn another_plan_is_asked_for_once() {
    let state = LoopState { replans: 1, ..LoopState::default() };
    let decided = last(state, &LoopBudget::default(), &[vec![1], vec![1]]);
    assert_eq!(decided.decision, TurnDecision::Escalate(Leaving::Limit(LoopLimit::NoProgress)));
}

/// Returns the decisions after each of these turns of a run with a maximum number of turns.
fn followed(answers: &[GateAnswer], of: usize) -> Vec<TurnDecision> {
    let all = turns(LoopState::default(), &LoopBudget::default(), answers, of, false);
    all.into_iter().map(|decided| decided.decision).collect()
}

#[test]
fn only_a_pass_passes_and_every_limit_leaves_it_to_a_person() {
    use TurnDecision::{Continue, Escalate, Passed, Replan};
    let failing = |code: u8| answer(&[&[code]]);
    let pass = || answer(&[&[0]]);
    assert_eq!(followed(&[pass()], 3), [Passed]);
    assert_eq!(followed(&[failing(1), pass()], 3), [Continue, Passed]);
    assert_eq!(followed(&[failing(1), failing(2), failing(3)], 3), [Continue, Continue, Escalate(Leaving::Turns)]);
    let same = Escalate(Leaving::Limit(LoopLimit::SameError));
    assert_eq!(followed(&[failing(1), failing(1), failing(1)], 9), [Continue, Replan, same]);
    let many: Vec<GateAnswer> = (1..9).map(failing).collect();
    assert_eq!(followed(&many, 10).last(), Some(&Escalate(Leaving::Limit(LoopLimit::Loops))));
}

#[test]
fn what_no_turn_can_mend_is_left_at_once() {
    let followed = |exit| followed(&[GateAnswer { exit, ..answer(&[&[1]]) }], 9)[0];
    assert_eq!(followed(Exit::Specification), TurnDecision::Escalate(Leaving::Specification));
    for mendable in [Exit::Failed, Exit::Timeout, Exit::Execution, Exit::Prerequisite, Exit::NothingRan] {
        assert_eq!(followed(mendable), TurnDecision::Continue);
    }
}

#[test]
fn nothing_but_a_pass_of_something_is_a_pass() {
    assert!(is_pass(&answer(&[&[0]])));
    for (decision, exit, runs) in [
        (Decision::Pass, Exit::Passed, &[][..]),
        (Decision::Blocked, Exit::Passed, &[&[0][..]]),
        (Decision::Pass, Exit::Internal, &[&[0]]),
        (Decision::Pass, Exit::NothingRan, &[&[0]]),
    ] {
        let odd = GateAnswer { decision, exit, ..answer(runs) };
        assert!(!is_pass(&odd), "{decision:?} {exit:?}");
        assert_eq!(followed(&[odd], 1), [TurnDecision::Escalate(Leaving::Turns)]);
    }
}

#[test]
fn tasks_are_snapped_together() {
    let two = answer(&[&[0, 0], &[0, 0, 7, 8]]);
    let both = snapshot(&two);
    assert_eq!((both.passed, both.reached, both.failures.len()), (false, 4, 2));
    assert_eq!(both.first_failure, two.tasks[1].snapshot.first_failure);
    assert_eq!(snapshot(&answer(&[&[0, 0, 1], &[0]])).reached, 2);
}

#[test]
fn less_than_was_spent_begins_no_turn() {
    let state = LoopState { loops: 2, began: Some(minute(0)), ..LoopState::default() };
    let budget = LoopBudget::default();
    assert_eq!(spent(&state, &budget, minute(3)), None);
    let few = LoopBudget { loops: 2, ..budget };
    assert_eq!(spent(&state, &few, minute(3)), Some(Leaving::Limit(LoopLimit::Loops)));
    let short = LoopBudget { duration_ms: 60_000, ..budget };
    assert_eq!(spent(&state, &short, minute(3)), Some(Leaving::Limit(LoopLimit::Duration)));
    assert_eq!(spent(&LoopState::default(), &short, minute(3)), None);
}
