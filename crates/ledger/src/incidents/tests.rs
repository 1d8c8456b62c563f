//! Guarantees of the incident store for its users.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use referee_model::incident::IncidentDocument;
use referee_model::incident::status::{Closing, IncidentStatus};
use referee_model::limit;
use serde_json::{Value, json};

use super::*;

pub(super) fn time() -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_000)
}

pub(super) fn id(text: &str) -> IncidentId {
    IncidentId::parse(text).unwrap()
}

/// Returns an incident in the form of the seed.
fn document(id: &str) -> Value {
    json!({
        "incident_id": id,
        "status": "new",
        "created_at": "2026-02-17T03:00:00+00:00",
        "updated_at": "2026-02-17T03:00:00+00:00",
        "run_id": "run_20260217_115959_123456",
        "year": 2026,
        "month": 1,
        "ym": "2026-01",
        "step": "amazon_download",
        "failure_class": "transient",
        "message": "Network timeout during receipt download",
        "error_signature": "transient | amazon_download | Network timeout during receipt download",
    })
}

pub(super) fn incident(id: &str) -> IncidentDocument {
    incident::read(&serde_json::to_vec(&document(id)).unwrap()).unwrap()
}

pub(super) fn part_file(part: Part, name: &str, content: &str) -> PartFile {
    PartFile { part, name: name.to_owned(), bytes: content.as_bytes().to_vec() }
}

pub(super) fn add(incidents: &Incidents, name: &str) {
    assert!(incidents.add(Change::of(incident(name), "capture", "test"), time()).unwrap());
}

fn set(incidents: &Incidents, name: &str, status: IncidentStatus, shelf: Option<IncidentDir>) {
    let changed = incidents.change(&id(name), time(), |stored| {
        let mut change = Change::of(stored.incident.clone(), "set", "test");
        change.incident.status = status;
        change.shelf = shelf;
        Ok::<_, LedgerError>(change)
    });
    assert!(changed.unwrap().is_some());
}

pub(super) struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.directory.path().join("a/reports")
    }

    pub(super) fn open(&self) -> Incidents {
        Incidents::open(&self.root(), Some(&self.state())).unwrap()
    }

    pub(super) fn state(&self) -> State {
        State::open(&self.directory.path().join("state")).unwrap()
    }

    /// Writes a file below the root, as another program would.
    pub(super) fn write(&self, path: &str, content: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Creates an incident as another program would.
    pub(super) fn foreign(&self, shelf: &str, name: &str, status: &str) {
        self.write(&format!("{shelf}/{name}/incident.json"), &document(name).to_string());
        self.write(&format!("{shelf}/{name}/status.txt"), status);
    }

    #[track_caller]
    pub(super) fn list(&self, query: &Query) -> IncidentListDocument {
        self.open().list(query).unwrap()
    }

    #[track_caller]
    pub(super) fn names(&self, query: &Query) -> Vec<String> {
        self.list(query).incidents.iter().map(|row| row.incident_id.to_string()).collect()
    }
}

#[test]
fn an_incident_is_the_directory_of_the_contract() {
    let place = Fixture::new();
    let incidents = place.open();
    assert!(!place.root().exists(), "nothing is made before something is written");
    assert_eq!(incidents.list(&Query::default()).unwrap(), IncidentListDocument::default());
    assert_eq!(incidents.change(&id("i-1"), time(), |_| Err(LedgerError::Name { name: String::new() })).unwrap(), None);
    assert!(!place.root().exists());

    add(&incidents, "i-1");
    let directory = place.root().join("error_inbox/i-1");
    let mut names: Vec<_> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["audit_tail.jsonl", "context.json", "incident.json", "log_tail.txt", "status.txt"]);
    assert_eq!(fs::read_to_string(directory.join("status.txt")).unwrap().trim(), "new");
    assert_eq!(fs::read_to_string(directory.join("context.json")).unwrap(), "{}\n");
    let written: Value = serde_json::from_slice(&fs::read(directory.join("incident.json")).unwrap()).unwrap();
    for (key, value) in document("i-1").as_object().unwrap() {
        assert_eq!(&written[key], value, "{key}");
    }

    // IN-17: adding the same id again changes nothing.
    assert!(!incidents.add(Change::of(incident("i-1"), "capture", "test"), time()).unwrap());
    assert_eq!(incidents.events(0, 0).unwrap().len(), 1);

    // Archive rule: the whole directory moves, and no copy stays behind.
    fs::write(directory.join("of_another_program"), "kept").unwrap();
    set(&incidents, "i-1", IncidentStatus::Escalated, Some(IncidentDir::Archive(Closing::Escalated)));
    assert!(!directory.exists());
    let moved = place.root().join("error_archive/escalated/i-1");
    assert_eq!(fs::read_to_string(moved.join("of_another_program")).unwrap(), "kept");
    assert_eq!(fs::read_to_string(moved.join("status.txt")).unwrap().trim(), "escalated");
    let found = incidents.find(&id("i-1")).unwrap().unwrap();
    assert_eq!(
        (found.path().as_str(), found.incident.status),
        ("error_archive/escalated/i-1", IncidentStatus::Escalated)
    );
    assert!(
        !incidents.add(Change::of(incident("i-1"), "capture", "test"), time()).unwrap(),
        "its id is taken in the archive, too"
    );
}

#[test]
fn what_another_program_wrote_is_read_and_kept() {
    let place = Fixture::new();
    let mut written = document("old");
    for (key, value) in [
        ("planner", json!({"mode": "ai"})),
        ("approved_at", json!("2026-02-17T12:00:00")),
        ("handoff_at", json!("")),
        ("incident_id", json!("another")),
    ] {
        written[key] = value;
    }
    place.write("error_inbox/old/incident.json", &written.to_string());
    place.write("error_inbox/old/status.txt", "planned\n");
    place.foreign("error_inbox", "odd", "frobnicated");
    place.foreign("error_archive/resolved", "closed", "resolved");
    place.write("error_inbox/silent/incident.json", &document("silent").to_string());

    let incidents = place.open();
    let old = incidents.find(&id("old")).unwrap().unwrap().incident;
    assert_eq!(old.status, IncidentStatus::PlanProposed, "`status.txt` decides, in the older spelling, too");
    assert_eq!((old.incident_id.as_str(), old.fingerprint, old.handoff_at), ("old", None, None));
    assert_eq!(old.approved_at, Some(Timestamp::parse("2026-02-17T12:00:00Z").unwrap()));
    assert_eq!(incidents.find(&id("odd")).unwrap().unwrap().incident.status, IncidentStatus::New);
    assert_eq!(incidents.find(&id("silent")).unwrap().unwrap().incident.status, IncidentStatus::New);
    assert_eq!(incidents.find(&id("closed")).unwrap().unwrap().shelf, IncidentDir::Archive(Closing::Resolved));
    assert_eq!(incidents.file(&id("old"), Part::Incident, "log_tail.txt").unwrap(), None, "files that are missing are");
    assert_eq!(place.names(&Query::default()), ["silent", "old", "odd", "closed"]);

    set(&incidents, "old", IncidentStatus::Approved, None);
    let kept: Value =
        serde_json::from_slice(&fs::read(place.root().join("error_inbox/old/incident.json")).unwrap()).unwrap();
    assert_eq!(kept["planner"], json!({"mode": "ai"}));
}

#[test]
fn what_cannot_be_read_is_told_by_name_and_hides_nothing() {
    let place = Fixture::new();
    place.foreign("error_inbox", "good", "new");
    place.foreign("error_inbox", "junk", "new");
    place.write("error_inbox/junk/incident.json", "{\"incident_id\": ");
    place.write("error_inbox/empty/status.txt", "new");
    place.foreign("error_inbox", "huge", "new");
    fs::File::options()
        .write(true)
        .open(place.root().join("error_inbox/huge/incident.json"))
        .unwrap()
        .set_len(limit::INCIDENT_FILE_BYTES + 1)
        .unwrap();
    place.foreign("error_archive/resolved", "led-away", "resolved");
    let target = place.root().join("error_archive/resolved/led-away/incident.json");
    fs::remove_file(&target).unwrap();
    symlink("/etc/passwd", &target).unwrap();
    symlink(place.root().join("error_inbox/good"), place.root().join("error_inbox/link")).unwrap();
    place.foreign("error_inbox", "no id", "new");
    place.write("error_inbox/.hidden/x", "");
    place.write("error_inbox/README.md", "");
    fs::create_dir_all(place.root().join("error_inbox/pipe")).unwrap();
    let pipe = place.root().join("error_inbox/pipe/incident.json");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600), 0)
        .unwrap();

    let list = place.list(&Query::default());
    assert_eq!(list.incidents.iter().map(|row| row.incident_id.as_str()).collect::<Vec<_>>(), ["good"]);
    assert_eq!((list.counts.unresolved, list.counts.resolved, list.total), (7, 1, 1));
    let said = |name: &str| list.degraded.iter().filter(|sentence| sentence.contains(name)).count();
    for name in [
        "error_inbox/junk ",
        "error_inbox/empty ",
        "error_inbox/huge ",
        "error_inbox/link ",
        "error_inbox/pipe ",
        "error_inbox/no id ",
        "resolved/led-away ",
    ] {
        assert_eq!(said(name), 1, "{name}: {:#?}", list.degraded);
    }
    assert_eq!(list.degraded.len(), 7, "{:#?}", list.degraded);
    for name in ["junk", "empty", "huge", "led-away", "link", "pipe"] {
        assert!(place.open().find(&id(name)).is_err(), "{name} must not look like nothing");
        assert!(
            !place.open().add(Change::of(incident(name), "capture", "test"), time()).unwrap(),
            "{name} is not written over"
        );
    }
    // After it is repaired it is listed, although its directory's name never changed.
    place.write("error_inbox/junk/incident.json", &document("junk").to_string());
    assert_eq!(place.names(&Query::default()), ["junk", "good"]);
}

#[test]
fn a_change_that_is_refused_or_cannot_be_made_leaves_everything_as_it_was() {
    let place = Fixture::new();
    let incidents = place.open();
    add(&incidents, "i-1");
    let refused = |change: fn(Change) -> Change| {
        let answer =
            incidents.change(&id("i-1"), time(), |stored| Ok(change(Change::of(stored.incident.clone(), "x", "test"))));
        assert!(incidents.find(&id("i-1")).unwrap().unwrap().incident.status == IncidentStatus::New);
        assert_eq!(incidents.events(0, 0).unwrap().len(), 1);
        assert!(!place.root().join(".journal/i-1").exists());
        answer.unwrap_err()
    };
    for name in ["", ".", "..", "../x", "a/b", "incident.json", "status.txt"] {
        assert!(
            matches!(
                incidents.change(&id("i-1"), time(), |stored| {
                    let mut change = Change::of(stored.incident.clone(), "x", "test");
                    change.files.push(part_file(Part::Incident, name, ""));
                    Ok(change)
                }),
                Err(LedgerError::Name { .. })
            ),
            "{name}"
        );
    }
    let large = refused(|mut change| {
        change.files.push(PartFile {
            part: Part::Run,
            name: "x".to_owned(),
            bytes: vec![0; usize::try_from(limit::INCIDENT_FILE_BYTES).unwrap() + 1],
        });
        change
    });
    assert!(matches!(large, LedgerError::TooLarge { .. }), "{large}");
    let other = refused(|mut change| {
        change.incident.incident_id = id("i-2");
        change
    });
    assert!(matches!(other, LedgerError::Unusable { .. }), "{other}");
    place.write("error_archive/resolved/i-1/incident.json", "in the way");
    let in_the_way = refused(|mut change| {
        change.shelf = Some(IncidentDir::Archive(Closing::Resolved));
        change
    });
    assert!(in_the_way.to_string().contains("move it away"), "{in_the_way}");
    let said = incidents.change(&id("i-1"), time(), |_| Err::<Change, _>(LedgerError::Name { name: "no".to_owned() }));
    assert!(said.is_err());
}

#[test]
fn a_root_or_directory_that_leads_elsewhere_is_refused() {
    let place = Fixture::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.root().parent().unwrap()).unwrap();
    symlink(elsewhere.path(), place.root()).unwrap();
    assert!(matches!(Incidents::open(&place.root(), None), Err(LedgerError::NotADirectory { .. })));
    fs::remove_file(place.root()).unwrap();
    fs::write(place.root(), "a file").unwrap();
    assert!(matches!(Incidents::open(&place.root(), None), Err(LedgerError::NotADirectory { .. })));
    fs::remove_file(place.root()).unwrap();

    for name in ["error_inbox", "error_archive", ".journal", "error_plans"] {
        fs::create_dir_all(place.root()).unwrap();
        symlink(elsewhere.path(), place.root().join(name)).unwrap();
        let incidents = place.open();
        let mut change = Change::of(incident("i-1"), "capture", "test");
        change.files.push(part_file(Part::Plan, "plan.json", ""));
        assert!(matches!(incidents.add(change, time()), Err(LedgerError::NotADirectory { .. })), "{name}");
        fs::remove_dir_all(place.root()).unwrap();
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_root_that_cannot_be_written_to_can_be_read() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let place = Fixture::new();
    add(&place.open(), "i-1");
    fs::set_permissions(place.root(), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(place.root().join(".locks"), fs::Permissions::from_mode(0o555)).unwrap();
    let incidents = place.open();
    assert_eq!(incidents.list(&Query::default()).unwrap().total, 1);
    let refused = incidents.add(Change::of(incident("i-2"), "capture", "test"), time());
    fs::set_permissions(place.root(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(place.root().join(".locks"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(refused, Err(LedgerError::Io { .. })), "{refused:?}");
}

#[test]
fn junk_in_the_journal_stops_changes_of_that_incident_alone() {
    let place = Fixture::new();
    let incidents = place.open();
    add(&incidents, "i-1");
    add(&incidents, "i-2");
    let forged = |text: &str| place.write(".journal/i-1/intent.json", text);
    forged("junk");
    assert_eq!(place.open().list(&Query::default()).unwrap().total, 1, "i-1 cannot be read");
    let list = place.list(&Query::default());
    assert!(list.degraded.iter().any(|said| said.contains("i-1")), "{list:#?}");
    set(&place.open(), "i-2", IncidentStatus::Approved, None);
    let refused = incidents.change(&id("i-1"), time(), |stored| Ok(Change::of(stored.incident.clone(), "x", "test")));
    assert!(matches!(refused, Err(LedgerError::Unreadable { .. })), "{refused:?}");

    // A forged intent leads nowhere else.
    let event = json!({"sequence": 0, "at": "2026-02-17T03:00:00Z", "incident_id": "i-1", "action": "x", "from": null, "to": "new", "by": "", "note": ""});
    let intent = |name: &str| json!({"intent_version": "2.0.0", "incident_id": "i-1", "to": null, "removed": [], "after_sequence": 0, "event": event, "files": [{"part": "plan", "name": name}]});
    forged(&intent("../../x").to_string());
    assert!(matches!(incidents.find(&id("i-1")), Err(LedgerError::Name { .. })));
    let mut other = intent("x");
    other["event"]["incident_id"] = json!("i-2");
    forged(&other.to_string());
    assert!(matches!(incidents.find(&id("i-1")), Err(LedgerError::Unreadable { .. })));
    fs::remove_dir_all(place.root().join(".journal/i-1")).unwrap();
    assert!(incidents.find(&id("i-1")).unwrap().is_some());
}

#[test]
fn an_incident_is_worked_at_by_one() {
    let place = Fixture::new();
    let incidents = place.open();
    let hold = incidents.hold(&id("i-1")).unwrap().unwrap();
    assert!(place.open().hold(&id("i-1")).unwrap().is_none());
    assert!(place.open().hold(&id("i-2")).unwrap().is_some());
    drop(hold);
    assert!(place.open().hold(&id("i-1")).unwrap().is_some());
}

#[test]
fn events_say_who_did_what_and_where_it_stood() {
    let place = Fixture::new();
    let incidents = place.open();
    add(&incidents, "i-1");
    incidents
        .change(&id("i-1"), time(), |stored| {
            let mut change = Change::of(stored.incident.clone(), "plan", &"p".repeat(5_000));
            change.incident.status = IncidentStatus::PlanProposed;
            change.note = "n".repeat(100_000);
            Ok::<_, LedgerError>(change)
        })
        .unwrap();
    let events = incidents.events(0, 0).unwrap();
    assert_eq!(events[0].from, None);
    assert_eq!((events[1].sequence, events[1].action.as_str()), (2, "plan"));
    assert_eq!((events[1].from, events[1].to), (Some(IncidentStatus::New), IncidentStatus::PlanProposed));
    assert!(events[1].by.len() <= 200 && events[1].note.len() <= 1_000, "what is kept has bounds");
}

#[test]
fn readers_never_see_half_of_a_change_while_others_write() {
    let place = Fixture::new();
    let incidents = place.open();
    add(&incidents, "i-1");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..60_u64 {
                let archive = round % 2 == 0;
                let (status, shelf) = if archive {
                    (IncidentStatus::Escalated, IncidentDir::Archive(Closing::Escalated))
                } else {
                    (IncidentStatus::New, IncidentDir::Inbox)
                };
                incidents
                    .change(&id("i-1"), time(), |stored| {
                        let mut change = Change::of(stored.incident.clone(), "move", "test");
                        change.incident.status = status;
                        change.incident.message = status.as_str().to_owned();
                        change.incident.occurrences = round + 2;
                        change.shelf = Some(shelf);
                        Ok::<_, LedgerError>(change)
                    })
                    .unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        let mut last = 0;
        while !done.load(std::sync::atomic::Ordering::SeqCst) {
            let stored = incidents.find(&id("i-1")).unwrap().expect("it is always somewhere");
            if stored.incident.occurrences > 1 {
                assert_eq!(stored.incident.message, stored.incident.status.as_str());
                assert_eq!(stored.shelf == IncidentDir::Inbox, stored.incident.status == IncidentStatus::New);
            }
            assert!(stored.incident.occurrences >= last, "time goes back");
            last = stored.incident.occurrences;
        }
    });
    assert_eq!(incidents.events(0, 0).unwrap().len(), 61);
}
