//! Whatever the index says, a list says what the directories hold.

use std::fs;
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};

use super::tests::{Fixture, add, id, time};
use super::*;
use crate::state::Area;

/// Lists until the rows of all incidents are kept, and returns the index.
fn kept(place: &Fixture, incidents: usize) -> PathBuf {
    let file = place.state().area(Area::Incidents).unwrap().join(crate::log_end::name(&place.root()));
    for _ in 0..1_000 {
        place.list(&Query::default());
        if index::load(&place.open().ground).all().len() == incidents {
            return file;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the rows were never kept");
}

fn messages(place: &Fixture) -> Vec<String> {
    place.list(&Query::default()).incidents.into_iter().map(|row| row.message).collect()
}

#[test]
fn a_document_that_is_changed_to_one_of_the_same_size_and_time_is_seen() {
    let place = Fixture::new();
    add(&place.open(), "i-1");
    kept(&place, 1);
    let file = place.root().join("error_inbox/i-1/incident.json");
    let before = fs::read_to_string(&file).unwrap();
    let times = fs::metadata(&file).unwrap();
    fs::write(&file, before.replace("Network timeout", "Network failure")).unwrap();
    let moment = std::os::unix::fs::MetadataExt::mtime(&times);
    let nanoseconds = std::os::unix::fs::MetadataExt::mtime_nsec(&times);
    let modified = Timespec { tv_sec: moment, tv_nsec: nanoseconds };
    let restored = Timestamps { last_access: modified, last_modification: modified };
    rustix::fs::utimensat(CWD, &file, &restored, AtFlags::empty()).unwrap();
    let after = fs::metadata(&file).unwrap();
    assert_eq!((after.len(), after.modified().unwrap()), (times.len(), times.modified().unwrap()));
    assert_eq!(messages(&place), ["Network failure during receipt download"]);
}

#[test]
fn an_index_that_is_not_whole_or_of_another_version_is_ignored_and_written_again() {
    let place = Fixture::new();
    for name in ["i-1", "i-2", "i-3"] {
        add(&place.open(), name);
    }
    let file = kept(&place, 3);
    let (whole, list) = (fs::read(&file).unwrap(), place.list(&Query::default()));
    let newer = [b"referee incident rows 9\n", whole.get(24..).unwrap()].concat();
    let mut changed = whole.clone();
    *changed.get_mut(40).unwrap() ^= 1;
    let cut = |length: usize| whole.get(..length).unwrap().to_vec();
    for junk in [Vec::new(), b"junk".to_vec(), cut(24), cut(100), cut(whole.len() - 1), newer, changed] {
        fs::write(&file, &junk).unwrap();
        assert!(index::load(&place.open().ground).all().is_empty());
        assert_eq!(place.list(&Query::default()), list);
        assert_eq!(fs::read(&file).unwrap(), whole);
    }
}

#[test]
fn an_index_of_other_incidents_says_nothing_about_these() {
    let (place, other) = (Fixture::new(), Fixture::new());
    add(&place.open(), "i-1");
    other.foreign("error_inbox", "i-1", "resolved");
    let (file, of_other) = (kept(&place, 1), kept(&other, 1));
    fs::copy(of_other, file).unwrap();
    let row = place.list(&Query::default()).incidents.remove(0);
    assert_eq!(row.status.as_str(), "new");
}

#[test]
fn an_incident_that_vanished_and_one_that_became_a_link_are_not_listed() {
    let place = Fixture::new();
    for name in ["gone", "here", "linked"] {
        add(&place.open(), name);
    }
    kept(&place, 3);
    let inbox = place.root().join("error_inbox");
    fs::remove_dir_all(inbox.join("gone")).unwrap();
    // The files keep their stamps.
    fs::rename(inbox.join("linked"), place.root().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", inbox.join("linked")).unwrap();
    assert_eq!(place.names(&Query::default()), ["here"]);
    assert_eq!(place.list(&Query::default()).degraded.len(), 1);
}

#[test]
fn incidents_are_listed_where_no_index_can_be_written() {
    let place = Fixture::new();
    add(&place.open(), "i-1");
    let file = kept(&place, 1);
    fs::remove_file(&file).unwrap();
    fs::create_dir_all(file.join("taken")).unwrap();
    add(&place.open(), "i-2");
    for _ in 0..2 {
        assert_eq!(place.list(&Query::default()).total, 2);
    }
    // An index in reach of whoever changes the incidents is not used at all.
    let inside = State::open(&place.root().join("state")).unwrap();
    let incidents = Incidents::open(&place.root(), Some(&inside)).unwrap();
    assert_eq!(incidents.list(&Query::default()).unwrap().total, 2);
    assert!(!inside.path().join("incidents").exists());
    assert_eq!(Incidents::open(&place.root(), None).unwrap().list(&Query::default()).unwrap().total, 2);
}

#[test]
fn lists_and_changes_by_several_at_once_leave_an_index_that_agrees_with_the_directories() {
    let place = Fixture::new();
    std::thread::scope(|scope| {
        for who in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..10 {
                    let name = format!("i-{who}-{number}");
                    add(&place.open(), &name);
                    assert!(place.names(&Query::default()).contains(&name));
                    let changed = place.open().change(&id(&name), time(), |stored| {
                        let mut change = Change::of(stored.incident.clone(), "note", "test");
                        change.incident.message = name.clone();
                        Ok::<_, LedgerError>(change)
                    });
                    changed.unwrap().unwrap();
                }
            });
        }
    });
    let list = place.list(&Query::default());
    assert_eq!(list.total, 40);
    assert!(list.incidents.iter().all(|row| row.message == row.incident_id.as_str()));
}
