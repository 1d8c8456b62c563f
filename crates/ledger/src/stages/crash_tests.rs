//! Workflow runs in the crash suite: a run is as it was before or as it is afterwards, and its log is known.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use referee_model::stage::log::StageChange;

use super::tests::{Fixture, composition, open, path, stage, time};
use super::*;
use crate::crash_suite::Subject;

pub(crate) const SUBJECT: Subject = Subject {
    name: "stages",
    operations: &["compose", "append", "adopt", "copy", "keep"],
    prepare,
    act,
    look: |root, operation| format!("{:#?}", view(root, operation)),
    // The next change to a run cuts off a partial line, and the next composition removes what is left of
    // another.
    settle: |_, _| Ok(()),
    check,
    // A copy that exists but is not certainly on disk is reported as failed: nothing depends on it.
    is_exact: |operation| !matches!(operation, "copy" | "keep"),
    work,
    progress: |root| log(root).lines.len(),
    whole,
};

/// State that must not be seen partially: runs with the trust and the number of lines of their logs; then
/// files.
type View = (Vec<(String, LogTrust, usize)>, Vec<(String, Vec<u8>)>);

fn state(root: &Path) -> State {
    State::open(&root.join("state")).unwrap()
}

fn run(root: &Path) -> PathBuf {
    root.join("runs/run-2026-11-22-001")
}

fn prepare(root: &Path, operation: &str) {
    composition::compose(&root.join("runs"), &state(root), &composition()).unwrap();
    if operation == "adopt" {
        fs::remove_dir_all(root.join("state")).unwrap();
    }
    if operation == "copy" || operation == "keep" {
        let data = run(root).join("stages/explore/run/output-data");
        for name in ["accept.json", "handback.json", "findings.json"] {
            fs::write(data.join(name), name).unwrap();
        }
    }
}

fn act(root: &Path, operation: &str) -> Result<(), LedgerError> {
    let state = state(root);
    if operation == "compose" {
        return composition::compose(&root.join("runs"), &state, &composition()).map(drop);
    }
    let opened = open(&run(root));
    let held = opened.hold(&state)?.unwrap();
    let (explore, data) = (stage("explore"), |name: &str| path(&format!("run/output-data/{name}")));
    match operation {
        "append" => append(&held).map(drop),
        "adopt" => held.adopt(time(), "a person").map(drop),
        "copy" => {
            held.copy((&explore, &data("findings.json")), (&stage("specify"), &path("inputs/findings.json"))).map(drop)
        }
        "keep" => {
            held.keep_attempt(&explore, 1, &[data("accept.json"), data("handback.json")], &[data("findings.json")])
        }
        other => panic!("{other}"),
    }
}

fn append(held: &HeldRun<'_>) -> Result<StageLogLine, LedgerError> {
    let operation = StageChange::Prepared { sources: BTreeMap::new(), inputs: BTreeMap::new() };
    held.append(time(), Some(&stage("explore")), 0, "cli", operation)
}

/// Collects all named files below a directory, by path; hidden files are not finished yet.
fn files(directory: &Path, above: &str, found: &mut Vec<(String, Vec<u8>)>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{above}/{name}");
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), &path, found);
        } else {
            found.push((path, fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
}

fn view(root: &Path, operation: &str) -> View {
    let mut runs: Vec<(String, LogTrust, usize)> = Vec::new();
    for entry in fs::read_dir(root.join("runs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.starts_with('.') {
            let log = open(&root.join("runs").join(&name)).log(Some(&state(root))).unwrap();
            runs.push((name, log.trust, log.lines.len()));
        }
    }
    runs.sort_by(|one, other| one.0.cmp(&other.0));
    let mut found = Vec::new();
    match operation {
        "copy" => files(&run(root).join("stages/specify/inputs"), "", &mut found),
        "keep" => files(&run(root).join("stages/explore/attempts"), "", &mut found),
        _ => {}
    }
    (runs, found)
}

fn check(root: &Path, operation: &str, happened: bool) {
    if operation == "keep" {
        // The outputs of an attempt are in one of the two directories at any time.
        for name in ["accept.json", "handback.json", "findings.json"] {
            let below = format!("run/output-data/{name}");
            let explore = run(root).join("stages/explore");
            let is_kept = explore.join("attempts/001").join(&below).exists();
            assert!(is_kept || explore.join(&below).exists(), "{operation}: {name} is lost");
        }
    }
    // The next process continues from there, and leaves no partial line.
    if operation == "adopt" && !happened || operation == "copy" || operation == "keep" {
        act(root, operation).unwrap();
        let (_, found) = view(root, operation);
        assert_eq!(
            found.len(),
            match operation {
                "copy" => 1,
                "keep" => 3,
                _ => 0,
            },
            "{operation}: again"
        );
    }
    let (opened, state) = (open(&run(root)), state(root));
    append(&opened.hold(&state).unwrap().unwrap()).unwrap();
    let log = opened.log(Some(&state)).unwrap();
    let numbers: Vec<u64> = log.lines.iter().map(|line| line.sequence).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{operation}");
    assert_eq!(log.trust, LogTrust::Kept, "{operation}");
    composition::compose(&root.join("runs"), &state, &composition()).unwrap();
    let hidden = fs::read_dir(root.join("runs")).unwrap().map(|entry| entry.unwrap().file_name());
    let hidden: Vec<_> = hidden.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert!(hidden.is_empty(), "{operation}: {hidden:?}");
}

fn log(root: &Path) -> RunLog {
    open(&run(root)).log(Some(&state(root))).unwrap()
}

/// Adds lines to one run and counts in a file of it, reads its log in between, and composes another run.
fn work(root: &Path, who: &str, rounds: u32) {
    let (state, run, count) = (state(root), open(&run(root)), path("run/count"));
    for _ in 0..rounds {
        let held = loop {
            if let Some(held) = run.hold(&state).unwrap() {
                break held;
            }
        };
        let counted: u32 = match run.read(&stage("explore"), &count).unwrap() {
            FileContent::Bytes(bytes) => String::from_utf8(bytes).unwrap().parse().unwrap(),
            _ => 0,
        };
        held.write(&stage("explore"), &count, (counted + 1).to_string().as_bytes()).unwrap();
        let operation = StageChange::Prepared { sources: BTreeMap::new(), inputs: BTreeMap::new() };
        held.append(time(), Some(&stage("explore")), 0, who, operation).unwrap();
        drop(held);
        // Other processes write meanwhile, and a reader never takes that for tampering.
        assert_eq!(run.log(Some(&state)).unwrap().trust, LogTrust::Kept);
    }
    composition::compose(&root.join("runs"), &state, &composition()).unwrap();
}

fn whole(root: &Path, rounds: Option<u32>) {
    append(&open(&run(root)).hold(&state(root)).unwrap().unwrap()).unwrap();
    let log = log(root);
    assert_eq!(log.trust, LogTrust::Kept);
    let numbers: Vec<u64> = log.lines.iter().map(|line| line.sequence).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let Some(rounds) = rounds else { return };
    assert_eq!(fs::read_to_string(run(root).join("stages/explore/run/count")).unwrap(), rounds.to_string());
    assert_eq!(log.lines.len(), 2 + rounds as usize);
    let mut by: BTreeMap<&str, u32> = BTreeMap::new();
    for line in &log.lines {
        *by.entry(&line.by).or_default() += 1;
    }
    assert_eq!(by.remove("cli"), Some(2));
    assert!(by.len() == 4 && by.values().all(|lines| *lines == rounds / 4), "{by:?}");
}

#[test]
fn runs_that_are_composed_beside_one_another_each_get_a_number_of_their_own() {
    // WF-01, many in parallel.
    let ground = Fixture::new();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (runs, state) = (ground.runs(), ground.state());
            std::thread::spawn(move || composition::compose(&runs, &state, &composition()).unwrap())
        })
        .collect();
    let composed: BTreeSet<PathBuf> = threads.into_iter().map(|thread| thread.join().unwrap().path).collect();
    assert_eq!(composed.len(), 8);
    let names: Vec<_> = composed.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let expected: Vec<_> = (1..=8).map(|number| format!("run-2026-11-22-{number:03}")).collect();
    assert_eq!(names, expected);
    for run in &composed {
        assert_eq!(open(run).log(Some(&ground.state())).unwrap().trust, LogTrust::Kept);
    }
    assert_eq!(std::fs::read_dir(ground.runs()).unwrap().count(), 8);
}
