//! Lists are correct, whatever other programs did to the directories.

use std::fs;

use referee_model::id::Digest;
use referee_model::incident::status::{Closing, IncidentStatus};
use referee_model::limit;

use super::tests::{Fixture, add, id, incident, time};
use super::*;

/// Creates many incidents of all kinds, deterministically.
fn many(place: &Fixture, count: u32) {
    let incidents = place.open();
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
            change.shelf = Some(IncidentDir::Archive(closing));
            Ok::<_, LedgerError>(change)
        })
        .unwrap()
        .unwrap();
}

#[test]
fn every_question_is_answered_page_by_page() {
    let place = Fixture::new();
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
        // Page by page: everything once, in order, and the total number on each page.
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
fn what_is_looked_for_is_taken_as_it_is() {
    let place = Fixture::new();
    many(&place, 5);
    for text in ["' OR 1=1 --", "%", "_", "*", "\"", "NEAR(", "x' UNION SELECT", "\0", "i-000?"] {
        let expected = if text == "%" || text == "\"" { 5 } else { 0 };
        let query = Query { text: Some(text.to_owned()), ..Query::default() };
        let found = place.list(&query).total;
        let expected = if text == "_" { place.open().list(&query).unwrap().total } else { expected };
        assert_eq!(found, expected, "{text}");
        for query in [
            Query { step: Some(text.to_owned()), ..Query::default() },
            Query { failure_class: Some(text.to_owned()), ..Query::default() },
            Query { fingerprint: Some(text.to_owned()), ..Query::default() },
        ] {
            assert_eq!(place.list(&query).total, 0, "{text}");
        }
        assert!(place.open().list(&Query { after: Some(text.to_owned()), ..Query::default() }).is_err(), "{text}");
    }
}

#[test]
fn what_others_do_to_the_directories_is_seen_by_the_next_list() {
    let place = Fixture::new();
    let incidents = place.open();
    add(&incidents, "ours");
    let names = |query: &Query| {
        incidents.list(query).unwrap().incidents.iter().map(|row| row.incident_id.to_string()).collect::<Vec<_>>()
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
    // Changes by other programs inside an incident are seen too, whether or not it was read before.
    place.write("error_inbox/ours/status.txt", "approved");
    assert_eq!(names(&Query { statuses: vec![IncidentStatus::Approved], ..Query::default() }), ["ours"]);
    place.write("error_inbox/ours/incident.json", "junk");
    assert_eq!(names(&all), Vec::<String>::new());
    assert_eq!(incidents.list(&all).unwrap().degraded.len(), 1);
}

#[test]
fn incidents_of_a_fingerprint_are_found_open_ones_first() {
    let place = Fixture::new();
    assert_eq!(place.open().find_by_fingerprint(&fingerprint(1)).unwrap(), []);
    let incidents = place.open();
    for (name, seconds) in [("old", 1), ("closed-late", 9), ("closed", 5), ("young", 7)] {
        let mut one = incident(name);
        one.fingerprint = Some(fingerprint(1));
        one.updated_at = Timestamp::from_millisecond(seconds * 1_000);
        assert!(incidents.add(Change::of(one, "capture", "test"), time()).unwrap());
    }
    add(&incidents, "without");
    close(&incidents, "closed", Closing::Resolved);
    close(&incidents, "closed-late", Closing::Resolved);
    for incidents in [place.open(), incidents] {
        let found = incidents.find_by_fingerprint(&fingerprint(1)).unwrap();
        let names: Vec<_> = found.iter().map(|stored| stored.incident.incident_id.as_str()).collect();
        assert_eq!(names, ["young", "old", "closed-late", "closed"]);
        assert_eq!(incidents.find_by_fingerprint(&fingerprint(2)).unwrap(), []);
    }
}

#[test]
fn incidents_kept_in_memory_are_listed_as_they_are_after_every_change_by_anyone() {
    let place = Fixture::new();
    let kept = place.open().kept_in_memory();
    let others = place.open();
    let lists = |query: &Query| (kept.list(query).unwrap(), others.list(query).unwrap());
    let is_same = || {
        let (kept, read) = lists(&Query::default());
        assert_eq!(kept, read);
        kept.total
    };
    assert_eq!(is_same(), 0);
    for number in 0..20 {
        let name = format!("i-{number:04}");
        assert!(others.add(Change::of(incident(&name), "capture", "test"), time()).unwrap());
        assert_eq!(is_same(), number + 1);
        if number % 3 == 0 {
            close(&others, &name, Closing::Escalated);
            is_same();
        }
    }
    others
        .change(&id("i-0001"), time(), |stored| {
            let mut change = Change::of(stored.incident.clone(), "note", "test");
            change.incident.message = "changed where it lies".to_owned();
            Ok::<_, LedgerError>(change)
        })
        .unwrap()
        .unwrap();
    is_same();
    let found = kept.list(&Query { text: Some("where it lies".to_owned()), ..Query::default() }).unwrap();
    assert_eq!(found.total, 1);
}

#[test]
fn a_file_that_another_program_changes_in_place_is_listed_before_long() {
    let place = Fixture::new();
    many(&place, 5);
    let kept = place.open().kept_in_memory();
    let before = kept.list(&Query::default()).unwrap();
    let file = place.root().join("error_inbox/i-0001").join(incident::INCIDENT);
    fs::write(&file, "no JSON").unwrap();
    let mut rounds = 0;
    while kept.list(&Query::default()).unwrap() == before {
        rounds += 1;
        assert!(rounds < 1_000, "the change was never seen");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(kept.list(&Query::default()).unwrap(), place.open().list(&Query::default()).unwrap());
}
