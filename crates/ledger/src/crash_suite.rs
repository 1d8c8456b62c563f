//! One crash suite for every store: runs, incidents, workflow runs and agent runs.
//!
//! Each operation is interrupted at every single point where it changes the disk: the process is killed, or the
//! disk is full. Whatever the point, readers must see all of the old or all of the new state, and the next
//! process must continue from there. Then several processes work at the same time, and are killed at any time.
//! The state after a power loss is tried as well.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::LedgerError;
use crate::fault::injected::{self, Fault};

mod power_loss;

const ROOT: &str = "REFEREE_CRASH_ROOT";
const STORE: &str = "REFEREE_CRASH_STORE";
const DEED: &str = "REFEREE_CRASH_DEED";
const PLACE: &str = "REFEREE_CRASH_PLACE";
const ROUNDS: &str = "REFEREE_CRASH_ROUNDS";

/// A store under test. All its files are below one directory.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) operations: &'static [&'static str],
    /// Creates the state before an operation.
    pub(crate) prepare: fn(&Path, &str),
    pub(crate) act: fn(&Path, &str) -> Result<(), LedgerError>,
    /// Returns everything that a reader sees of an operation, without changing anything.
    pub(crate) look: fn(&Path, &str) -> String,
    /// Cleans up, as the next process does.
    pub(crate) settle: fn(&Path, &str) -> Result<(), LedgerError>,
    /// Checks that work can continue; the flag says whether the operation happened.
    pub(crate) check: fn(&Path, &str, bool),
    /// Returns whether an operation that reports failure has certainly not happened.
    pub(crate) is_exact: fn(&str) -> bool,
    /// Works under a name for a number of rounds, in parallel with others.
    pub(crate) work: fn(&Path, &str, u32),
    /// Returns how much all processes have done so far.
    pub(crate) progress: fn(&Path) -> usize,
    /// Checks that everything is complete; the number is that of the rounds of all processes, if they finished.
    pub(crate) whole: fn(&Path, Option<u32>),
}

const SUBJECTS: [&Subject; 4] = [
    &crate::store::crash_tests::SUBJECT,
    &crate::incidents::crash_tests::SUBJECT,
    &crate::stages::crash_tests::SUBJECT,
    &crate::agent_runs::crash_tests::SUBJECT,
];

/// Returns a temporary directory, in memory if possible: data written by a killed process is then there without
/// waiting for a disk.
fn ground() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn prepared(subject: &Subject, operation: &str) -> tempfile::TempDir {
    let directory = ground();
    (subject.prepare)(directory.path(), operation);
    directory
}

/// Returns the views before and after an operation.
fn expected(subject: &Subject, operation: &str) -> [String; 2] {
    let directory = prepared(subject, operation);
    let before = (subject.look)(directory.path(), operation);
    (subject.act)(directory.path(), operation).unwrap();
    let after = (subject.look)(directory.path(), operation);
    assert_ne!(before, after, "{} {operation}", subject.name);
    [before, after]
}

/// Returns whether an operation has happened; fails if only a part of it has.
fn has_happened(subject: &Subject, operation: &str, root: &Path, [before, after]: &[String; 2], at: &str) -> bool {
    let seen = (subject.look)(root, operation);
    assert!(seen == *after || seen == *before, "{} {operation}, {at}: half is seen: {seen}", subject.name);
    seen == *after
}

/// Runs in a process of its own, which the other tests start.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "it is told by its environment what to do")]
fn child() {
    let variable = |name| std::env::var(name).unwrap();
    let (root, name, operation) = (variable(ROOT), variable(STORE), variable(DEED));
    let subject = SUBJECTS.into_iter().find(|subject| subject.name == name).unwrap();
    if let Ok(rounds) = std::env::var(ROUNDS) {
        (subject.work)(Path::new(&root), &operation, rounds.parse().unwrap());
    } else {
        injected::arm(variable(PLACE).parse().unwrap(), Fault::Kill);
        (subject.act)(Path::new(&root), &operation).unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "the test starts itself again")]
fn start(subject: &Subject, root: &Path, operation: &str, (variable, value): (&str, u32)) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "crash_suite::child"])
        .env(ROOT, root)
        .env(STORE, subject.name)
        .env(DEED, operation)
        .env(variable, value.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills an operation at a point. Returns false if it passed fewer points and finished.
fn kill_at(subject: &Subject, root: &Path, operation: &str, place: u32) -> bool {
    let output = start(subject, root, operation, (PLACE, place)).wait_with_output().unwrap();
    let was_killed = output.status.signal() == Some(9);
    assert!(output.status.success() || was_killed, "{} {operation}, place {place}: {output:?}", subject.name);
    was_killed
}

fn each_deed(test: impl Fn(&Subject, &str, &[String; 2])) {
    for subject in SUBJECTS {
        for operation in subject.operations {
            test(subject, operation, &expected(subject, operation));
        }
    }
}

#[test]
fn a_deed_that_is_killed_anywhere_has_happened_or_has_not() {
    each_deed(|subject, operation, expected| {
        let (mut killed, mut undone) = (0, 0);
        for place in 0.. {
            let directory = prepared(subject, operation);
            let died = kill_at(subject, directory.path(), operation, place);
            let happened = has_happened(subject, operation, directory.path(), expected, &format!("killed at {place}"));
            (subject.check)(directory.path(), operation, happened);
            if !died {
                assert!(happened, "{} {operation}", subject.name);
                break;
            }
            killed += 1;
            undone += u32::from(!happened);
        }
        assert!(undone > 3 && undone <= killed, "{} {operation}: {killed} places, {undone} undone", subject.name);
    });
}

#[test]
fn a_disk_that_is_full_anywhere_is_told_and_leaves_all_of_the_old_or_all_of_the_new() {
    each_deed(|subject, operation, expected| {
        let mut refused = 0;
        for place in 0.. {
            let directory = prepared(subject, operation);
            injected::arm(place, Fault::Full);
            let done = (subject.act)(directory.path(), operation);
            let ended_well = injected::disarm();
            let at = format!("full at {place}");
            let happened = has_happened(subject, operation, directory.path(), expected, &at);
            assert!(happened || done.is_err(), "{} {operation}, {at}: {done:?}", subject.name);
            let is_exact = (subject.is_exact)(operation);
            assert!(!happened || done.is_ok() || !is_exact, "{} {operation}, {at}: {done:?}", subject.name);
            (subject.check)(directory.path(), operation, happened);
            if ended_well {
                break;
            }
            refused += u32::from(done.is_err());
        }
        assert!(refused > 3, "{} {operation}: {refused}", subject.name);
    });
}

#[test]
fn clearing_up_that_is_cut_off_anywhere_is_done_by_the_next() {
    each_deed(|subject, operation, expected| {
        for place in (0..).step_by(5) {
            let directory = prepared(subject, operation);
            let died = kill_at(subject, directory.path(), operation, place);
            for settling_place in 0.. {
                injected::arm(settling_place, Fault::Full);
                let settled = (subject.settle)(directory.path(), operation);
                let ended_well = injected::disarm();
                let at = format!("killed at {place}, full at {settling_place}");
                let happened = has_happened(subject, operation, directory.path(), expected, &at);
                if ended_well {
                    settled.unwrap();
                    (subject.check)(directory.path(), operation, happened);
                    break;
                }
            }
            if !died {
                break;
            }
        }
    });
}

#[test]
fn processes_that_work_at_once_lose_nothing() {
    for subject in SUBJECTS {
        let directory = prepared(subject, "");
        let (processes, rounds) = (4, 8);
        let children: Vec<_> = (0..processes)
            .map(|number| start(subject, directory.path(), &format!("p{number}"), (ROUNDS, rounds)))
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}: {}", subject.name, String::from_utf8_lossy(&output.stderr));
        }
        (subject.whole)(directory.path(), Some(processes * rounds));
    }
}

#[test]
fn processes_that_are_killed_at_any_time_leave_everything_whole() {
    for subject in SUBJECTS {
        let directory = prepared(subject, "");
        for kill in 0..4 {
            let before = (subject.progress)(directory.path());
            let mut children =
                [0, 1].map(|number| start(subject, directory.path(), &format!("k{kill}-{number}"), (ROUNDS, 1_000)));
            let began = Instant::now();
            // Killed in the middle of its work, each time at a different point.
            while (subject.progress)(directory.path()) < before + 7 {
                assert!(began.elapsed() < Duration::from_mins(1), "{}: they do nothing", subject.name);
                std::thread::yield_now();
            }
            for child in &mut children {
                child.kill().unwrap();
            }
            for child in &mut children {
                child.wait().unwrap();
            }
            (subject.whole)(directory.path(), None);
        }
    }
}
