//! Agent runs in the crash suite: a document is the old or the new one, and an existing run is found.

use std::path::Path;

use super::*;
use crate::crash_suite::Subject;

pub(crate) const SUBJECT: Subject = Subject {
    name: "agents",
    operations: &["write", "make"],
    prepare,
    act,
    look,
    settle: |_, _| Ok(()),
    check,
    // A document that exists but is not certainly on disk is reported as failed.
    is_exact: |_| false,
    work,
    progress: |root| ids(&state(root)).unwrap().len(),
    whole,
};

fn state(root: &Path) -> State {
    State::open(&root.join("state")).unwrap()
}

fn prepare(root: &Path, _operation: &str) {
    let run = RunDirectory::make(&state(root), "run-1").unwrap();
    run.write(RunFile::Run, b"old").unwrap();
}

fn act(root: &Path, operation: &str) -> Result<(), LedgerError> {
    let run = if operation == "make" { RunDirectory::make(&state(root), "run-2")? } else { found(root, "run-1") };
    run.write(RunFile::Run, b"new")
}

fn found(root: &Path, run: &str) -> RunDirectory {
    RunDirectory::find(&state(root), run).unwrap().unwrap()
}

fn look(root: &Path, operation: &str) -> String {
    let run = RunDirectory::find(&state(root), if operation == "make" { "run-2" } else { "run-1" }).unwrap();
    format!("{:?}", run.and_then(|run| run.read(RunFile::Run).unwrap()))
}

fn check(root: &Path, operation: &str, happened: bool) {
    if !happened && operation == "write" {
        act(root, operation).unwrap();
        assert_eq!(found(root, "run-1").read(RunFile::Run).unwrap().unwrap(), b"new");
    }
    assert!(found(root, "run-1").files().unwrap() == [RunFile::Run]);
    RunDirectory::make(&state(root), "run-3").unwrap();
}

fn work(root: &Path, who: &str, rounds: u32) {
    for round in 0..rounds {
        let _lock = WorkspaceLock::take(&state(root), Path::new(who)).unwrap().expect("nobody else works there");
        let run = RunDirectory::make(&state(root), &format!("run-{who}-{round}")).unwrap();
        for turn in 1..4 {
            run.write(RunFile::Agent(turn), b"turn").unwrap();
            run.write(RunFile::Run, turn.to_string().as_bytes()).unwrap();
        }
    }
}

fn whole(root: &Path, rounds: Option<u32>) {
    let all = ids(&state(root)).unwrap();
    for id in all.iter().filter(|id| *id != "run-1") {
        let run = found(root, id);
        let turn =
            run.read(RunFile::Run).unwrap().map_or(0, |bytes| String::from_utf8(bytes).unwrap().parse().unwrap());
        for earlier in 1..=turn {
            assert_eq!(run.read(RunFile::Agent(earlier)).unwrap().unwrap(), b"turn", "{id}");
        }
        assert!(rounds.is_none() || turn == 3, "{id}");
    }
    if let Some(rounds) = rounds {
        assert_eq!(all.len(), 1 + rounds as usize);
    }
}
