//! A change is cut off at every single place where it changes the disk: the process is killed, or the disk is full. Whatever the
//! place, readers find all of the old or all of the new, whoever writes next finds the same, and events have no gap and no double.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use referee_model::incident::status::IncidentStatus;

use super::tests::{add, id, incident, part_file, time};
use super::*;
use crate::fault::injected::{self, Fault};

const ROOT: &str = "REFEREE_INCIDENTS_CRASH_ROOT";
const PLACE: &str = "REFEREE_INCIDENTS_CRASH_PLACE";
const DEED: &str = "REFEREE_INCIDENTS_CRASH_DEED";

/// What is cut off.
const DEEDS: [&str; 3] = ["add", "change", "move"];

/// All that a reader sees: incidents, their files, what was told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct View {
    incident: Option<(IncidentStatus, String)>,
    files: Vec<(Part, String, String)>,
    listed: Vec<String>,
}

/// Looks without settling anything, as somebody does who began to read before the process died.
fn look(root: &Path) -> View {
    let ground = Arc::new(Ground::new(root));
    let incidents = Incidents { ground };
    let found = incidents.find(&id("i-1")).unwrap();
    let mut files = Vec::new();
    for part in Part::ALL {
        for name in incidents.files(&id("i-1"), part).unwrap() {
            let bytes = incidents.file(&id("i-1"), part, &name).unwrap().unwrap_or_else(|| panic!("{name} is gone"));
            files.push((part, name, String::from_utf8(bytes).unwrap()));
        }
    }
    let incident = found.map(|stored| (stored.incident.status, stored.path()));
    View { incident, files, listed: Vec::new() }
}

/// As [`look`], after settling, with lists.
fn settled(root: &Path) -> View {
    let incidents = Incidents::open(root).unwrap();
    let list = incidents.list(&Query::default()).unwrap();
    assert_eq!(list.degraded, Vec::<String>::new());
    assert_eq!(journal::ids(&incidents.ground).unwrap(), [], "something is under way");
    let listed = list.incidents.iter().map(|row| format!("{} {}", row.path, row.status.as_str())).collect();
    View { listed, ..look(root) }
}

fn told(root: &Path) -> Vec<(u64, String)> {
    let incidents = Incidents { ground: Arc::new(Ground::new(root)) };
    incidents.events(0, 0).unwrap().into_iter().map(|event| (event.sequence, event.action)).collect()
}

/// In memory where that is possible: what a killed process wrote is there without waiting for a disk.
fn ground() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn prepare(root: &Path, deed: &str) {
    let incidents = Incidents::open(root).unwrap();
    add(&incidents, "other");
    if deed != "add" {
        let mut change = Change::of(incident("i-1"), "capture", "test");
        change.files = vec![
            part_file(Part::Plan, "plan.json", "old"),
            part_file(Part::Plan, "approval.json", "old"),
            part_file(Part::Run, "loop_state.json", "old"),
        ];
        assert!(incidents.add(change, time()).unwrap());
    }
}

fn act(incidents: &Incidents, deed: &str) -> Result<(), LedgerError> {
    if deed == "add" {
        let mut change = Change::of(incident("i-1"), "deed", "test");
        change.files =
            vec![part_file(Part::Incident, "log_tail.txt", "new"), part_file(Part::Plan, "plan.json", "new")];
        return incidents.add(change, time()).map(|_| ());
    }
    let changed = incidents.change(&id("i-1"), time(), |stored| {
        let mut change = Change::of(stored.incident.clone(), "deed", "test");
        change.incident.status = IncidentStatus::Resolved;
        change.files = vec![
            part_file(Part::Plan, "plan.json", "new"),
            part_file(Part::Run, "attempt_01.json", "new"),
            part_file(Part::Incident, "note.md", "new"),
        ];
        change.removed = vec![(Part::Plan, "approval.json".to_owned()), (Part::Run, "not there".to_owned())];
        change.shelf = (deed == "move").then_some(Shelf::Archive(referee_model::incident::status::Closing::Resolved));
        Ok::<_, LedgerError>(change)
    })?;
    assert!(changed.is_some());
    Ok(())
}

/// What stands before and after a deed, with what was told.
fn expected(deed: &str) -> [(View, Vec<(u64, String)>); 2] {
    let folder = ground();
    prepare(folder.path(), deed);
    let before = (settled(folder.path()), told(folder.path()));
    act(&Incidents::open(folder.path()).unwrap(), deed).unwrap();
    let after = (settled(folder.path()), told(folder.path()));
    assert_ne!(before.0, after.0);
    [before, after]
}

/// What must hold after a deed was cut off. Says whether it has happened.
fn check(root: &Path, deed: &str, place: u32, expected: &[(View, Vec<(u64, String)>); 2]) -> bool {
    let [before, after] = expected;
    let bare = |view: &View| View { listed: Vec::new(), ..view.clone() };
    let (seen, heard) = (look(root), told(root));
    let happened = seen == bare(&after.0);
    assert!(happened || seen == bare(&before.0), "{deed}, place {place}: half is seen: {seen:#?}");
    assert!(heard == before.1 || (happened && heard == after.1), "{deed}, place {place}: {heard:?}");

    let incidents = Incidents::open(root).unwrap();
    let expected = if happened { after } else { before };
    assert_eq!(settled(root), expected.0, "{deed}, place {place}");
    assert_eq!(told(root), expected.1, "{deed}, place {place}");
    for part in Part::ALL {
        assert!(!root.join(".journal/i-1").join(part.as_str()).exists(), "{deed}, place {place}");
    }
    // Whoever comes next goes on from there.
    add(&incidents, "next");
    if happened || deed != "add" {
        incidents
            .change(&id("i-1"), time(), |stored| {
                Ok::<_, LedgerError>(Change::of(stored.incident.clone(), "next", "test"))
            })
            .unwrap()
            .unwrap();
    }
    let numbers: Vec<_> = told(root).iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{deed}, place {place}");
    happened
}

/// Runs in a process of its own, which [`kill_at`] starts.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "it is told by its environment what to do")]
fn child_that_is_killed() {
    let variable = |name| std::env::var(name).unwrap();
    let incidents = Incidents::open(Path::new(&variable(ROOT))).unwrap();
    injected::arm(variable(PLACE).parse().unwrap(), Fault::Kill);
    act(&incidents, &variable(DEED)).unwrap();
}

/// Kills a deed at a place; false: it passed fewer places and ended well.
#[expect(clippy::disallowed_methods, reason = "the test starts itself anew, to be killed")]
fn kill_at(root: &Path, deed: &str, place: u32) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "incidents::crash_tests::child_that_is_killed"])
        .env(ROOT, root)
        .env(PLACE, place.to_string())
        .env(DEED, deed)
        .output()
        .unwrap();
    assert!(output.status.success() || output.status.signal() == Some(9), "{deed}, place {place}: {output:?}");
    output.status.signal() == Some(9)
}

#[test]
fn a_change_that_is_killed_anywhere_has_happened_or_has_not() {
    for deed in DEEDS {
        let expected = expected(deed);
        let (mut killed, mut undone) = (0, 0);
        for place in 0.. {
            let folder = ground();
            prepare(folder.path(), deed);
            let died = kill_at(folder.path(), deed, place);
            let happened = check(folder.path(), deed, place, &expected);
            if !died {
                assert!(happened);
                break;
            }
            killed += 1;
            undone += u32::from(!happened);
        }
        assert!(
            killed > 20 && undone > 10 && undone < killed,
            "{deed}: {killed} places, {undone} before it is certain"
        );
    }
}

#[test]
fn a_disk_that_is_full_anywhere_is_told_and_nothing_has_happened_or_all_has() {
    for deed in DEEDS {
        let expected = expected(deed);
        let mut refused = 0;
        for place in 0.. {
            let folder = ground();
            prepare(folder.path(), deed);
            let incidents = Incidents::open(folder.path()).unwrap();
            injected::arm(place, Fault::Full);
            let done = act(&incidents, deed);
            let ended_well = injected::disarm();
            let happened = check(folder.path(), deed, place, &expected);
            assert_eq!(done.is_ok(), happened, "{deed}, place {place}: {done:?}");
            if ended_well {
                break;
            }
            refused += u32::from(done.is_err());
        }
        assert!(refused > 10, "{deed}: {refused}");
    }
}

#[test]
fn settling_that_is_cut_off_anywhere_is_done_by_the_next() {
    for deed in DEEDS {
        let expected = expected(deed);
        for place in (0..).step_by(5) {
            let folder = ground();
            prepare(folder.path(), deed);
            let died = kill_at(folder.path(), deed, place);
            let root = Ground::new(folder.path());
            for settling_place in 0.. {
                injected::arm(settling_place, Fault::Full);
                let unsettled = journal::settle_all(&root);
                let ended_well = injected::disarm();
                let seen = look(folder.path());
                let is_whole = expected.iter().any(|(view, _)| View { listed: Vec::new(), ..view.clone() } == seen);
                assert!(is_whole, "{deed}, place {place}, {settling_place} of settling: {seen:#?}");
                if ended_well {
                    assert_eq!(unsettled, Vec::<String>::new());
                    break;
                }
            }
            check(folder.path(), deed, place, &expected);
            if !died {
                break;
            }
        }
    }
}
