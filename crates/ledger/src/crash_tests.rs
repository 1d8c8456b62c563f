//! A run is killed, or its disk is full, at every single place where it changes the disk. Whatever the place: the
//! earlier run stands, or the new one does, and a run that died is found.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use crate::fault::injected::{self, Fault};
use crate::sample::{self, execution, task};
use crate::store::Store;
use crate::verify;

const ROOT: &str = "REFEREE_LEDGER_CRASH_ROOT";
const PLACE: &str = "REFEREE_LEDGER_CRASH_PLACE";
const EXCHANGE: &str = "REFEREE_LEDGER_CRASH_EXCHANGE";

/// Runs in a process of its own, which [`kill_at`] starts: a run that is killed at the given place.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "it is told by its environment what to do")]
fn child_that_is_killed() {
    let variable = |name| std::env::var(name).unwrap();
    injected::let_exchange_work(variable(EXCHANGE) == "true");
    injected::arm(variable(PLACE).parse().unwrap(), Fault::Kill);
    let store = Store::open(Path::new(&variable(ROOT))).unwrap();
    store.recover(&task()).unwrap();
    sample::run(&store, 2).unwrap();
}

/// Kills a second run at a place; false: it passed fewer places and ended well.
#[expect(clippy::disallowed_methods, reason = "the test starts itself anew, to be killed")]
fn kill_at(root: &Path, place: u32, exchange: bool) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "crash_tests::child_that_is_killed"])
        .env(ROOT, root)
        .env(PLACE, place.to_string())
        .env(EXCHANGE, exchange.to_string())
        .output()
        .unwrap();
    assert!(output.status.success() || output.status.signal() == Some(9), "place {place}: {output:?}");
    output.status.signal() == Some(9)
}

/// Names of the runs that lie somewhere, sorted.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn assert_whole(folder: &Path, place: u32) -> String {
    let integrity = verify::integrity(folder).unwrap();
    assert_eq!(integrity.findings, [], "place {place}: {}", folder.display());
    integrity.seal.unwrap().execution_id.to_string()
}

/// What must hold after a second run died, first as it lies there, then after recovery.
fn check(root: &Path, place: u32, exchange: bool) {
    let store = Store::open(root).unwrap();
    let staged = names(&root.join(".staging/T001"));
    let standing = store.sealed(&task()).map(|folder| assert_whole(&folder, place));
    assert!(standing.is_some() || !exchange, "place {place}: nothing stands");
    let unfinished = store.unfinished(&task()).unwrap();
    if standing.as_deref() == Some("exec-2") {
        assert_eq!(unfinished, [], "place {place}");
    } else {
        let found: Vec<_> = unfinished.iter().map(|run| (run.execution.to_string(), run.live)).collect();
        let expected: Vec<_> = staged.iter().map(|name| (name.clone(), false)).collect();
        assert_eq!(found, expected, "place {place}: a dead run is not found");
    }

    recover_with_full_disk_at_every_place(&store, place);
    assert_eq!(names(&root.join(".staging/T001")), Vec::<String>::new(), "place {place}");
    assert_eq!(store.unfinished(&task()).unwrap(), [], "place {place}");
    let standing = assert_whole(&store.sealed(&task()).unwrap(), place);
    let history = names(&root.join(".history/T001"));
    match (standing.as_str(), history.as_slice()) {
        ("exec-2", [one]) => {
            assert_eq!(one, "exec-1");
            assert_whole(&root.join(".history/T001/exec-1"), place);
        }
        ("exec-1", []) => assert!(staged.is_empty(), "place {place}: the dead run is lost"),
        ("exec-1", [dead]) => assert_eq!(dead, "exec-2"),
        other => panic!("place {place}: {other:?}"),
    }

    let before = sample::seal_of(&root.join("T001")).unwrap();
    sample::run(&store, 3).unwrap();
    let (seal, _) = sample::seal_of(&root.join("T001")).unwrap();
    assert_eq!((seal.execution_id, seal.previous_seal), (execution(3), Some(before.1)), "place {place}");
}

/// Recovery, too, may be cut off anywhere, and is then tried again.
fn recover_with_full_disk_at_every_place(store: &Store, place: u32) {
    for recovery_place in 0.. {
        injected::arm(recovery_place, Fault::Full);
        let recovered = store.recover(&task());
        if injected::disarm() {
            recovered.unwrap();
            return;
        }
        assert!(recovered.is_err(), "place {place}, {recovery_place} of recovery");
    }
}

#[test]
fn a_run_that_is_killed_anywhere_leaves_the_earlier_run_or_itself() {
    for exchange in [true, false] {
        let mut killed = 0;
        for place in 0.. {
            let root = tempfile::tempdir().unwrap();
            sample::run(&Store::open(root.path()).unwrap(), 1).unwrap();
            injected::let_exchange_work(exchange);
            let died = kill_at(root.path(), place, exchange);
            check(root.path(), place, exchange);
            if !died {
                break;
            }
            killed += 1;
        }
        assert!(killed > 15, "only {killed} places were passed");
    }
}

#[test]
fn a_disk_that_is_full_anywhere_is_told_and_leaves_the_earlier_run_or_the_new_one() {
    for exchange in [true, false] {
        for place in 0.. {
            let root = tempfile::tempdir().unwrap();
            let store = Store::open(root.path()).unwrap();
            injected::let_exchange_work(exchange);
            sample::run(&store, 1).unwrap();
            injected::arm(place, Fault::Full);
            let published = sample::run(&store, 2);
            let ended_well = injected::disarm();
            assert_eq!(published.is_ok(), ended_well, "place {place}: {published:?}");
            check(root.path(), place, exchange);
            if ended_well {
                break;
            }
        }
    }
}
