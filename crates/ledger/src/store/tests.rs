use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use referee_model::id::Digest;

use super::*;
use crate::sample::{self, at, execution, plan_digest, seal_of, task};
use crate::verify;

fn store() -> (tempfile::TempDir, Store) {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path()).unwrap();
    (root, store)
}

#[test]
fn runs_follow_one_another_and_the_earlier_go_into_history() {
    let (root, store) = store();
    assert_eq!(store.sealed(&task()), None);
    let first = sample::run(&store, 1).unwrap();
    let second = sample::run(&store, 2).unwrap();
    assert_eq!(store.sealed(&task()), Some(root.path().join("T001")));
    assert_eq!((first.gap, second.gap), (None, None));
    let (seal, digest) = seal_of(&second.directory).unwrap();
    assert_eq!((digest, seal.previous_seal), (second.seal_digest, Some(first.seal_digest)));
    let names: Vec<_> = seal.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["STEP.1-sample.log", "execution-report.json", "journal.jsonl"]);
    for directory in [second.directory, root.path().join(".history/T001/exec-1")] {
        assert_eq!(verify::integrity(&directory).unwrap().findings, []);
    }
}

#[test]
fn the_chain_holds_the_runs_that_seals_name_and_no_superseded_one() {
    let (root, store) = store();
    assert_eq!((store.tasks().unwrap(), store.chain(&task()).unwrap()), (Vec::new(), Vec::new()));
    for number in [1, 3, 2, 4] {
        sample::run(&store, number).unwrap();
    }
    assert_eq!(store.tasks().unwrap(), [task()]);
    let names = |store: &Store| -> Vec<String> {
        store.chain(&task()).unwrap().iter().map(|run| run.execution.to_string()).collect()
    };
    assert_eq!(names(&store), ["exec-1", "exec-3", "exec-4"], "2 came after 3, which had started later");
    fs::remove_dir_all(root.path().join(".history/T001/exec-3")).unwrap();
    assert_eq!(names(&store), ["exec-4"], "nothing before a gap is known to belong to the chain");
    fs::write(root.path().join("T001/seal.json"), "junk").unwrap();
    assert_eq!(names(&store), Vec::<String>::new());
}

#[test]
fn version_control_is_told_to_leave_a_root_alone_that_was_made_and_no_other() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("a/evidence");
    Store::open(&root).unwrap();
    assert_eq!(fs::read_to_string(root.join(".gitignore")).unwrap(), "*\n");
    fs::write(root.join(".gitignore"), "mine").unwrap();
    Store::open(&root).unwrap();
    assert_eq!(fs::read_to_string(root.join(".gitignore")).unwrap(), "mine");
    Store::open(outer.path()).unwrap();
    assert!(!outer.path().join(".gitignore").exists());
}

#[test]
fn a_run_is_live_as_long_as_it_is_held_and_dead_afterwards() {
    let (root, store) = store();
    let mut staging = sample::begin(&store, 1).unwrap();
    let unfinished = |store: &Store| store.unfinished(&task()).unwrap();
    assert_eq!(unfinished(&store)[0].started, None);
    sample::start(&mut staging, 1).unwrap();
    assert_eq!((unfinished(&store)[0].live, unfinished(&store)[0].started), (true, Some(at(1))));
    assert_eq!(store.recover(&task()).unwrap(), [], "a run that lives is left alone");
    // A thread that starts a process at this moment has a child with all open files for a short time.
    let child = rustix::io::dup(&**staging.live).unwrap();
    drop(staging);
    assert!(!unfinished(&store)[0].live);
    let buried = store.recover(&task()).unwrap();
    let path = buried[0].path.clone().unwrap();
    assert_eq!(path, root.path().join(".history/T001/exec-1"));
    assert_eq!((buried[0].execution.clone(), buried[0].started), (execution(1), Some(at(1))));
    assert!(path.join("journal.jsonl").exists());
    drop(child);
    assert_eq!(unfinished(&store), []);
}

#[test]
fn runs_of_one_task_at_once_never_mix_and_the_one_that_started_last_stands() {
    let (root, store) = store();
    std::thread::scope(|scope| {
        for number in 1..=8 {
            let store = &store;
            scope.spawn(move || sample::run(store, number).unwrap());
        }
    });
    let mut directories = vec![root.path().join("T001")];
    directories.extend(fs::read_dir(root.path().join(".history/T001")).unwrap().map(|entry| entry.unwrap().path()));
    let mut previous: BTreeMap<Digest, Option<Digest>> = BTreeMap::new();
    for directory in &directories {
        assert_eq!(verify::integrity(directory).unwrap().findings, []);
        let (seal, digest) = seal_of(directory).unwrap();
        let log = fs::read_to_string(directory.join("STEP.1-sample.log")).unwrap();
        assert_eq!(log, format!("run {}\na warning\n", seal.execution_id.as_str().trim_start_matches("exec-")));
        previous.insert(digest, seal.previous_seal);
    }
    assert_eq!(seal_of(&directories[0]).unwrap().0.execution_id, execution(8));
    assert_eq!(previous.len(), 8);
    assert_eq!(previous.values().filter(|earlier| earlier.is_none()).count(), 1, "one is the first");
    assert!(previous.values().flatten().all(|earlier| previous.contains_key(earlier)));
}

#[test]
fn one_execution_begins_once() {
    let (_root, store) = store();
    let _first = sample::begin(&store, 1).unwrap();
    assert!(sample::begin(&store, 1).is_err());
}

#[test]
fn links_and_files_in_the_place_of_directories_are_refused_and_left_alone() {
    let (root, store) = store();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    symlink(root.path(), &link).unwrap();
    assert!(matches!(Store::open(&link), Err(LedgerError::NotADirectory { .. })));
    symlink("nowhere", elsewhere.path().join("dangling")).unwrap();
    assert!(matches!(Store::open(&elsewhere.path().join("dangling")), Err(LedgerError::NotADirectory { .. })));
    fs::write(elsewhere.path().join("file"), "").unwrap();
    assert!(matches!(Store::open(&elsewhere.path().join("file")), Err(LedgerError::NotADirectory { .. })));

    let place = root.path().join("T001");
    symlink(elsewhere.path(), &place).unwrap();
    assert!(matches!(sample::run(&store, 1), Err(LedgerError::NotADirectory { path }) if path == place));
    assert_eq!(fs::read_link(&place).unwrap(), elsewhere.path());
    fs::remove_file(&place).unwrap();
    fs::write(&place, "mine").unwrap();
    assert!(matches!(sample::run(&store, 2), Err(LedgerError::NotADirectory { .. })));
    assert_eq!(fs::read_to_string(&place).unwrap(), "mine");
}

#[test]
fn links_in_the_place_of_the_ledgers_own_directories_are_refused_before_anything_moves() {
    for name in [".staging", ".history", ".locks"] {
        let (root, store) = store();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), root.path().join(name)).unwrap();
        assert!(matches!(sample::run(&store, 1), Err(LedgerError::NotADirectory { .. })), "{name}");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{name}");
        assert_eq!(store.sealed(&task()), None);
    }
}

#[test]
fn a_directory_without_a_seal_in_the_place_is_kept_in_history_and_named_as_a_gap() {
    let (root, store) = store();
    fs::create_dir(root.path().join("T001")).unwrap();
    fs::write(root.path().join("T001/notes.txt"), "by hand").unwrap();
    let published = sample::run(&store, 1).unwrap();
    assert_eq!(published.gap.as_deref(), Some("the run that was replaced had no seal"));
    assert_eq!(seal_of(&published.directory).unwrap().0.previous_seal, None);
    assert_eq!(fs::read_to_string(root.path().join(".history/T001/unknown-run/notes.txt")).unwrap(), "by hand");

    fs::write(root.path().join("T001/seal.json"), "{").unwrap();
    let published = sample::run(&store, 2).unwrap();
    assert!(published.gap.unwrap().starts_with("the seal of the run that was replaced cannot be read"));
    assert!(root.path().join(".history/T001/exec-1").exists(), "its journal tells which run it was");
}

#[test]
fn names_that_are_taken_in_history_get_a_number() {
    let (root, store) = store();
    for _ in 0..3 {
        sample::begin(&store, 1).unwrap();
        store.recover(&task()).unwrap();
    }
    for name in ["exec-1", "exec-1-2", "exec-1-3"] {
        assert!(root.path().join(".history/T001").join(name).exists(), "{name}");
    }
}

/// A change to a run before it is sealed.
type Preparation<'a> = &'a dyn Fn(&mut Staging);

#[test]
fn a_run_is_sealed_only_when_it_is_over_and_its_directory_is_its_own() {
    let (_root, store) = store();
    let try_to_seal = |number: u32, prepare: Preparation| {
        let mut staging = sample::begin(&store, number).unwrap();
        sample::start(&mut staging, number).unwrap();
        staging.put("a.json", b"{}").unwrap();
        prepare(&mut staging);
        staging.publish(plan_digest(), at(9)).unwrap_err().to_string()
    };
    let over = |staging: &mut Staging| sample::finish(staging, 1).unwrap();
    let rows: [(&str, Preparation); 5] = [
        ("its journal does not end with its end", &|_| {}),
        ("`open.log` was not written to its end", &|staging| {
            staging.capture("open.log").unwrap();
            over(staging);
        }),
        ("`b.json` was added", &|staging| {
            over(staging);
            fs::write(staging.path().join("b.json"), "").unwrap();
        }),
        ("`a.json` was removed or replaced", &|staging| {
            over(staging);
            fs::remove_file(staging.path().join("a.json")).unwrap();
        }),
        ("`seal.json` was added", &|staging| {
            over(staging);
            fs::write(staging.path().join("seal.json"), "{}").unwrap();
        }),
    ];
    for (number, (expected, prepare)) in (1..).zip(rows) {
        let error = try_to_seal(number, prepare);
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(store.sealed(&task()), None);
}

#[test]
fn names_of_evidence_files_are_single_and_used_once() {
    let (_root, store) = store();
    let mut staging = sample::begin(&store, 1).unwrap();
    for name in ["", "..", "a/b", "/etc/passwd", "seal.json", "journal.jsonl", "seal.json.begun"] {
        assert!(matches!(staging.put(name, b""), Err(LedgerError::Name { .. })), "{name}");
        assert!(matches!(staging.capture(name), Err(LedgerError::Name { .. })), "{name}");
    }
    staging.put("a.json", b"first").unwrap();
    assert!(staging.put("a.json", b"second").is_err());
    assert_eq!(fs::read(staging.path().join("a.json")).unwrap(), b"first");
}

#[test]
fn a_root_is_found_around_the_latest_run_and_not_around_others() {
    let (root, store) = store();
    sample::run(&store, 1).unwrap();
    sample::run(&store, 2).unwrap();
    let _live = sample::begin(&store, 3).unwrap();
    let around = Store::around(&root.path().join("T001"), &task(), None).unwrap().unwrap();
    assert_eq!(around.unfinished(&task()).unwrap().len(), 1);
    assert!(Store::around(&root.path().join(".history/T001/exec-1"), &task(), None).unwrap().is_none());
}

#[test]
fn a_document_of_the_root_is_replaced_whole_and_links_are_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path()).unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), directory.path().join("suite-report.json")).unwrap();
    for content in ["one", "two"] {
        let path = store.put("suite-report.json", content.as_bytes()).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), content);
    }
    assert_eq!(std::fs::read(outside.path()).unwrap(), b"");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    store.discard("suite-report.json").unwrap();
    store.discard("suite-report.json").unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    assert!(store.put("../outside.json", b"").is_err());
}
