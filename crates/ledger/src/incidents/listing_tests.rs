//! Lists are right, with an index and without, whatever happened to the folders and to the index since.

use std::fs;
use std::path::PathBuf;

use referee_model::id::Digest;
use referee_model::incident::status::{Closing, IncidentStatus};
use referee_model::limit;

use super::tests::{Place, add, id, incident, time};
use super::*;
use crate::state::Area;

/// Many incidents, of all kinds, deterministic.
fn many(place: &Place, count: u32) {
    let incidents = place.plain();
    for number in 0..count {
        let mut one = incident(&format!("i-{number:04}"));
        one.updated_at = Timestamp::from_millisecond(1_795_000_000_000 + i64::from(number * 7 % 50) * 1_000);
        one.step = ["build", "test", "Öffnen"][number as usize % 3].to_owned();
        one.failure_class = ["run_failed", "timeout"][number as usize % 2].to_owned();
        one.message = format!("Failure {} of the kind \"{}%\"", number % 17, number % 5);
        one.fingerprint = (number % 4 > 0).then(|| fingerprint(number % 4));
        one.status = IncidentStatus::ALL[number as usize % 5];
        assert!(incidents.add(Change::of(one, "capture", "test"), time()).unwrap());
        if number % 10 == 3 {
            close(&incidents, &format!("i-{number:04}"), Closing::Resolved);
        }
    }
}

fn fingerprint(number: u32) -> Fingerprint {
    Fingerprint::version_1(Digest::from_bytes([u8::try_from(number).unwrap(); 32]))
}

fn close(incidents: &Incidents, name: &str, closing: Closing) {
    incidents
        .change(&id(name), time(), |stored| {
            let mut change = Change::of(stored.incident.clone(), "archive", "test");
            change.incident.status = closing.status();
            change.shelf = Some(Shelf::Archive(closing));
            Ok::<_, LedgerError>(change)
        })
        .unwrap()
        .unwrap();
}

/// The files of the index.
fn databases(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.state().area(Area::Incidents).unwrap()).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sqlite"));
    paths
}

#[test]
fn the_index_answers_every_question_as_the_folders_do() {
    let place = Place::new();
    many(&place, 120);
    place.foreign("error_inbox", "of-another", "resolved");
    let text = |text: &str| Query { text: Some(text.to_owned()), ..Query::default() };
    let questions = [
        Query::default(),
        Query { limit: 7, ..Query::default() },
        Query { statuses: vec![IncidentStatus::New], ..Query::default() },
        Query { statuses: vec![IncidentStatus::Approved, IncidentStatus::Resolved], limit: 3, ..Query::default() },
        Query { open: Some(true), limit: 11, ..Query::default() },
        Query { open: Some(false), ..Query::default() },
        Query { failure_class: Some("timeout".to_owned()), step: Some("test".to_owned()), ..Query::default() },
        Query { fingerprint: Some(fingerprint(2).to_string()), open: Some(true), ..Query::default() },
        Query { fingerprint: Some(String::new()), ..Query::default() },
        text("failure KIND"),
        text("ÖFFNEN 3"),
        text("i-0017"),
        text("nothing of the sort"),
        Query { limit: 2, open: Some(true), ..text("\"1%\" run_failed") },
    ];
    for question in questions {
        // Page by page: everything once, in order, and the number of all on each.
        let whole = place.list(&Query { limit: limit::INCIDENTS_LISTED_MAX, ..question.clone() });
        let (mut pages, mut query) = (Vec::new(), question.clone());
        loop {
            let page = place.list(&query);
            assert_eq!((page.total, &page.counts), (whole.total, &whole.counts), "{question:?}");
            pages.extend(page.incidents);
            let Some(next) = page.next else { break };
            query.after = Some(next);
        }
        assert_eq!(pages, whole.incidents, "{question:?}");
        assert_eq!(whole.total, pages.len() as u64);
    }
    let counts = place.list(&Query::default()).counts;
    assert_eq!((counts.unresolved, counts.resolved, counts.escalated), (109, 12, 0));
}

#[test]
fn what_is_looked_for_is_never_a_statement() {
    let place = Place::new();
    many(&place, 5);
    for text in ["' OR 1=1 --", "%", "_", "*", "\"", "NEAR(", "x' UNION SELECT", "\0", "i-000?"] {
        let expected = if text == "%" || text == "\"" { 5 } else { 0 };
        let query = Query { text: Some(text.to_owned()), ..Query::default() };
        let found = place.list(&query).total;
        let expected = if text == "_" { place.plain().list(&query).unwrap().total } else { expected };
        assert_eq!(found, expected, "{text}");
        for query in [
            Query { step: Some(text.to_owned()), ..Query::default() },
            Query { failure_class: Some(text.to_owned()), ..Query::default() },
            Query { fingerprint: Some(text.to_owned()), ..Query::default() },
        ] {
            assert_eq!(place.list(&query).total, 0, "{text}");
        }
        assert!(place.indexed().list(&Query { after: Some(text.to_owned()), ..Query::default() }).is_err(), "{text}");
    }
}

#[test]
fn what_others_do_to_the_folders_is_seen_by_the_next_list() {
    let place = Place::new();
    let incidents = place.indexed();
    add(&incidents, "ours");
    let names = |query: &Query| {
        let list = incidents.list(query).unwrap();
        assert_eq!(list, place.plain().list(query).unwrap());
        list.incidents.iter().map(|row| row.incident_id.to_string()).collect::<Vec<_>>()
    };
    let all = Query::default();
    assert_eq!(names(&all), ["ours"]);
    for round in 0..5 {
        place.foreign("error_inbox", &format!("theirs-{round}"), "new");
        assert_eq!(names(&all).len(), 2, "added");
        let root = place.root();
        fs::create_dir_all(root.join("error_archive/escalated")).unwrap();
        let (inbox, archive) = (
            root.join(format!("error_inbox/theirs-{round}")),
            root.join(format!("error_archive/escalated/theirs-{round}")),
        );
        fs::rename(&inbox, &archive).unwrap();
        assert_eq!(names(&Query { open: Some(false), ..Query::default() }), [format!("theirs-{round}")], "moved");
        fs::remove_dir_all(&archive).unwrap();
        assert_eq!(names(&all), ["ours"], "removed");
    }
    // What they write into an incident, too, whether or not it was asked for before.
    place.write("error_inbox/ours/status.txt", "approved");
    assert_eq!(names(&Query { statuses: vec![IncidentStatus::Approved], ..Query::default() }), ["ours"]);
    place.write("error_inbox/ours/incident.json", "junk");
    assert_eq!(names(&all), Vec::<String>::new());
    assert_eq!(incidents.list(&all).unwrap().degraded.len(), 1);
}

#[test]
fn what_is_shown_is_looked_at_however_many_there_are() {
    let place = Place::new();
    for number in 0..300 {
        place.foreign("error_inbox", &format!("i-{number:03}"), "new");
    }
    assert_eq!(place.list(&Query { limit: 10, ..Query::default() }).total, 300);
    place.write("error_inbox/i-299/status.txt", "approved");
    let page = place.list(&Query { limit: 10, ..Query::default() });
    assert_eq!(page.incidents[0].status, IncidentStatus::Approved);
    // Now it is known, so that it is found by how it stands.
    assert_eq!(place.names(&Query { statuses: vec![IncidentStatus::Approved], ..Query::default() }), ["i-299"]);
}

#[test]
fn an_index_that_is_lost_or_junk_or_of_another_layout_is_made_anew() {
    let place = Place::new();
    many(&place, 12);
    let expected = place.list(&Query::default());
    let [database] = databases(&place).try_into().unwrap();
    let junk: [&dyn Fn(); 5] = [
        &|| fs::remove_file(&database).unwrap(),
        &|| fs::write(&database, "this is no database at all, and was never one. ".repeat(100)).unwrap(),
        &|| fs::write(&database, "").unwrap(),
        &|| {
            let other = rusqlite::Connection::open(&database).unwrap();
            other.execute_batch("DROP TABLE incident; CREATE TABLE incident (x); PRAGMA user_version = 999;").unwrap();
        },
        &|| {
            let mut bytes = fs::read(&database).unwrap();
            let length = bytes.len();
            bytes[4_096..length.min(40_960)].fill(0xa5);
            fs::write(&database, bytes).unwrap();
        },
    ];
    for (number, spoil) in junk.iter().enumerate() {
        // All that is not in the database itself goes, as it does when nobody has it open.
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(PathBuf::from(format!("{}{suffix}", database.display())));
        }
        spoil();
        assert_eq!(place.list(&Query::default()), expected, "{number}");
        assert!(place.indexed().list(&Query::default()).unwrap().degraded.is_empty(), "{number}");
    }
    // Open ones notice nothing.
    let incidents = place.indexed();
    assert_eq!(incidents.list(&Query::default()).unwrap(), expected);
    fs::remove_file(&database).unwrap();
    add(&incidents, "new");
    assert_eq!(incidents.list(&Query::default()).unwrap().total, 13);
}

#[test]
fn an_index_that_cannot_be_used_is_told_and_nothing_is_lost() {
    let place = Place::new();
    many(&place, 3);
    place.list(&Query::default());
    let [database] = databases(&place).try_into().unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(PathBuf::from(format!("{}{suffix}", database.display())));
    }
    fs::create_dir(&database).unwrap();
    let incidents = place.indexed();
    let list = incidents.list(&Query::default()).unwrap();
    assert_eq!(list.total, 3);
    assert!(list.degraded[0].starts_with("the index cannot be used"), "{:?}", list.degraded);
    assert_eq!(incidents.find_by_fingerprint(&fingerprint(1)).unwrap().len(), 1);
    add(&incidents, "new");
    assert_eq!(incidents.list(&Query::default()).unwrap().total, 4);
}

#[test]
fn events_that_were_taken_away_make_the_index_begin_anew() {
    let place = Place::new();
    many(&place, 12);
    place.list(&Query::default());
    fs::remove_file(place.root().join("events.jsonl")).unwrap();
    add(&place.plain(), "new");
    assert_eq!(place.list(&Query::default()).total, 13);
    close(&place.plain(), "new", Closing::Escalated);
    assert_eq!(place.names(&Query { statuses: vec![IncidentStatus::Escalated], ..Query::default() }), ["new"]);
}

#[test]
fn incidents_of_a_fingerprint_are_found_open_ones_first() {
    let place = Place::new();
    assert_eq!(place.indexed().find_by_fingerprint(&fingerprint(1)).unwrap(), []);
    let incidents = place.indexed();
    for (name, seconds) in [("old", 1), ("closed-late", 9), ("closed", 5), ("young", 7)] {
        let mut one = incident(name);
        one.fingerprint = Some(fingerprint(1));
        one.updated_at = Timestamp::from_millisecond(seconds * 1_000);
        assert!(incidents.add(Change::of(one, "capture", "test"), time()).unwrap());
    }
    add(&incidents, "without");
    close(&incidents, "closed", Closing::Resolved);
    close(&incidents, "closed-late", Closing::Resolved);
    for incidents in [place.indexed(), place.plain(), incidents] {
        let found = incidents.find_by_fingerprint(&fingerprint(1)).unwrap();
        let names: Vec<_> = found.iter().map(|stored| stored.incident.incident_id.as_str()).collect();
        assert_eq!(names, ["young", "old", "closed-late", "closed"]);
        assert_eq!(incidents.find_by_fingerprint(&fingerprint(2)).unwrap(), []);
    }
}
