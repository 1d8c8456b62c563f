//! Runs in the crash suite: the latest run is the earlier or the new one, and a run that died is found. With a
//! state directory the chain head names one of them at every point, and the chain is never broken.

use std::path::{Path, PathBuf};

use crate::chain_status::ChainStanding;
use crate::crash_suite::Subject;
use crate::error::LedgerError;
use crate::fault::injected;
use crate::sample::{self, execution, task};
use crate::state::{Area, State};
use crate::store::Store;
use crate::verify;

pub(crate) const SUBJECT: Subject = Subject {
    name: "runs",
    operations: &["exchange, state", "exchange", "state", "neither"],
    prepare,
    act,
    look,
    settle,
    check,
    // An error after the run was published is reported, too.
    is_exact: |_| false,
    work,
    progress,
    whole,
};

fn evidence(root: &Path) -> PathBuf {
    root.join("evidence")
}

/// Opens the evidence root of an operation, with or without a state directory; directories can be exchanged, or
/// cannot.
fn store(root: &Path, operation: &str) -> Result<Store, LedgerError> {
    injected::let_exchange_work(operation.is_empty() || operation.contains("exchange"));
    Store::open_with(&evidence(root), state(root, operation).as_ref())
}

fn state(root: &Path, operation: &str) -> Option<State> {
    (operation.is_empty() || operation.contains("state")).then(|| State::open(&root.join("state")).unwrap())
}

fn staging(root: &Path, operation: &str) -> PathBuf {
    match state(root, operation) {
        None => evidence(root).join(".staging/T001"),
        Some(state) => {
            let staging = state.area(Area::Staging).unwrap();
            let key = names(&staging).pop().unwrap();
            staging.join(key).join("T001")
        }
    }
}

/// Returns the names in a directory, sorted.
fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn prepare(root: &Path, operation: &str) {
    // Publishes a first run; the operation under test is the second one.
    injected::let_exchange_work(true);
    sample::run(&Store::open_with(&evidence(root), state(root, operation).as_ref()).unwrap(), 1).unwrap();
}

fn act(root: &Path, operation: &str) -> Result<(), LedgerError> {
    let store = store(root, operation)?;
    store.recover(&task())?;
    sample::run(&store, 2).map(drop)
}

fn settle(root: &Path, operation: &str) -> Result<(), LedgerError> {
    store(root, operation)?.recover(&task()).map(drop)
}

fn look(root: &Path, operation: &str) -> String {
    assert_chain(root, operation);
    match store(root, operation).unwrap().sealed(&task()) {
        Some(directory) => whole_run(&directory),
        None if operation.contains("exchange") => panic!("{operation}: nothing stands"),
        // The earlier run was moved away, and the new one has not taken its place yet.
        None => "exec-1".to_owned(),
    }
}

fn whole_run(directory: &Path) -> String {
    let integrity = verify::integrity(directory).unwrap();
    assert_eq!(integrity.findings, [], "{}", directory.display());
    integrity.seal.unwrap().execution_id.to_string()
}

/// Checks that the chain reports no break, whatever the task's directory and its history hold.
fn assert_chain(root: &Path, operation: &str) {
    let Some(state) = state(root, operation) else { return };
    let history = evidence(root).join(".history/T001");
    let earlier = names(&history).into_iter().map(|name| history.join(name));
    for directory in
        earlier.chain([evidence(root).join("T001")]).filter(|directory| directory.join("seal.json").exists())
    {
        let survey = Store::survey(&directory, &task(), Some(&state)).unwrap().unwrap();
        assert_eq!(survey.breaks, Vec::<String>::new(), "{operation}: {}", directory.display());
        let holds = match survey.standing {
            ChainStanding::Head | ChainStanding::Publishing | ChainStanding::Earlier => true,
            // When several processes work in parallel some runs are superseded.
            // A power loss may leave a seal over files that were lost: such a run died.
            ChainStanding::Unnamed => {
                operation.is_empty() || !verify::integrity(&directory).unwrap().findings.is_empty()
            }
            _ => false,
        };
        assert!(holds, "{operation}: {}: {survey:?}", directory.display());
    }
}

fn check(root: &Path, operation: &str, _happened: bool) {
    let store = store(root, operation).unwrap();
    let staged = names(&staging(root, operation));
    let standing = store.sealed(&task()).map(|directory| whole_run(&directory));
    let unfinished = store.unfinished(&task()).unwrap();
    if standing.as_deref() == Some("exec-2") {
        assert_eq!(unfinished, [], "{operation}");
    } else {
        let found: Vec<_> = unfinished.iter().map(|run| (run.execution.to_string(), run.live)).collect();
        let expected: Vec<_> = staged.iter().map(|name| (name.clone(), false)).collect();
        assert_eq!(found, expected, "{operation}: a dead run is not found");
    }

    settle(root, operation).unwrap();
    assert_eq!(names(&staging(root, operation)), Vec::<String>::new(), "{operation}");
    assert_eq!(store.unfinished(&task()).unwrap(), [], "{operation}");
    assert_chain(root, operation);
    let standing = whole_run(&store.sealed(&task()).unwrap());
    let history = evidence(root).join(".history/T001");
    match (standing.as_str(), names(&history).as_slice()) {
        ("exec-2", [one]) => {
            assert_eq!(one, "exec-1");
            whole_run(&history.join(one));
        }
        ("exec-1", []) => assert!(staged.is_empty(), "{operation}: the dead run is lost"),
        ("exec-1", [dead]) => assert_eq!(dead, "exec-2"),
        other => panic!("{operation}: {other:?}"),
    }

    let (before, digest) = sample::seal_of(&evidence(root).join("T001")).unwrap();
    let published = sample::run(&store, 3).unwrap();
    assert_eq!(published.gap, None, "{operation}");
    let (seal, _) = sample::seal_of(&evidence(root).join("T001")).unwrap();
    assert_eq!((seal.execution_id, seal.previous_seal), (execution(3), Some(digest)), "{operation}");
    assert_eq!(seal.sequence, before.sequence.map(|sequence| sequence + 1), "{operation}");
    assert_chain(root, operation);
    injected::let_exchange_work(true);
}

/// Publishes runs of one task in parallel; those that are overtaken are superseded.
fn work(root: &Path, who: &str, rounds: u32) {
    let store = store(root, "").unwrap();
    let lane = who.bytes().fold(0, |sum, byte| sum * 31 % 9_973 + u32::from(byte));
    for round in 0..rounds {
        store.recover(&task()).unwrap();
        sample::run(&store, 10_000 * lane + round + 10).unwrap();
    }
}

fn sealed_runs(root: &Path) -> Vec<PathBuf> {
    let history = evidence(root).join(".history/T001");
    let earlier = names(&history).into_iter().map(|name| history.join(name));
    earlier.chain([evidence(root).join("T001")]).filter(|directory| directory.join("seal.json").exists()).collect()
}

fn progress(root: &Path) -> usize {
    sealed_runs(root).len()
}

fn whole(root: &Path, rounds: Option<u32>) {
    settle(root, "").unwrap();
    assert_chain(root, "");
    let runs = sealed_runs(root);
    for run in &runs {
        whole_run(run);
    }
    if let Some(rounds) = rounds {
        assert_eq!(runs.len(), 1 + rounds as usize);
    }
}
