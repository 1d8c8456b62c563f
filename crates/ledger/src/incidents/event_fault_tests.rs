//! Changed events are reported, and block nothing.

use std::fs;

use super::tests::{Fixture, add};
use super::*;

const NAMES: [&str; 4] = ["i-1", "i-2", "i-3", "i-4"];

/// Returns a root with an event for each name, and the lines.
fn told() -> (Fixture, Vec<String>) {
    let place = Fixture::new();
    let incidents = place.open();
    for name in NAMES {
        add(&incidents, name);
    }
    let text = fs::read_to_string(place.root().join("events.jsonl")).unwrap();
    (place, text.split_inclusive('\n').map(str::to_owned).collect())
}

/// Returns the faults in a list, and those found by reading all events.
fn faults(place: &Fixture) -> [String; 2] {
    let incidents = place.open();
    let listed = incidents.list(&Query::default()).unwrap().degraded.join("\n");
    [listed, incidents.events_fault().unwrap().unwrap_or_default()]
}

#[test]
fn a_line_that_was_changed_moved_or_removed_is_told_of() {
    let (place, lines) = told();
    assert_eq!(faults(&place), ["", ""]);
    let changed = |number: usize| lines[number].replace("capture", "rapture");
    let [one, two, three, four] = &lines[..] else { panic!("{lines:?}") };
    let follows = |number: u32| format!("line {number} of `events.jsonl` does not follow");
    let end = "line 4 of `events.jsonl` is not where it was written";
    for (is_listed, found, content) in [
        (false, follows(2), [&changed(0), two, three, four].map(String::as_str).concat()),
        (false, follows(4), [one, two, &changed(2), four].map(String::as_str).concat()),
        (true, end.to_owned(), [one, two, three, &changed(3)].map(String::as_str).concat()),
        (true, follows(2), [one, three, four].map(String::as_str).concat()),
        (true, end.to_owned(), [one, two, three].map(String::as_str).concat()),
        (false, follows(1), [two, one, three, four].map(String::as_str).concat()),
        (true, follows(2), format!("{one}junk\n{two}{three}{four}")),
        (true, end.to_owned(), String::new()),
    ] {
        place.write("events.jsonl", &content);
        let [listed, read] = faults(&place);
        assert_eq!(listed.contains(end), is_listed, "{content}: {listed}");
        assert!(read.starts_with(&found), "{content}: {read}");
    }
    fs::remove_file(place.root().join("events.jsonl")).unwrap();
    assert!(faults(&place).iter().all(|said| said.contains("is gone, and had 4 lines")));
}

#[test]
fn events_that_were_cut_are_told_of_until_a_person_decides() {
    let (place, lines) = told();
    place.write("events.jsonl", &lines[..2].concat());
    add(&place.open(), "i-5");
    let [listed, read] = faults(&place);
    assert_eq!(listed, read);
    let end = listed.split('`').nth(3).unwrap();
    fs::remove_file(end).unwrap();
    assert_eq!(faults(&place)[0], "");
    assert!(faults(&place)[1].contains("was not written here so far"));
    add(&place.open(), "i-6");
    assert_eq!(faults(&place), ["", ""]);

    // A root that is created again is a new one; an event log that starts over among existing incidents is not.
    fs::remove_dir_all(place.root()).unwrap();
    add(&place.open(), "i-1");
    assert_eq!(faults(&place), ["", ""]);
    fs::remove_file(place.root().join("events.jsonl")).unwrap();
    add(&place.open(), "i-2");
    assert!(faults(&place)[0].contains("was written here"));
}

#[test]
fn what_another_user_or_machine_told_is_taken_on() {
    let (place, lines) = told();
    let clone = Fixture::new();
    clone.write("events.jsonl", &lines.concat());
    let [listed, read] = faults(&clone);
    assert_eq!(listed, "");
    assert!(read.contains("was not written here so far"), "{read}");
    add(&clone.open(), "i-5");
    assert_eq!(faults(&clone), ["", ""]);

    // Two users of one root.
    let other = Incidents::open(&place.root(), Some(&clone.state())).unwrap();
    add(&other, "i-5");
    assert_eq!(faults(&place), ["", ""]);
    add(&place.open(), "i-6");
    assert_eq!((faults(&place), other.events_fault().unwrap()), ([String::new(), String::new()], None));
    // Without a state directory nothing is recorded.
    assert_eq!(Incidents::open(&place.root(), None).unwrap().events_fault().unwrap(), None);
}

#[test]
fn lines_of_an_older_referee_and_half_a_line_are_passed_over() {
    let (place, lines) = told();
    let older: Vec<_> = lines.iter().map(|line| without_digest(line)).collect();
    let upgraded = Fixture::new();
    upgraded.write("events.jsonl", &older.concat());
    add(&upgraded.open(), "i-5");
    assert_eq!(faults(&upgraded), ["", ""]);
    let half = fs::read_to_string(upgraded.root().join("events.jsonl")).unwrap() + "{\"event_version\":";
    upgraded.write("events.jsonl", &half);
    assert_eq!(faults(&upgraded), ["", ""]);
    // Not after a line that has a digest.
    place.write("events.jsonl", &[&lines[0], &lines[1], &older[2], &lines[3]].map(String::as_str).concat());
    assert!(faults(&place)[1].starts_with("line 3 "));
}

fn without_digest(line: &str) -> String {
    match line.split_once(",\"previous\"") {
        Some((before, _)) => format!("{before}}}\n"),
        None => line.to_owned(),
    }
}

#[test]
fn an_end_that_cannot_be_read_is_told_of_and_blocks_nothing() {
    let (place, _) = told();
    let stages = place.state().path().join("stages");
    for entry in fs::read_dir(&stages).unwrap() {
        fs::write(entry.unwrap().path(), "junk").unwrap();
    }
    add(&place.open(), "i-5");
    let incidents = place.open();
    assert!(incidents.list(&Query::default()).unwrap().degraded[0].contains("cannot read"));
    assert!(incidents.events_fault().is_err());
    assert_eq!(incidents.events(0, 0).unwrap().len(), 5);
}
