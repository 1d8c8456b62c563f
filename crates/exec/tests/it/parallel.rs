//! Parallel steps: in the order that their needs allow, with the same result as sequentially, and without
//! interfering with one another.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use referee_exec::Cancellation;
use referee_model::event::EventKind;
use referee_model::id::ActionId;
use referee_model::plan::{Phase, StepOrder};
use referee_model::record::{Ending, NoticeCode, RunEnding, SkipReason, Stream};

use crate::world::{Failing, Fixture, IS_PORTABLE, RunLog, gets_away, is_alive};

fn id(text: &str) -> ActionId {
    ActionId::parse(text).unwrap()
}

fn pid_in(file: &str) -> u32 {
    fs::read_to_string(file).unwrap().parse().unwrap()
}

/// Returns the starts and ends of actions, in the order in which they were reported.
fn told(log: &RunLog) -> Vec<(bool, &str)> {
    let mut told = Vec::new();
    for happening in &log.happenings {
        match happening {
            EventKind::ActionStarted { action, .. } => told.push((true, action.as_str())),
            EventKind::ActionFinished(record) => told.push((false, record.action.as_str())),
            _ => {}
        }
    }
    told
}

fn most_at_once(log: &RunLog) -> usize {
    let mut running: usize = 0;
    let mut most = 0;
    for (starts, _) in told(log) {
        if starts {
            running += 1;
        } else {
            running -= 1;
        }
        most = most.max(running);
    }
    most
}

/// Returns the actions that ran and count.
fn counted(log: &RunLog) -> BTreeSet<String> {
    let skipped: BTreeSet<&str> = log.skipped().into_iter().map(|(action, _)| action).collect();
    let ran = log.records().into_iter().map(|record| record.action.as_str());
    ran.filter(|action| !skipped.contains(action)).map(str::to_owned).collect()
}

#[test]
fn steps_run_at_once_up_to_the_number_of_jobs() {
    let mut world = Fixture::new();
    world.jobs = 3;
    let files: Vec<String> = (0..3).map(|number| world.path(&number.to_string())).collect();
    for file in &files {
        // Each waits for all others: none would end if they did not run in parallel.
        let mut script = vec![format!("write={file}:x")];
        script.extend(files.iter().map(|other| format!("wait={other}")));
        world.tool(Phase::Step, &script.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for _ in 0..3 {
        world.tool(Phase::Step, &["sleep=5"]);
    }
    let log = world.run();
    assert_eq!(log.records().len(), 6);
    assert_eq!(most_at_once(&log), 3);
    assert!(log.records().iter().all(|record| record.notices.is_empty()));
}

#[test]
fn listed_steps_prerequisites_and_cleanup_run_one_by_one() {
    let mut world = Fixture::new();
    world.jobs = 8;
    world.plan.step_order = StepOrder::Listed;
    for phase in [Phase::Prerequisite, Phase::Step, Phase::Cleanup] {
        for _ in 0..3 {
            world.tool(phase, &[]);
        }
    }
    let log = world.run();
    assert_eq!(most_at_once(&log), 1);
    let started: Vec<&str> = told(&log).into_iter().filter(|(starts, _)| *starts).map(|(_, action)| action).collect();
    let expected: Vec<&str> = world.plan.actions.iter().map(|action| action.id.as_str()).collect();
    assert_eq!(started, expected);
    drop(world);

    let mut world = Fixture::new();
    world.jobs = 8;
    for phase in [Phase::Prerequisite, Phase::Prerequisite, Phase::Cleanup, Phase::Cleanup] {
        world.tool(phase, &[]);
    }
    assert_eq!(most_at_once(&world.run()), 1);
}

#[test]
fn a_step_starts_when_what_it_needs_is_over_whether_it_ran_or_not() {
    let mut world = Fixture::new();
    world.jobs = 4;
    world.tool(Phase::Prerequisite, &[]);
    let needs: [&[&str]; 8] = [
        &[],
        &["STEP.1"],
        &["PREREQ.1"],
        &["STEP.2", "STEP.3"],
        &["STEP.1"],
        &["STEP.4", "STEP.5"],
        &["STEP.3"],
        &["STEP.7", "STEP.99"],
    ];
    for (number, needs) in (1..).zip(needs) {
        let sleep = format!("sleep={}", (number * 7) % 11);
        world.tool(Phase::Step, &[&sleep]).needs = needs.iter().copied().map(id).collect();
    }
    let unmet = SkipReason::NeedNotMet(id("PREREQ.1"));
    world.answers.insert("STEP.7".to_owned(), referee_exec::Answer::Skip(unmet.clone()));
    let log = world.run();
    assert_eq!(log.skipped(), [("STEP.7", unmet)]);
    let mut over = BTreeSet::new();
    for (starts, action) in told(&log) {
        if starts {
            let action = world.plan.action(&id(action)).unwrap();
            let needs = action.needs.iter().filter(|need| need.as_str() != "STEP.99" && need.as_str() != "STEP.7");
            assert!(needs.into_iter().all(|need| over.contains(need.as_str())), "{}", action.id);
        } else {
            over.insert(action.to_owned());
        }
    }
    assert_eq!(over.len(), 8);
}

#[test]
fn after_a_step_that_stops_the_run_the_same_steps_count_in_whatever_order_they_end() {
    for round in 0..12_u64 {
        let run = |jobs: usize| {
            let mut world = Fixture::new();
            world.jobs = jobs;
            for number in 1..=8_u64 {
                let sleep = format!("sleep={}", (number * 13 + round * 17) % 23);
                let exit = format!("exit={}", u64::from([3, 5, 8].contains(&number)));
                let action = world.tool(Phase::Step, &[&sleep, &exit]);
                action.continue_on_failure = number == 8;
            }
            world.tool(Phase::Cleanup, &[]);
            let log = world.run();
            let skipped: BTreeMap<String, SkipReason> =
                log.skipped().into_iter().map(|(action, reason)| (action.to_owned(), reason)).collect();
            for (action, reason) in skipped {
                let ran = log.records().iter().any(|record| record.action.as_str() == action);
                let stopper = id("STEP.3");
                let expected = if ran { SkipReason::Superseded(stopper) } else { SkipReason::EarlierFailure(stopper) };
                assert_eq!(reason, expected, "{action}");
            }
            counted(&log)
        };
        let expected: BTreeSet<String> = ["STEP.1", "STEP.2", "STEP.3", "CLEANUP.1"].map(str::to_owned).into();
        assert_eq!(run(1), expected);
        for jobs in [2, 3, 8] {
            assert_eq!(run(jobs), expected, "{jobs} jobs, round {round}");
        }
    }
}

#[test]
fn an_earlier_step_that_stops_the_run_later_decides_and_those_still_to_start_do() {
    let mut world = Fixture::new();
    world.jobs = 2;
    let (failed, started) = (world.path("failed"), world.path("started"));
    world.tool(Phase::Step, &[&format!("wait={started}")]);
    // It can start only when the third has failed, or the first is over.
    world.tool(Phase::Step, &["exit=2"]).needs = vec![id("STEP.1")];
    world.tool(Phase::Step, &[&format!("write={failed}:x"), "exit=1"]);
    world.tool(Phase::Step, &["sleep=60000"]);
    for action in &mut world.plan.actions {
        action.continue_on_failure = false;
    }
    let log = world
        .run_with(&mut |_| {
            if fs::exists(&failed).unwrap() {
                fs::write(&started, "").unwrap();
            }
        })
        .unwrap();
    let (superseded, skipped) = (SkipReason::Superseded(id("STEP.2")), SkipReason::EarlierFailure(id("STEP.2")));
    let last = log.records().iter().any(|record| record.action.as_str() == "STEP.4");
    assert_eq!(
        log.skipped().into_iter().collect::<BTreeMap<_, _>>(),
        BTreeMap::from([("STEP.3", superseded.clone()), ("STEP.4", if last { superseded } else { skipped }),])
    );
    assert_eq!(counted(&log), ["STEP.1", "STEP.2"].map(str::to_owned).into());
}

#[test]
fn later_steps_that_run_are_stopped_politely_then_killed_and_earlier_ones_end_by_themselves() {
    let mut world = Fixture::new();
    world.jobs = 4;
    let files: Vec<String> = ["3", "4"].iter().map(|name| world.path(name)).collect();
    let go = world.path("go");
    world.tool(Phase::Step, &[&format!("wait={go}"), "out=whole"]);
    let waits: Vec<String> = files.iter().map(|file| format!("wait={file}")).collect();
    world.tool(Phase::Step, &[&waits[0], &waits[1], "exit=1"]).continue_on_failure = false;
    world.tool(Phase::Step, &[&format!("write={}:%p", files[0]), "sleep=60000"]);
    world.tool(Phase::Step, &["ignore-term", &format!("write={}:%p", files[1]), "sleep=60000"]);
    let log = world
        .run_with(&mut |_| {
            let pids: Vec<u32> = files.iter().filter_map(|file| fs::read_to_string(file).ok()?.parse().ok()).collect();
            if pids.len() == 2 && pids.iter().all(|pid| !is_alive(*pid)) {
                fs::write(&go, "").unwrap();
            }
        })
        .unwrap();
    assert_eq!(log.text("STEP.1", Stream::Stdout), "whole");
    assert_eq!(*log.ending("STEP.3"), Ending::Interrupted { killed: false });
    assert_eq!(*log.ending("STEP.4"), Ending::Interrupted { killed: true });
    let superseded = SkipReason::Superseded(id("STEP.2"));
    assert_eq!(log.skipped(), [("STEP.3", superseded.clone()), ("STEP.4", superseded)]);
    assert_eq!(log.ending, RunEnding::Finished);
}

#[test]
fn what_two_commands_leave_behind_at_once_is_told_to_the_right_one() {
    for child in ["child=detached,closed:", "child=detached,cleared:ignore-term;", "child=closed,cleared:"] {
        if gets_away(child) {
            continue;
        }
        let mut world = Fixture::new();
        world.jobs = 2;
        let pids = [world.path("first"), world.path("second")];
        for pid in &pids {
            let child = format!("{child}write={pid}:%p;sleep=60000");
            // Neither ends before both have left a process behind.
            world.tool(Phase::Step, &[&child, &format!("wait={}", pids[0]), &format!("wait={}", pids[1])]);
        }
        let log = world.run();
        for (action, pid) in [("STEP.1", &pids[0]), ("STEP.2", &pids[1])] {
            let leaked: Vec<u32> = log.facts(action).leaked.iter().map(|process| process.pid).collect();
            assert_eq!(leaked, [pid_in(pid)], "{child} {action}");
            assert_eq!(log.notices(action), [NoticeCode::LeakedProcess], "{child} {action}");
            assert!(!is_alive(pid_in(pid)), "{child} {action}");
        }
    }
}

#[test]
fn what_hides_whose_it_is_lives_until_nobody_else_runs_and_is_told_of_then() {
    if IS_PORTABLE {
        println!("skipped: orphans are not adopted, so what hides gets away");
        return;
    }
    let mut world = Fixture::new();
    world.jobs = 2;
    let (pid, first, go) = (world.path("pid"), world.path("first"), world.path("go"));
    let child = format!("child=detached,closed,cleared:write={pid}:%p;sleep=60000");
    let wait = format!("wait={pid}");
    world.tool(Phase::Step, &[&format!("write={first}:%p"), &child, &wait]);
    // A child of its own that hides as well, and that it needs.
    let own = format!("child=waited,closed,cleared:session;wait={go}");
    world.tool(Phase::Step, &[&own, "out=whole"]);
    let mut looks = 0;
    let mut lived = false;
    let log = world
        .run_with(&mut |_| {
            let is_over = fs::exists(&pid).unwrap() && !is_alive(pid_in(&first));
            looks += usize::from(is_over);
            // Long after the first is over.
            if looks == 6 {
                lived = is_alive(pid_in(&pid));
                fs::write(&go, "").unwrap();
            }
        })
        .unwrap();
    assert!(lived);
    assert_eq!(log.text("STEP.2", Stream::Stdout), "whole");
    assert!(log.facts("STEP.1").leaked.is_empty() && log.notices("STEP.1").is_empty());
    let leaked: Vec<u32> = log.facts("STEP.2").leaked.iter().map(|process| process.pid).collect();
    assert_eq!(leaked, [pid_in(&pid)]);
    assert!(!is_alive(pid_in(&pid)));
    let message = &log.record("STEP.2").notices[0].message;
    assert!(message.contains("was left behind by one of STEP.1, STEP.2"), "{message}");
}

#[test]
fn many_commands_at_once_never_end_what_belongs_to_another() {
    let mut world = Fixture::new();
    world.jobs = 6;
    for number in 0..30 {
        let sleep = format!("sleep={}", number % 7);
        match number % 3 {
            // One leaves a process behind, one needs a child that looks like a leftover, one is short.
            0 => world.tool(Phase::Step, &["child=detached,closed:sleep=60000", &sleep]),
            1 => world.tool(Phase::Step, &["child=waited,closed,cleared:session;sleep=40", "out=whole"]),
            _ => world.tool(Phase::Step, &[]),
        };
    }
    let log = world.run();
    for number in 0..30 {
        let action = format!("STEP.{}", number + 1);
        assert_eq!(*log.ending(&action), Ending::Exited { code: 0 }, "{action}");
        assert_eq!(log.facts(&action).leaked.len(), usize::from(number % 3 == 0), "{action}");
    }
}

#[test]
fn an_interruption_stops_all_that_runs_and_skips_what_waits() {
    let mut world = Fixture::new();
    world.jobs = 2;
    let files = [world.path("first"), world.path("second")];
    for file in &files {
        world.tool(Phase::Step, &[&format!("write={file}:x"), "sleep=60000"]);
    }
    world.tool(Phase::Step, &[]);
    world.tool(Phase::Step, &[]).needs = vec![id("STEP.1")];
    world.tool(Phase::Cleanup, &["out=cleaned"]);
    let log = world
        .run_with(&mut |cancellation: &Cancellation| {
            if files.iter().all(|file| fs::exists(file).unwrap()) && cancellation.requests().is_empty() {
                cancellation.request(2);
            }
        })
        .unwrap();
    for action in ["STEP.1", "STEP.2"] {
        assert_eq!(*log.ending(action), Ending::Interrupted { killed: false });
    }
    assert_eq!(log.skipped(), [("STEP.3", SkipReason::Interrupted), ("STEP.4", SkipReason::Interrupted)]);
    assert_eq!(log.text("CLEANUP.1", Stream::Stdout), "cleaned");
    assert_eq!(log.ending, RunEnding::Interrupted { signal: 2 });
}

#[test]
fn a_run_that_cannot_keep_what_one_step_says_ends_all_of_them_and_cleans_up() {
    for failing in [Failing::Append, Failing::Finish, Failing::Finished] {
        let mut world = Fixture::new();
        world.failing = failing;
        world.jobs = 3;
        let (ready, cleaned) = (world.path("ready"), world.path("cleaned"));
        world.tool(Phase::Step, &[&format!("wait={ready}"), "out=x"]);
        world.tool(Phase::Step, &["ignore-term", &format!("write={ready}:x"), "sleep=60000"]);
        world.tool(Phase::Step, &["sleep=60000"]);
        world.tool(Phase::Cleanup, &[&format!("write={cleaned}:x")]);
        world.run_with(&mut |_| ()).err().expect("the run fails");
        assert!(fs::exists(&cleaned).unwrap(), "{failing:?}");
    }
}

#[test]
fn the_deadline_of_the_run_stops_all_of_them() {
    let mut world = Fixture::new();
    world.jobs = 2;
    (world.plan.timeout_ms, world.time_left_ms) = (Some(60_000), Some(500));
    for _ in 0..3 {
        world.tool(Phase::Step, &["sleep=60000"]);
    }
    let log = world.run();
    let exceeded = Ending::DeadlineExceeded { timeout_ms: 500, of_task: true, killed: false };
    assert_eq!((log.ending("STEP.1"), log.ending("STEP.2")), (&exceeded, &exceeded));
    assert_eq!(log.skipped(), [("STEP.3", SkipReason::DeadlinePassed)]);
}
