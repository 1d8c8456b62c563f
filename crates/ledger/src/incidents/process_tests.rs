//! Several processes at once, and processes that are killed at any time: nothing is lost, nothing is told twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use referee_model::incident::status::{Closing, IncidentStatus};

use super::tests::{Place, add, id, incident, part_file, time};
use super::*;

const ROOT: &str = "REFEREE_INCIDENTS_ROOT";
const NAME: &str = "REFEREE_INCIDENTS_NAME";
const ROUNDS: &str = "REFEREE_INCIDENTS_ROUNDS";

/// Runs in a process of its own: changes one incident that all change, and one of its own, again and again.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "it is told by its environment what to do")]
fn child_that_changes() {
    let variable = |name| std::env::var(name).unwrap();
    let incidents = Incidents::open(Path::new(&variable(ROOT))).unwrap();
    let name = variable(NAME);
    for round in 0..variable(ROUNDS).parse().unwrap() {
        incidents
            .change(&id("shared"), time(), |stored| {
                let mut change = Change::of(stored.incident.clone(), "occurrence", &name);
                change.incident.occurrences += 1;
                Ok::<_, LedgerError>(change)
            })
            .unwrap()
            .unwrap();
        let own = format!("{name}-{round}");
        let mut change = Change::of(incident(&own), "capture", &name);
        change.files = vec![part_file(Part::Plan, "plan.json", "{}"), part_file(Part::Run, "attempt_01.json", "{}")];
        incidents.add(change, time()).unwrap();
        incidents
            .change(&id(&own), time(), |stored| {
                let mut change = Change::of(stored.incident.clone(), "archive", &name);
                change.incident.status = IncidentStatus::Resolved;
                change.removed = vec![(Part::Plan, "plan.json".to_owned())];
                change.shelf = Some(Shelf::Archive(Closing::Resolved));
                Ok::<_, LedgerError>(change)
            })
            .unwrap();
        incidents.list(&Query { limit: 1, ..Query::default() }).unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "the test starts itself anew")]
fn start(place: &Place, name: &str, rounds: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "incidents::process_tests::child_that_changes"])
        .env(ROOT, place.root())
        .env(NAME, name)
        .env(ROUNDS, rounds.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// All events, which must be numbered without a gap, and tell of each incident what can follow.
#[track_caller]
fn told(place: &Place) -> Vec<IncidentEventDocument> {
    let incidents = place.open();
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

#[test]
fn processes_that_change_the_same_incidents_lose_nothing() {
    let place = Place::new();
    add(&place.open(), "shared");
    let (processes, rounds) = (4, 12);
    let children: Vec<_> = (0..processes).map(|number| start(&place, &format!("p{number}"), rounds)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let shared = place.open().find(&id("shared")).unwrap().unwrap().incident;
    assert_eq!(shared.occurrences, u64::from(1 + processes * rounds));
    assert_eq!(told(&place).len(), usize::try_from(1 + processes * rounds * 3).unwrap());
    let list = place.list(&Query::default());
    assert_eq!((list.counts.unresolved, list.counts.resolved), (1, u64::from(processes * rounds)));
    assert_eq!(list.degraded, Vec::<String>::new());
}

#[test]
fn processes_that_are_killed_at_any_time_leave_everything_whole() {
    let place = Place::new();
    add(&place.open(), "shared");
    for kill in 0..6 {
        let before = told(&place).len();
        let mut children = [0, 1].map(|number| start(&place, &format!("k{kill}-{number}"), 1_000));
        let began = Instant::now();
        // Killed somewhere in the middle of what they do, which is not the same place each time.
        while place.open().events(before as u64 + 10, 1).unwrap().is_empty() {
            assert!(began.elapsed() < Duration::from_mins(1), "they do nothing");
            std::thread::yield_now();
        }
        for child in &mut children {
            child.kill().unwrap();
        }
        for child in &mut children {
            child.wait().unwrap();
        }

        let occurrences = place.open().find(&id("shared")).unwrap().unwrap().incident.occurrences;
        let events = told(&place);
        let counted = events.iter().filter(|event| event.action == "occurrence").count() as u64;
        assert_eq!(occurrences, counted + 1, "what happened was told, and what was told happened");
        let list = place.list(&Query { limit: 1_000, ..Query::default() });
        assert_eq!(list.degraded, Vec::<String>::new());
        for row in list.incidents.iter().filter(|row| row.incident_id.as_str() != "shared") {
            let incidents = place.open();
            let (plans, runs) = (
                incidents.files(&row.incident_id, Part::Plan).unwrap(),
                incidents.files(&row.incident_id, Part::Run).unwrap(),
            );
            let is_closed = row.status == IncidentStatus::Resolved;
            assert_eq!((plans.is_empty(), row.path.contains("archive")), (is_closed, is_closed), "{row:?}");
            assert_eq!(runs, ["attempt_01.json"]);
        }
    }
}
