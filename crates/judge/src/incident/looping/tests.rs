#![expect(clippy::disallowed_methods, reason = "the observed cases are read from beside the project")]

use std::path::PathBuf;

use referee_model::fingerprint::Fingerprint;
use referee_model::gate::{Basis, GateTask};
use referee_model::id::{Digest, ExecutionId, TaskId};
use serde_json::Value;

use super::*;

fn minute(minute: i64) -> Timestamp {
    Timestamp::from_millisecond(minute * 60_000)
}

fn usual() -> Choices {
    Choices { budget: LoopBudget::default(), auto_replan: true, single_iteration: false }
}

/// A run of these commands that ended with these codes: each code of each command is a failure of its own.
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

/// Takes turns of a minute until something else than another turn follows, or there are no more.
fn turns(state: LoopState, choices: &Choices, codes: &[Vec<u8>]) -> Decided {
    let mut state = state;
    let mut last = None;
    for (place, codes) in codes.iter().enumerate() {
        let began = i64::try_from(place).unwrap();
        let exit = if codes.iter().all(|code| *code == 0) { Exit::Passed } else { Exit::Failed };
        let decided = decide(&state, choices, (run(codes), exit), (minute(began), minute(began + 1)));
        state = decided.state.clone();
        let goes_on = decided.decision == TurnDecision::Continue;
        last = Some(decided);
        if !goes_on {
            break;
        }
    }
    last.unwrap()
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

fn choices(options: &Value) -> Choices {
    let number = |key: &str, usual: u32| options[key].as_u64().map_or(usual, |number| u32::try_from(number).unwrap());
    let budget = LoopBudget::default();
    Choices {
        budget: LoopBudget {
            loops: number("max_loops", budget.loops),
            same_errors: number("same_error_limit", budget.same_errors),
            ..budget
        },
        auto_replan: options["auto_replan"].as_bool().unwrap_or(true),
        single_iteration: options["single_iteration"].as_bool().unwrap_or(false),
    }
}

fn word(decision: TurnDecision) -> &'static str {
    match decision {
        TurnDecision::Resolved => "resolved",
        TurnDecision::Replan => "replan_requested",
        TurnDecision::Escalate(_) => "escalated",
        TurnDecision::NeverRed | TurnDecision::Stay | TurnDecision::Continue => "running",
    }
}

/// IN-03, IN-07, IN-11 to IN-14, as the original tool was observed.
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
        let decided = turns(LoopState::default(), &choices(&case["options"]), &codes);
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
    let decided = turns(LoopState::default(), &usual(), &codes);
    assert_eq!(decided.decision, TurnDecision::Escalate(Leaving::Limit(LoopLimit::Loops)));
    assert_eq!((decided.loops_used, decided.same_error_repeats, decided.no_progress_streak), (8, 1, 0));
}

#[test]
fn another_plan_is_asked_for_once() {
    let state = LoopState { replans: 1, ..LoopState::default() };
    let decided = turns(state, &usual(), &[vec![1], vec![1]]);
    assert_eq!(decided.decision, TurnDecision::Escalate(Leaving::Limit(LoopLimit::NoProgress)));
}

#[test]
fn what_no_turn_can_mend_is_left_at_once() {
    let decided = |exit| {
        let state = LoopState::default();
        decide(&state, &usual(), (run(&[1]), exit), (minute(0), minute(1))).decision
    };
    assert_eq!(decided(Exit::Specification), TurnDecision::Escalate(Leaving::Specification));
    for mendable in [Exit::Failed, Exit::Timeout, Exit::Execution, Exit::Prerequisite, Exit::NothingRan] {
        assert_eq!(decided(mendable), TurnDecision::Continue);
    }
}

fn answer(decision: Decision, exit: Exit, tasks: Vec<GateTask>) -> GateAnswer {
    GateAnswer {
        decision,
        exit,
        tasks,
        causes: Vec::new(),
        causes_in_all: 0,
        next: String::new(),
        held_out: None,
        contradictions: Vec::new(),
        notes: Vec::new(),
        reuse: Vec::new(),
    }
}

fn passed() -> GateAnswer {
    let task = GateTask {
        task: TaskId::parse("T001").unwrap(),
        title: String::new(),
        execution: ExecutionId::parse("exec-1").unwrap(),
        basis: Basis::Ran,
        decision: Decision::Pass,
        exit: Exit::Passed,
        reduced: false,
        reasons: Vec::new(),
        edited: Vec::new(),
        weaker: Vec::new(),
        report: String::new(),
        ended: minute(0),
        tests: None,
        checks: Vec::new(),
        snapshot: run(&[0]),
    };
    answer(Decision::Pass, Exit::Passed, vec![task])
}

#[test]
fn what_was_never_red_is_not_turned_green_and_was_no_turn() {
    let (state, span) = (LoopState { loops: 3, ..LoopState::default() }, (minute(0), minute(1)));
    for single_iteration in [false, true] {
        let choices = Choices { single_iteration, ..usual() };
        assert_eq!(after(&state, &choices, &passed(), span, true).decision, TurnDecision::Resolved);
        let decided = after(&state, &choices, &passed(), span, false);
        assert_eq!((decided.decision, decided.loops_used), (TurnDecision::NeverRed, 3));
        assert_eq!(decided.state, state);
    }
}

#[test]
fn nothing_but_a_pass_of_something_is_a_pass() {
    for (decision, exit) in [
        (Decision::Pass, Exit::Passed),
        (Decision::Blocked, Exit::Passed),
        (Decision::Pass, Exit::Internal),
        (Decision::Blocked, Exit::NothingRan),
    ] {
        let span = (minute(0), minute(1));
        let decided = after(&LoopState::default(), &usual(), &answer(decision, exit, Vec::new()), span, true);
        assert_ne!(decided.decision, TurnDecision::Resolved);
    }
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
