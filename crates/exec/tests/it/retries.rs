//! Retried actions.

use std::fs;

use referee_exec::Cancellation;
use referee_model::event::EventKind;
use referee_model::plan::Phase;
use referee_model::record::{Ending, SkipReason, Stream};

use crate::world::{Fixture, RunLog};

/// Adds a step that succeeds at its third attempt.
fn third_time(world: &mut Fixture, retries: u32) {
    let count = world.path("count");
    let line = format!("echo x >> {count}; echo $(wc -l < {count}); test $(wc -l < {count}) -ge 3");
    world.line(&line, false).retries = retries;
}

/// Returns the attempts, as their starts and ends were reported.
fn attempts(log: &RunLog, of: &str) -> Vec<(bool, u32)> {
    log.happenings
        .iter()
        .filter_map(|happening| match happening {
            EventKind::ActionStarted { action, attempt, .. } if action.as_str() == of => Some((true, *attempt)),
            EventKind::ActionFinished(record) if record.action.as_str() == of => Some((false, record.attempt)),
            _ => None,
        })
        .collect()
}

#[test]
fn an_action_is_tried_again_while_it_is_to_be_and_each_attempt_is_kept() {
    for (jobs, retries, tried) in [(1, 5, 3), (1, 1, 2), (1, 0, 1), (4, 5, 3), (4, 1, 2)] {
        let mut world = Fixture::new();
        world.jobs = jobs;
        third_time(&mut world, retries);
        for _ in 0..2 {
            world.tool(Phase::Step, &[]).retries = 2;
        }
        let log = world.run();
        let expected: Vec<(bool, u32)> = (1..=tried).flat_map(|attempt| [(true, attempt), (false, attempt)]).collect();
        assert_eq!(attempts(&log, "STEP.1"), expected, "{jobs} jobs, {retries} retries");
        assert_eq!(log.text("STEP.1", Stream::Stdout), "1\n");
        if tried == 3 {
            assert_eq!(log.text("STEP.1#3", Stream::Stdout), "3\n");
        }
        assert_eq!(attempts(&log, "STEP.2"), [(true, 1), (false, 1)]);
    }
}

#[test]
fn nothing_is_tried_again_when_the_run_is_stopped_meanwhile() {
    for jobs in [1, 3] {
        let mut world = Fixture::new();
        world.jobs = jobs;
        let failed = world.path("failed");
        world.tool(Phase::Step, &[&format!("write={failed}:x"), "exit=1"]).retries = 5;
        world.tool(Phase::Step, &["sleep=60000"]);
        let mut looks = 0;
        let log = world
            .run_with(&mut |cancellation: &Cancellation| {
                looks += usize::from(fs::exists(&failed).unwrap());
                if looks > 1 && cancellation.requests().is_empty() {
                    cancellation.request(2);
                }
            })
            .unwrap();
        let tried = attempts(&log, "STEP.1").len() / 2;
        assert!((1..=3).contains(&tried), "{tried} attempts");
        assert!(log.records().iter().all(|record| record.action.as_str() == "STEP.1" || jobs == 3));
    }
}

#[test]
fn nothing_is_tried_again_where_the_time_of_the_run_does_not_allow_it() {
    for jobs in [1, 2] {
        let mut world = Fixture::new();
        world.jobs = jobs;
        world.time_left_ms = Some(200);
        world.tool(Phase::Step, &["exit=1"]).retries = 5;
        world.tool(Phase::Step, &["sleep=60000"]);
        let log = world.run();
        assert_eq!(attempts(&log, "STEP.1"), [(true, 1), (false, 1)]);
        assert!(matches!(log.ending("STEP.2"), Ending::DeadlineExceeded { timeout_ms: 200, of_task: true, .. }));
    }
}

#[test]
fn a_step_after_one_that_stops_the_run_is_not_tried_again() {
    let mut world = Fixture::new();
    world.jobs = 2;
    let (first, second) = (world.path("first"), world.path("second"));
    world.tool(Phase::Step, &[&format!("wait={second}"), &format!("write={first}:x"), "exit=1"]).continue_on_failure =
        false;
    world.tool(Phase::Step, &[&format!("write={second}:x"), &format!("wait={first}"), "sleep=60000"]).retries = 5;
    let log = world.run();
    assert_eq!(attempts(&log, "STEP.2"), [(true, 1), (false, 1)]);
    assert!(matches!(log.skipped()[..], [("STEP.2", SkipReason::Superseded(_))]));
}
