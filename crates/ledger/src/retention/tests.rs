use std::fs;
use std::path::PathBuf;

use super::*;
use crate::chain_status::ChainStanding;
use crate::fault::injected::{self, Fault};
use crate::sample::{self, at, seal_of, task};
use crate::store::Store;
use crate::{State, verify};

struct Kept {
    evidence: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Kept {
    fn with_runs(count: u32) -> Self {
        let kept = Self { evidence: tempfile::tempdir().unwrap(), outside: tempfile::tempdir().unwrap() };
        for number in 1..=count {
            sample::run(&kept.store(), number).unwrap();
        }
        kept
    }

    fn state(&self) -> State {
        State::open(&self.outside.path().join("state")).unwrap()
    }

    fn store(&self) -> Store {
        Store::open_with(self.evidence.path(), Some(&self.state())).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.evidence.path().join(name)
    }

    fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn states(&self) -> Vec<(String, KeptState)> {
        let kept = self.store().kept(&task()).unwrap();
        kept.into_iter().map(|run| (run.execution_id.map(|id| id.to_string()).unwrap_or_default(), run.state)).collect()
    }
}

fn all() -> Prune<'static> {
    Prune { keep: 0, before: None, dry_run: false, now: at(100), reason: "a test", sign: None }
}

fn names(runs: &[PrunedRun]) -> Vec<&str> {
    runs.iter().map(|run| run.name.as_str()).collect()
}

#[test]
fn pruning_removes_files_of_the_history_and_leaves_seals_and_tombstones_that_the_chain_passes_over() {
    let kept = Kept::with_runs(4);
    let before = seal_of(&kept.path(".history/T001/exec-2")).unwrap();
    let dry = kept.store().prune(&task(), &Prune { keep: 1, dry_run: true, ..all() }).unwrap();
    assert_eq!(names(&dry), ["exec-1", "exec-2"]);
    assert!(kept.path(".history/T001/exec-1/journal.jsonl").exists());
    let pruned = kept.store().prune(&task(), &Prune { keep: 1, ..all() }).unwrap();
    assert_eq!(pruned, dry);
    assert_eq!(kept.names(".history/T001/exec-2"), ["seal.json", "tombstone.json"]);
    assert_eq!(seal_of(&kept.path(".history/T001/exec-2")).unwrap(), before);
    let expected = [KeptState::Latest, KeptState::Earlier, KeptState::Pruned, KeptState::Pruned];
    let expected: Vec<_> = [4, 3, 2, 1].iter().map(|number| format!("exec-{number}")).zip(expected).collect();
    assert_eq!(kept.states(), expected);

    let integrity = verify::integrity(&kept.path(".history/T001/exec-2")).unwrap();
    assert!(!integrity.findings.is_empty() && integrity.unexplained().is_empty(), "{:?}", integrity.findings);
    let tombstone = integrity.tombstone.unwrap();
    assert_eq!((tombstone.reason.as_str(), tombstone.pruned_at, tombstone.removed.len()), ("a test", at(100), 3));
    let survey = |name| Store::survey(&kept.path(name), &task(), Some(&kept.state())).unwrap().unwrap();
    assert_eq!((survey("T001").standing, survey("T001").breaks), (ChainStanding::Head, Vec::new()));
    assert_eq!(survey(".history/T001/exec-1").standing, ChainStanding::Earlier);
    assert_eq!(kept.store().prune(&task(), &Prune { keep: 1, ..all() }).unwrap(), [], "nothing is left to prune");
}

#[test]
fn age_and_number_both_protect_a_run() {
    let kept = Kept::with_runs(4);
    let prune = |keep, second| {
        let prune = Prune { keep, before: Some(at(second)), dry_run: true, ..all() };
        let runs = kept.store().prune(&task(), &prune).unwrap();
        runs.into_iter().map(|run| run.name).collect::<Vec<_>>()
    };
    assert_eq!(prune(0, 3), ["exec-1"]);
    assert_eq!(prune(0, 99), ["exec-1", "exec-2", "exec-3"]);
    assert_eq!(prune(2, 99), ["exec-1"]);
    assert_eq!(prune(9, 99), Vec::<String>::new());
}

#[test]
fn a_seal_or_tombstone_that_was_changed_is_told() {
    type Change = fn(&Kept);
    let changes: [Change; 4] = [
        |kept| {
            let seal = kept.path(".history/T001/exec-1/seal.json");
            fs::write(&seal, fs::read_to_string(&seal).unwrap().replace("exec-1", "exec-7")).unwrap();
        },
        |kept| fs::remove_file(kept.path(".history/T001/exec-1/seal.json")).unwrap(),
        |kept| fs::write(kept.path(".history/T001/exec-1/tombstone.json"), "{}").unwrap(),
        |kept| {
            let tombstone = kept.path(".history/T001/exec-1/tombstone.json");
            let seal = seal_of(&kept.path(".history/T001/exec-1")).unwrap().1.to_string();
            let text = fs::read_to_string(&tombstone).unwrap().replace(&seal, &"0".repeat(64));
            fs::write(&tombstone, text).unwrap();
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let kept = Kept::with_runs(3);
        kept.store().prune(&task(), &all()).unwrap();
        change(&kept);
        let survey = Store::survey(&kept.path("T001"), &task(), Some(&kept.state())).unwrap().unwrap();
        assert!(!survey.breaks.is_empty(), "change {number}");
        if number != 1 {
            let integrity = verify::integrity(&kept.path(".history/T001/exec-1")).unwrap();
            assert!(!integrity.unexplained().is_empty(), "change {number}");
        }
    }
}

#[test]
fn a_tombstone_that_lists_what_was_not_sealed_explains_nothing() {
    let kept = Kept::with_runs(3);
    kept.store().prune(&task(), &all()).unwrap();
    let tombstone = kept.path(".history/T001/exec-1/tombstone.json");
    let text = fs::read_to_string(&tombstone).unwrap().replace("\"bytes\": ", "\"bytes\": 9");
    fs::write(&tombstone, text).unwrap();
    let integrity = verify::integrity(&kept.path(".history/T001/exec-1")).unwrap();
    assert_eq!(integrity.tombstone, None);
    assert!(integrity.unexplained().iter().any(|finding| finding.detail.contains("was not sealed so")));
}

#[test]
fn what_was_changed_or_holds_more_than_files_is_left_alone_and_dead_runs_are_pruned() {
    let kept = Kept::with_runs(3);
    fs::write(kept.path(".history/T001/exec-1/execution-report.json"), "forged").unwrap();
    fs::create_dir(kept.path(".history/T001/exec-2/folder")).unwrap();
    let mut staging = sample::begin(&kept.store(), 4).unwrap();
    sample::start(&mut staging, 4).unwrap();
    drop(staging);
    kept.store().recover(&task()).unwrap();
    fs::create_dir(kept.path(".history/T001/unknown-run")).unwrap();
    fs::write(kept.path(".history/T001/unknown-run/notes.txt"), "by hand").unwrap();
    let runs = kept.store().prune(&task(), &all()).unwrap();
    assert_eq!(names(&runs), ["exec-1", "exec-2", "exec-4"]);
    let left: Vec<_> = runs.iter().map(|run| run.left_alone.is_some()).collect();
    assert_eq!(left, [true, true, false]);
    assert!(runs[0].left_alone.as_ref().unwrap().contains("execution-report.json"));
    assert_eq!(kept.names(".history/T001/exec-4"), ["tombstone.json"]);
    assert!(kept.path(".history/T001/unknown-run/notes.txt").exists());
}

#[test]
fn tombstones_are_signed_where_somebody_signs() {
    let kept = Kept::with_runs(2);
    let sign: Sign<'_> = &|bytes| Ok([b"signed ", bytes].concat());
    kept.store().prune(&task(), &Prune { sign: Some(sign), ..all() }).unwrap();
    let read = |name: &str| fs::read(kept.path(".history/T001/exec-1").join(name)).unwrap();
    assert_eq!(read("tombstone.intoto.jsonl"), [b"signed ".as_slice(), &read("tombstone.json")].concat());
    assert!(verify::integrity(&kept.path(".history/T001/exec-1")).unwrap().unexplained().is_empty());
}

#[test]
fn pruning_that_is_cut_off_anywhere_breaks_nothing_and_goes_on_the_next_time() {
    for place in 0.. {
        let kept = Kept::with_runs(3);
        let store = kept.store();
        injected::arm(place, Fault::Full);
        let pruned = store.prune(&task(), &all());
        let ended_well = injected::disarm();
        assert_eq!(pruned.is_ok(), ended_well, "place {place}: {pruned:?}");
        for name in [".history/T001/exec-1", ".history/T001/exec-2"] {
            let integrity = verify::integrity(&kept.path(name)).unwrap();
            assert_eq!(integrity.unexplained(), Vec::<&verify::Finding>::new(), "place {place}");
        }
        store.prune(&task(), &all()).unwrap();
        let survey = Store::survey(&kept.path("T001"), &task(), Some(&kept.state())).unwrap().unwrap();
        assert_eq!((survey.standing, survey.breaks), (ChainStanding::Head, Vec::new()), "place {place}");
        assert_eq!(kept.names(".history/T001/exec-1"), ["seal.json", "tombstone.json"], "place {place}");
        if ended_well {
            assert!(place > 5, "only {place} places were passed");
            break;
        }
    }
}
