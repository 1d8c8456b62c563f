//! A run is killed, or its disk is full, at every single place where it changes the disk. Whatever the place: the
//! earlier run stands, or the new one does, and a run that died is found. With a state folder the head of the chain names
//! one of them at every place, and nothing in the chain is ever broken.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fault::injected::{self, Fault};
use crate::sample::{self, execution, task};
use crate::state::{Area, State};
use crate::store::Store;
use crate::survey::ChainStanding;
use crate::verify;

const ROOT: &str = "REFEREE_LEDGER_CRASH_ROOT";
const PLACE: &str = "REFEREE_LEDGER_CRASH_PLACE";
const EXCHANGE: &str = "REFEREE_LEDGER_CRASH_EXCHANGE";
const STATE: &str = "REFEREE_LEDGER_CRASH_STATE";

/// An evidence root, with or without a state folder beside it.
struct Ground {
    folder: tempfile::TempDir,
    state: bool,
}

impl Ground {
    /// One in which a first run was made.
    fn new(state: bool) -> Self {
        let ground = Self { folder: tempfile::tempdir().unwrap(), state };
        sample::run(&ground.store(), 1).unwrap();
        ground
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("evidence")
    }

    fn state(&self) -> Option<State> {
        self.state.then(|| State::open(&self.folder.path().join("state")).unwrap())
    }

    fn store(&self) -> Store {
        Store::open_with(&self.root(), self.state().as_ref()).unwrap()
    }

    /// Where runs are written.
    fn staging(&self) -> PathBuf {
        match self.state() {
            None => self.root().join(".staging/T001"),
            Some(state) => {
                let staging = state.area(Area::Staging).unwrap();
                let key = names(&staging).pop().unwrap();
                staging.join(key).join("T001")
            }
        }
    }

    /// Makes sure that the chain tells of no break, whatever stands in the task's place and in its history.
    fn assert_chain(&self, place: u32) {
        let Some(state) = self.state() else { return };
        let history = self.root().join(".history/T001");
        let earlier = names(&history).into_iter().map(|name| history.join(name));
        for folder in earlier.chain([self.root().join("T001")]).filter(|folder| folder.join("seal.json").exists()) {
            let survey = Store::survey(&folder, &task(), Some(&state)).unwrap().unwrap();
            assert_eq!(survey.breaks, Vec::<String>::new(), "place {place}: {}", folder.display());
            let holds = [ChainStanding::Head, ChainStanding::Publishing, ChainStanding::Earlier];
            assert!(holds.contains(&survey.standing), "place {place}: {}: {survey:?}", folder.display());
        }
    }
}

/// Runs in a process of its own, which [`kill_at`] starts: a run that is killed at the given place.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "it is told by its environment what to do")]
fn child_that_is_killed() {
    let variable = |name| std::env::var(name).unwrap();
    injected::let_exchange_work(variable(EXCHANGE) == "true");
    let state = variable(STATE);
    let state = (!state.is_empty()).then(|| State::open(Path::new(&state)).unwrap());
    injected::arm(variable(PLACE).parse().unwrap(), Fault::Kill);
    let store = Store::open_with(Path::new(&variable(ROOT)), state.as_ref()).unwrap();
    store.recover(&task()).unwrap();
    sample::run(&store, 2).unwrap();
}

/// Kills a second run at a place; false: it passed fewer places and ended well.
#[expect(clippy::disallowed_methods, reason = "the test starts itself anew, to be killed")]
fn kill_at(ground: &Ground, place: u32, exchange: bool) -> bool {
    let state = ground.state().map(|state| state.path().to_path_buf()).unwrap_or_default();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "crash_tests::child_that_is_killed"])
        .env(ROOT, ground.root())
        .env(STATE, state)
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
fn check(ground: &Ground, place: u32, exchange: bool, recover: fn(&Ground, u32)) {
    let (store, root) = (ground.store(), ground.root());
    ground.assert_chain(place);
    let staged = names(&ground.staging());
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

    recover(ground, place);
    assert_eq!(names(&ground.staging()), Vec::<String>::new(), "place {place}");
    assert_eq!(store.unfinished(&task()).unwrap(), [], "place {place}");
    ground.assert_chain(place);
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

    let (before, digest) = sample::seal_of(&root.join("T001")).unwrap();
    let published = sample::run(&store, 3).unwrap();
    assert_eq!(published.gap, None, "place {place}");
    let (seal, _) = sample::seal_of(&root.join("T001")).unwrap();
    assert_eq!((seal.execution_id, seal.previous_seal), (execution(3), Some(digest)), "place {place}");
    assert_eq!(seal.sequence, before.sequence.map(|sequence| sequence + 1), "place {place}");
    ground.assert_chain(place);
}

fn recover(ground: &Ground, _place: u32) {
    ground.store().recover(&task()).unwrap();
}

/// Recovery, too, may be cut off anywhere, and is then tried again.
fn recover_with_full_disk_at_every_place(ground: &Ground, place: u32) {
    let store = ground.store();
    for recovery_place in 0.. {
        injected::arm(recovery_place, Fault::Full);
        let recovered = store.recover(&task());
        if injected::disarm() {
            recovered.unwrap();
            return;
        }
        assert!(recovered.is_err(), "place {place}, {recovery_place} of recovery");
        ground.assert_chain(place);
    }
}

/// All kinds of places that evidence may lie in: whether folders can be exchanged, whether there is a state folder.
const KINDS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

#[test]
fn a_run_that_is_killed_anywhere_leaves_the_earlier_run_or_itself() {
    for (exchange, state) in KINDS {
        let mut killed = 0;
        for place in 0.. {
            injected::let_exchange_work(true);
            let ground = Ground::new(state);
            injected::let_exchange_work(exchange);
            let died = kill_at(&ground, place, exchange);
            check(&ground, place, exchange, recover);
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
    for (exchange, state) in KINDS {
        for place in 0.. {
            let ground = Ground::new(state);
            let store = ground.store();
            injected::let_exchange_work(exchange);
            injected::arm(place, Fault::Full);
            let published = sample::run(&store, 2);
            let ended_well = injected::disarm();
            assert_eq!(published.is_ok(), ended_well, "place {place}: {published:?}");
            check(&ground, place, exchange, recover_with_full_disk_at_every_place);
            if ended_well {
                break;
            }
        }
    }
    injected::let_exchange_work(true);
}
