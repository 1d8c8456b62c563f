//! Incidents in the crash suite: events have no gap and no duplicate, whatever is interrupted.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use referee_model::incident::status::{Closing, IncidentStatus};

use super::tests::{add, id, incident, part_file, time};
use super::*;
use crate::crash_suite::Subject;

pub(crate) const SUBJECT: Subject = Subject {
    name: "incidents",
    operations: &["add", "change", "move"],
    prepare,
    act: |root, operation| act(&open(root), operation),
    look,
    settle,
    check,
    is_exact: |_| true,
    work,
    progress: |root| told(root).len(),
    whole,
};

fn reports(root: &Path) -> PathBuf {
    root.join("reports")
}

fn state(root: &Path) -> State {
    State::open(&root.join("state")).unwrap()
}

fn open(root: &Path) -> Incidents {
    Incidents::open(&reports(root), Some(&state(root))).unwrap()
}

/// Opens the incidents without completing anything, like a reader that started before the process died.
fn unsettled(root: &Path) -> Incidents {
    Incidents { ground: Arc::new(IncidentRoot::new(&reports(root), Some(&state(root)))), catalog: None }
}

fn look(root: &Path, _operation: &str) -> String {
    let incidents = unsettled(root);
    let found = incidents.find(&id("i-1")).unwrap().map(|stored| (stored.incident.status, stored.path()));
    let mut seen = format!("{found:?}");
    for part in Part::ALL {
        for name in incidents.files(&id("i-1"), part).unwrap() {
            let bytes = incidents.file(&id("i-1"), part, &name).unwrap().unwrap_or_else(|| panic!("{name} is gone"));
            write!(seen, "\n{part:?} {name} {}", String::from_utf8(bytes).unwrap()).unwrap();
        }
    }
    seen
}

/// Returns all events, which must be numbered without a gap, and possible in this order for each incident.
fn told(root: &Path) -> Vec<IncidentEventDocument> {
    let incidents = unsettled(root);
    let mut events: Vec<IncidentEventDocument> = Vec::new();
    loop {
        let page = incidents.events(events.len() as u64, 0).unwrap();
        if page.is_empty() {
            break;
        }
        events.extend(page);
    }
    let numbers: Vec<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let mut stands: BTreeMap<&IncidentId, IncidentStatus> = BTreeMap::new();
    for event in &events {
        assert_eq!(stands.insert(&event.incident_id, event.to), event.from, "{event:?}");
    }
    events
}

fn settle(root: &Path, _operation: &str) -> Result<(), LedgerError> {
    match journal::settle_all(&unsettled(root).ground).pop() {
        Some(reason) => Err(LedgerError::Unusable { path: root.to_path_buf(), reason }),
        None => Ok(()),
    }
}

fn prepare(root: &Path, operation: &str) {
    let incidents = open(root);
    add(&incidents, "other");
    if !matches!(operation, "add" | "") {
        let mut change = Change::of(incident("i-1"), "capture", "test");
        change.files = vec![
            part_file(Part::Plan, "plan.json", "old"),
            part_file(Part::Plan, "approval.json", "old"),
            part_file(Part::Run, "loop_state.json", "old"),
        ];
        assert!(incidents.add(change, time()).unwrap());
    }
}

fn act(incidents: &Incidents, operation: &str) -> Result<(), LedgerError> {
    if operation == "add" {
        let mut change = Change::of(incident("i-1"), "operation", "test");
        change.files =
            vec![part_file(Part::Incident, "log_tail.txt", "new"), part_file(Part::Plan, "plan.json", "new")];
        return incidents.add(change, time()).map(|_| ());
    }
    let changed = incidents.change(&id("i-1"), time(), |stored| {
        let mut change = Change::of(stored.incident.clone(), "operation", "test");
        change.incident.status = IncidentStatus::Resolved;
        change.files = vec![
            part_file(Part::Plan, "plan.json", "new"),
            part_file(Part::Run, "attempt_01.json", "new"),
            part_file(Part::Incident, "note.md", "new"),
        ];
        change.removed = vec![(Part::Plan, "approval.json".to_owned()), (Part::Run, "not there".to_owned())];
        change.shelf =
            (operation == "move").then_some(IncidentDir::Archive(referee_model::incident::status::Closing::Resolved));
        Ok::<_, LedgerError>(change)
    })?;
    assert!(changed.is_some());
    Ok(())
}

fn check(root: &Path, operation: &str, happened: bool) {
    let actions = |root| told(root).into_iter().map(|event| event.action).collect::<Vec<_>>();
    let mut expected = vec!["capture"; if operation == "add" { 1 } else { 2 }];
    let before = actions(root);
    assert!(
        before == expected || happened && before == [&expected[..], &["operation"]].concat(),
        "{operation}: {before:?}"
    );
    expected.extend(happened.then_some("operation"));

    let incidents = open(root);
    assert_eq!(actions(root), expected, "{operation}");
    let list = incidents.list(&Query::default()).unwrap();
    assert_eq!((list.degraded, journal::ids(&incidents.ground).unwrap()), (vec![], vec![]), "{operation}");
    assert_eq!(list.total, if operation == "add" && !happened { 1 } else { 2 });
    assert!(!reports(root).join(".journal/i-1").exists(), "{operation}: something is under way");
    // The next process continues from there.
    add(&incidents, "next");
    assert_eq!(incidents.events_fault().unwrap(), None, "{operation}");
    if happened || operation != "add" {
        incidents
            .change(&id("i-1"), time(), |stored| {
                Ok::<_, LedgerError>(Change::of(stored.incident.clone(), "next", "test"))
            })
            .unwrap()
            .unwrap();
    }
    assert_eq!(told(root).len(), expected.len() + if happened || operation != "add" { 2 } else { 1 });
}

/// Repeatedly changes one incident that all processes change, and one of its own.
fn work(root: &Path, who: &str, rounds: u32) {
    let incidents = open(root);
    for round in 0..rounds {
        incidents
            .change(&id("other"), time(), |stored| {
                let mut change = Change::of(stored.incident.clone(), "occurrence", who);
                change.incident.occurrences += 1;
                Ok::<_, LedgerError>(change)
            })
            .unwrap()
            .unwrap();
        let own = format!("{who}-{round}");
        let mut change = Change::of(incident(&own), "capture", who);
        change.files = vec![part_file(Part::Plan, "plan.json", "{}"), part_file(Part::Run, "attempt_01.json", "{}")];
        incidents.add(change, time()).unwrap();
        incidents
            .change(&id(&own), time(), |stored| {
                let mut change = Change::of(stored.incident.clone(), "archive", who);
                change.incident.status = IncidentStatus::Resolved;
                change.removed = vec![(Part::Plan, "plan.json".to_owned())];
                change.shelf = Some(IncidentDir::Archive(Closing::Resolved));
                Ok::<_, LedgerError>(change)
            })
            .unwrap();
        incidents.list(&Query { limit: 1, ..Query::default() }).unwrap();
    }
}

fn whole(root: &Path, rounds: Option<u32>) {
    let incidents = open(root);
    let list = incidents.list(&Query { limit: 1_000, ..Query::default() }).unwrap();
    assert_eq!((list.degraded, incidents.events_fault().unwrap()), (vec![], None));
    let events = told(root);
    let counted = events.iter().filter(|event| event.action == "occurrence").count();
    let occurrences = incidents.find(&id("other")).unwrap().unwrap().incident.occurrences;
    assert_eq!(occurrences, counted as u64 + 1, "what happened was told, and what was told happened");
    for row in list.incidents.iter().filter(|row| row.incident_id.as_str() != "other") {
        let plans = incidents.files(&row.incident_id, Part::Plan).unwrap();
        let is_closed = row.status == IncidentStatus::Resolved;
        assert_eq!((plans.is_empty(), row.path.contains("archive")), (is_closed, is_closed), "{row:?}");
        assert_eq!(incidents.files(&row.incident_id, Part::Run).unwrap(), ["attempt_01.json"]);
    }
    if let Some(rounds) = rounds {
        assert_eq!((counted, events.len()), (rounds as usize, 1 + 3 * rounds as usize));
        assert_eq!((list.counts.unresolved, list.counts.resolved), (1, u64::from(rounds)));
    }
}
