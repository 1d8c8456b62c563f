use std::fs;

use super::*;
use crate::sample::{self, at, execution, plan_digest, seal_of, task};
use crate::store::Store;
use crate::{LedgerError, State};

/// An evidence root and a state directory, both removed at the end of the test.
struct Kept {
    evidence: tempfile::TempDir,
    outside: tempfile::TempDir,
    state: State,
}

impl Kept {
    fn new() -> Self {
        let (evidence, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let state = State::open(&outside.path().join("state")).unwrap();
        Self { evidence, outside, state }
    }

    fn with_runs(numbers: std::ops::RangeInclusive<u32>) -> Self {
        let kept = Self::new();
        for number in numbers {
            sample::run(&kept.store(), number).unwrap();
        }
        kept
    }

    fn store(&self) -> Store {
        Store::open_with(self.evidence.path(), Some(&self.state)).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.evidence.path().join(name)
    }

    fn survey(&self, name: &str) -> ChainStatus {
        Store::survey(&self.path(name), &task(), Some(&self.state)).unwrap().unwrap()
    }

    fn staged(&self) -> Vec<String> {
        let mut names = Vec::new();
        for root in fs::read_dir(self.outside.path().join("state/staging")).unwrap() {
            let runs = root.unwrap().path().join("T001");
            names.extend(fs::read_dir(runs).into_iter().flatten().map(|run| run.unwrap().file_name()));
        }
        names.into_iter().map(|name| name.into_string().unwrap()).collect()
    }
}

#[test]
fn the_latest_run_is_the_head_and_the_earlier_ones_are_numbered_behind_it() {
    let kept = Kept::with_runs(1..=3);
    let latest = kept.survey("T001");
    assert_eq!((latest.standing, latest.sequence), (ChainStanding::Head, Some(3)));
    assert_eq!((latest.breaks.len(), latest.gaps.len()), (0, 0));
    assert_eq!(latest.head.unwrap().execution_id, execution(3));
    let first = kept.survey(".history/T001/exec-1");
    assert_eq!((first.standing, first.sequence, first.breaks), (ChainStanding::Earlier, Some(1), Vec::new()));
    assert!(kept.staged().is_empty() && !kept.path(".staging").exists(), "runs are written in the state directory");
    let copy = kept.outside.path().join("copy");
    fs::rename(kept.path(".history/T001/exec-1"), &copy).unwrap();
    assert_eq!(Store::survey(&copy, &task(), Some(&kept.state)).unwrap(), None);
}

#[test]
fn looking_writes_nothing_and_without_a_head_nothing_is_known() {
    let kept = Kept::with_runs(1..=1);
    assert_eq!(Store::survey(&kept.path("T001"), &task(), None).unwrap().unwrap().standing, ChainStanding::NotKept);
    let elsewhere = State::open(&kept.outside.path().join("other")).unwrap();
    let survey = Store::survey(&kept.path("T001"), &task(), Some(&elsewhere)).unwrap().unwrap();
    assert_eq!(survey.standing, ChainStanding::NotKept);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn an_older_run_in_the_tasks_place_is_told_whether_it_was_moved_or_copied() {
    let kept = Kept::with_runs(1..=3);
    fs::rename(kept.path("T001"), kept.path("away")).unwrap();
    fs::rename(kept.path(".history/T001/exec-2"), kept.path("T001")).unwrap();
    assert_eq!(kept.survey("T001").standing, ChainStanding::RolledBack);
    fs::rename(kept.path("away"), kept.path(".history/T001/exec-3")).unwrap();
    assert_eq!(kept.survey("T001").standing, ChainStanding::RolledBack);
    assert!(!kept.survey(".history/T001/exec-1").breaks.is_empty());
}

#[test]
fn a_run_that_was_made_elsewhere_is_foreign() {
    let kept = Kept::with_runs(1..=2);
    let other = Kept::with_runs(1..=5);
    fs::remove_dir_all(kept.path("T001")).unwrap();
    fs::rename(other.path("T001"), kept.path("T001")).unwrap();
    assert_eq!(kept.survey("T001").standing, ChainStanding::Foreign);
    fs::rename(other.path(".history/T001/exec-1"), kept.path(".history/T001/exec-9")).unwrap();
    let survey = kept.survey(".history/T001/exec-9");
    assert!(survey.breaks.iter().any(|sentence| sentence.contains("exec-9 of the history holds exec-1")), "{survey:?}");
}

#[test]
fn a_link_that_is_missing_or_changed_and_directories_that_swapped_names_are_named() {
    let kept = Kept::with_runs(1..=4);
    fs::rename(kept.path(".history/T001/exec-1"), kept.path("a")).unwrap();
    fs::rename(kept.path(".history/T001/exec-2"), kept.path(".history/T001/exec-1")).unwrap();
    fs::rename(kept.path("a"), kept.path(".history/T001/exec-2")).unwrap();
    let told = kept.survey("T001").breaks.join("; ");
    assert!(
        told.contains("exec-1 of the history holds exec-2") && told.contains("exec-2 of the history holds"),
        "{told}"
    );

    let kept = Kept::with_runs(1..=4);
    let seal = kept.path(".history/T001/exec-2/seal.json");
    fs::write(&seal, fs::read_to_string(&seal).unwrap().replace("\"sequence\": 2", "\"sequence\":2")).unwrap();
    let survey = kept.survey("T001");
    assert_eq!(survey.standing, ChainStanding::Head);
    assert!(survey.breaks[0].starts_with("number 2 of the chain is gone"), "{survey:?}");
    fs::remove_dir_all(kept.path(".history/T001/exec-3")).unwrap();
    assert!(kept.survey("T001").breaks[0].starts_with("number 3 of the chain is gone"));
    assert_eq!(kept.survey(".history/T001/exec-2").standing, ChainStanding::Unnamed);
}

#[test]
fn removed_evidence_does_not_begin_the_chain_anew_and_the_gap_is_known_from_then_on() {
    let kept = Kept::with_runs(1..=3);
    for name in ["T001", ".history"] {
        fs::remove_dir_all(kept.path(name)).unwrap();
    }
    let published = sample::run(&kept.store(), 4).unwrap();
    assert_eq!(published.gap.as_deref(), Some("the run before this one (exec-3, number 3 of the chain) is gone"));
    let (seal, _) = seal_of(&published.directory).unwrap();
    assert_eq!((seal.sequence, seal.previous_gone), (Some(4), true));
    let survey = kept.survey("T001");
    assert_eq!((survey.standing, survey.breaks.len(), survey.gaps.len()), (ChainStanding::Head, 0, 1));
    assert_eq!(sample::run(&kept.store(), 5).unwrap().gap, None);
    let survey = kept.survey("T001");
    assert_eq!((survey.breaks.len(), survey.gaps.len()), (0, 1));
}

#[test]
fn what_was_rolled_back_is_told_by_the_next_run_and_the_chain_goes_on_from_its_head() {
    let kept = Kept::with_runs(1..=2);
    fs::remove_dir_all(kept.path("T001")).unwrap();
    fs::rename(kept.path(".history/T001/exec-1"), kept.path("T001")).unwrap();
    let published = sample::run(&kept.store(), 3).unwrap();
    assert!(published.gap.unwrap().contains("was not the run that was published last (exec-2, number 2"));
    let survey = kept.survey("T001");
    assert_eq!((survey.standing, survey.sequence, survey.breaks), (ChainStanding::Head, Some(3), Vec::new()));
}

#[test]
fn a_dead_run_whose_directory_was_removed_stays_unfinished_until_the_next_run() {
    let kept = Kept::with_runs(1..=1);
    let mut staging = sample::begin(&kept.store(), 2).unwrap();
    sample::start(&mut staging, 2).unwrap();
    let path = staging.path().to_path_buf();
    drop(staging);
    fs::remove_dir_all(path).unwrap();
    let unfinished = kept.store().unfinished(&task()).unwrap();
    assert_eq!(unfinished.len(), 1);
    assert_eq!((&unfinished[0].path, unfinished[0].started), (&None, Some(at(2))));
    let looking = Store::look(kept.evidence.path(), Some(&kept.state)).unwrap().unwrap();
    assert_eq!(looking.unfinished(&task()).unwrap(), unfinished);
    assert_eq!(kept.store().recover(&task()).unwrap(), unfinished);
    assert_eq!(kept.store().unfinished(&task()).unwrap(), []);
}

#[test]
fn a_forged_run_in_the_tasks_place_does_not_hide_the_dead_run_whose_name_it_bears() {
    let kept = Kept::with_runs(1..=1);
    let mut staging = sample::begin(&kept.store(), 2).unwrap();
    sample::start(&mut staging, 2).unwrap();
    drop(staging);
    let forgery = Kept::with_runs(2..=2);
    fs::remove_dir_all(kept.path("T001")).unwrap();
    fs::rename(forgery.path("T001"), kept.path("T001")).unwrap();
    assert_eq!(kept.store().unfinished(&task()).unwrap().len(), 1);
    assert_ne!(kept.survey("T001").standing, ChainStanding::Head);
}

#[test]
fn an_older_run_never_takes_the_empty_place_of_a_newer_one_that_somebody_removed() {
    let kept = Kept::new();
    let mut older = sample::begin(&kept.store(), 1).unwrap();
    sample::start(&mut older, 1).unwrap();
    sample::run(&kept.store(), 2).unwrap();
    fs::remove_dir_all(kept.path("T001")).unwrap();
    sample::finish(&mut older, 2).unwrap();
    let published = older.publish(plan_digest(), at(3)).unwrap();
    assert_eq!(published.superseded_by, Some(execution(2)));
    assert!(!kept.path("T001").exists());
    assert_eq!(kept.store().unfinished(&task()).unwrap(), []);
    assert_eq!(kept.survey(".history/T001/exec-1").standing, ChainStanding::Unnamed);
}

#[test]
fn a_head_that_is_junk_or_out_of_reach_lets_no_run_begin_or_end() {
    let kept = Kept::with_runs(1..=1);
    let heads = fs::read_dir(kept.state.path().join("chains")).unwrap().next().unwrap().unwrap().path();
    fs::write(heads.join("T001.json"), "junk").unwrap();
    assert!(matches!(sample::run(&kept.store(), 2), Err(LedgerError::Unreadable { .. })));
    assert!(Store::survey(&kept.path("T001"), &task(), Some(&kept.state)).is_err());

    let kept = Kept::with_runs(1..=1);
    let mut staging = sample::begin(&kept.store(), 2).unwrap();
    sample::start(&mut staging, 2).unwrap();
    sample::finish(&mut staging, 2).unwrap();
    fs::remove_dir_all(kept.state.path().join("chains")).unwrap();
    assert!(staging.publish(plan_digest(), at(3)).is_err());
    assert_eq!(seal_of(&kept.path("T001")).unwrap().0.execution_id, execution(1));
}

#[test]
fn a_chain_that_began_without_heads_is_numbered_on() {
    let kept = Kept::new();
    let plain = Store::open(kept.evidence.path()).unwrap();
    for number in 1..=2 {
        sample::run(&plain, number).unwrap();
    }
    let seal = kept.path("T001/seal.json");
    // As written by a Referee that did not number runs.
    let old = fs::read_to_string(&seal).unwrap().replace("  \"sequence\": 2,\n", "").replace("1.1.0", "1.0.0");
    fs::write(&seal, old).unwrap();
    assert_eq!(kept.survey("T001").standing, ChainStanding::NotKept);
    assert_eq!(sample::run(&kept.store(), 3).unwrap().gap, None);
    let survey = kept.survey("T001");
    assert_eq!((survey.standing, survey.sequence, survey.breaks), (ChainStanding::Head, Some(3), Vec::new()));
}
