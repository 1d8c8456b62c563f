//! Stop requests at every moment.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use referee_exec::Cancellation;
use referee_model::event::EventKind;
use referee_model::plan::Phase;
use referee_model::record::{Ending, RunEnding, SkipReason, Stream};
use rustix::process::{Signal, getpid, kill_process};

use crate::terminal::run_probe;
use crate::world::{Failing, Fixture, RunLog, eventually};

const HUP: i32 = 1;
const INT: i32 = 2;
const QUIT: i32 = 3;
const TERM: i32 = 15;

/// Sends one more stop request each time that one more of the files exists.
fn request_when(files: &[String], signals: &[i32]) -> impl FnMut(&Cancellation) {
    let mut due: Vec<(PathBuf, i32)> = files.iter().map(PathBuf::from).zip(signals.iter().copied()).collect();
    move |cancellation| {
        while due.first().is_some_and(|(file, _)| file.exists()) {
            cancellation.request(due.remove(0).1);
        }
    }
}

fn signals(log: &RunLog) -> Vec<i32> {
    let signal = |happening: &EventKind| match happening {
        EventKind::Interrupting { signal } => Some(*signal),
        _ => None,
    };
    log.happenings.iter().filter_map(signal).collect()
}

#[test]
fn the_first_request_stops_what_runs_politely_skips_the_rest_and_cleans_up() {
    let mut world = Fixture::new();
    let ready = world.path("ready");
    world.tool(Phase::Step, &["out=begun", &format!("write={ready}:x"), "sleep=60000"]);
    world.tool(Phase::Step, &[]);
    world.tool(Phase::Cleanup, &["out=cleaned"]);
    let log = world.run_with(&mut request_when(&[ready], &[INT])).unwrap();
    assert_eq!(*log.ending("STEP.1"), Ending::Interrupted { killed: false });
    assert_eq!(log.text("STEP.1", Stream::Stdout), "begun");
    assert_eq!(log.skipped(), [("STEP.2", SkipReason::Interrupted)]);
    assert_eq!(log.text("CLEANUP.1", Stream::Stdout), "cleaned");
    assert_eq!(log.ending, RunEnding::Interrupted { signal: INT });
    assert_eq!(signals(&log), [INT]);
}

#[test]
fn who_does_not_listen_to_the_first_request_is_killed_after_its_grace() {
    let mut world = Fixture::new();
    let ready = world.path("ready");
    world.tool(Phase::Step, &["ignore-term", &format!("write={ready}:x"), "sleep=60000"]);
    let log = world.run_with(&mut request_when(&[ready], &[TERM])).unwrap();
    assert_eq!(*log.ending("STEP.1"), Ending::Interrupted { killed: true });
    assert_eq!(log.ending, RunEnding::Interrupted { signal: TERM });
}

#[test]
fn the_second_request_kills_at_once_and_there_is_no_cleanup() {
    let mut world = Fixture::new();
    let ready = world.path("ready");
    let script = ["ignore-term", &format!("write={ready}:x"), "sleep=60000"];
    // Without the second request this would run for an hour.
    world.tool(Phase::Step, &script).grace_ms = 3_600_000;
    world.tool(Phase::Cleanup, &[]);
    let log = world.run_with(&mut request_when(&[ready.clone(), ready], &[INT, TERM])).unwrap();
    assert_eq!(*log.ending("STEP.1"), Ending::Interrupted { killed: true });
    assert_eq!(log.skipped(), [("CLEANUP.1", SkipReason::Interrupted)]);
    assert_eq!(log.ending, RunEnding::Interrupted { signal: INT });
    assert_eq!(signals(&log), [INT, TERM]);
}

#[test]
fn a_second_request_during_cleanup_ends_that_too() {
    let mut world = Fixture::new();
    let (ready, cleaning) = (world.path("ready"), world.path("cleaning"));
    world.tool(Phase::Step, &[&format!("write={ready}:x"), "sleep=60000"]);
    world.tool(Phase::Cleanup, &[&format!("write={cleaning}:x"), "sleep=3600000"]).timeout_ms = 3_600_000;
    world.tool(Phase::Cleanup, &[]);
    let log = world.run_with(&mut request_when(&[ready, cleaning], &[TERM, INT])).unwrap();
    assert_eq!(*log.ending("CLEANUP.1"), Ending::Interrupted { killed: true });
    assert_eq!(log.skipped(), [("CLEANUP.2", SkipReason::Interrupted)]);
    assert_eq!(log.ending, RunEnding::Interrupted { signal: TERM });
}

#[test]
fn a_request_before_the_run_lets_only_cleanup_run() {
    let mut world = Fixture::new();
    world.tool(Phase::Prerequisite, &[]);
    world.tool(Phase::Step, &[]);
    world.tool(Phase::Cleanup, &["out=cleaned"]);
    world.cancellation.request(INT);
    let log = world.run();
    assert_eq!(log.skipped(), [("PREREQ.1", SkipReason::Interrupted), ("STEP.1", SkipReason::Interrupted)]);
    assert_eq!(log.text("CLEANUP.1", Stream::Stdout), "cleaned");
    assert_eq!(log.ending, RunEnding::Interrupted { signal: INT });
}

#[test]
fn a_request_that_cannot_be_told_of_ends_the_run_and_all_of_it() {
    let mut world = Fixture::new();
    world.failing = Failing::Interrupting;
    let ready = world.path("ready");
    let child = format!("child=detached,closed:ignore-term;write={ready}:x;sleep=60000");
    world.tool(Phase::Step, &["ignore-term", &child, "sleep=60000"]).grace_ms = 3_600_000;
    let error = world.run_with(&mut request_when(&[ready], &[INT])).err().unwrap();
    assert_eq!(error.to_string(), "cannot write the journal: the journal is full");
}

#[test]
fn signals_to_this_process_become_requests_and_commands_are_born_without_them() {
    // The environment of the tests may ignore some of the signals; then they stay ignored.
    let ignored_at_start = ignored(&fs::read_to_string("/proc/self/status").unwrap());
    let cancellation = referee_exec::signal::install().unwrap();
    let mut expected = Vec::new();
    // SIGHUP counts once, however often it is received.
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::HUP, Signal::QUIT] {
        let number = signal.as_raw();
        let spared = [HUP, QUIT].contains(&number) && ignored_at_start & (1 << (number - 1)) != 0;
        if !spared && !expected.contains(&number) {
            expected.push(number);
        }
        kill_process(getpid(), signal).unwrap();
        eventually("the request comes", || cancellation.level() == expected.len());
    }
    assert_eq!(cancellation.requests(), expected);
    assert_eq!(ignored_by_a_command() & ASKING, ignored(&fs::read_to_string("/proc/self/status").unwrap()) & ASKING);
}

#[test]
fn an_ignored_signal_stays_ignored_here_and_in_commands() {
    if !Command::new("env").args(["--ignore-signal=HUP", "true"]).status().is_ok_and(|status| status.success()) {
        println!("skipped: no env(1) that can ignore a signal");
        return;
    }
    run_probe(
        "interruption::probe_ignoring_the_closed_terminal",
        "exec env --default-signal=INT,TERM,QUIT --ignore-signal=HUP {}",
    );
}

#[test]
#[ignore = "needs an ignored SIGHUP: it is run with one by the test above"]
fn probe_ignoring_the_closed_terminal() {
    let cancellation = referee_exec::signal::install().unwrap();
    kill_process(getpid(), Signal::HUP).unwrap();
    kill_process(getpid(), Signal::QUIT).unwrap();
    eventually("the request comes", || cancellation.level() == 1);
    assert_eq!(cancellation.requests(), [QUIT]);
    assert_eq!(ignored_by_a_command() & ASKING, 1 << (HUP - 1));
}

/// The bits of the signals that request a stop.
const ASKING: u64 = 1 << (HUP - 1) | 1 << (INT - 1) | 1 << (QUIT - 1) | 1 << (TERM - 1);

fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

/// Returns the signals that a command of a run ignores from its start.
fn ignored_by_a_command() -> u64 {
    let mut world = Fixture::new();
    world.argv(Phase::Step, &["cat", "/proc/self/status"]);
    ignored(&world.run().text("STEP.1", Stream::Stdout))
}
