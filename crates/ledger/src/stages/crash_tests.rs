//! A deed is cut off at every single place where it changes the disk: the process is killed, or the disk is full. Whatever the place,
//! the run is as it was before or as it is afterwards, its log is known, and whoever comes next goes on from there.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use referee_wire::stage::log::StageDeed;

use super::tests::{composition, open, path, stage, time};
use super::*;
use crate::fault::injected::{self, Fault};

const ROOT: &str = "REFEREE_STAGES_CRASH_ROOT";
const PLACE: &str = "REFEREE_STAGES_CRASH_PLACE";
const DEED: &str = "REFEREE_STAGES_CRASH_DEED";

/// What is cut off.
const DEEDS: [&str; 5] = ["compose", "append", "adopt", "copy", "keep"];

/// What must not be seen half: runs with what their logs are worth and how many lines these have; then files.
type View = (Vec<(String, LogTrust, usize)>, Vec<(String, Vec<u8>)>);

fn state(root: &Path) -> State {
    State::open(&root.join("state")).unwrap()
}

fn run(root: &Path) -> PathBuf {
    root.join("runs/run-2026-11-22-001")
}

fn ground() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn prepare(root: &Path, deed: &str) {
    composing::compose(&root.join("runs"), &state(root), &composition()).unwrap();
    if deed == "adopt" {
        fs::remove_dir_all(root.join("state")).unwrap();
    }
    if deed == "copy" || deed == "keep" {
        let data = run(root).join("stages/explore/run/output-data");
        for name in ["accept.json", "handback.json", "findings.json"] {
            fs::write(data.join(name), name).unwrap();
        }
    }
}

fn act(root: &Path, deed: &str) -> Result<(), LedgerError> {
    let state = state(root);
    if deed == "compose" {
        return composing::compose(&root.join("runs"), &state, &composition()).map(drop);
    }
    let opened = open(&run(root));
    let held = opened.hold(&state)?.unwrap();
    let (explore, data) = (stage("explore"), |name: &str| path(&format!("run/output-data/{name}")));
    match deed {
        "append" => append(&held).map(drop),
        "adopt" => held.adopt(time(), "a person").map(drop),
        "copy" => {
            held.copy((&explore, &data("findings.json")), (&stage("specify"), &path("inputs/findings.json"))).map(drop)
        }
        "keep" => {
            held.keep_attempt(&explore, 1, &[data("accept.json"), data("handback.json")], &[data("findings.json")])
        }
        other => panic!("{other}"),
    }
}

fn append(held: &HeldRun<'_>) -> Result<StageLogLine, LedgerError> {
    let deed = StageDeed::Prepared { sources: BTreeMap::new(), inputs: BTreeMap::new() };
    held.append(time(), Some(&stage("explore")), 0, "cli", deed)
}

/// Everything below a folder that has a name, by path; hidden files are nobody's yet.
fn files(folder: &Path, above: &str, found: &mut Vec<(String, Vec<u8>)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{above}/{name}");
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), &path, found);
        } else {
            found.push((path, fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
}

fn look(root: &Path, deed: &str) -> View {
    let mut runs: Vec<(String, LogTrust, usize)> = Vec::new();
    for entry in fs::read_dir(root.join("runs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.starts_with('.') {
            let log = open(&root.join("runs").join(&name)).log(Some(&state(root))).unwrap();
            runs.push((name, log.trust, log.lines.len()));
        }
    }
    runs.sort_by(|one, other| one.0.cmp(&other.0));
    let mut found = Vec::new();
    match deed {
        "copy" => files(&run(root).join("stages/specify/inputs"), "", &mut found),
        "keep" => files(&run(root).join("stages/explore/attempts"), "", &mut found),
        _ => {}
    }
    (runs, found)
}

fn expected(deed: &str) -> [View; 2] {
    let folder = ground();
    prepare(folder.path(), deed);
    let before = look(folder.path(), deed);
    act(folder.path(), deed).unwrap();
    let after = look(folder.path(), deed);
    assert_ne!(before, after, "{deed}");
    [before, after]
}

/// What must hold after a deed was cut off. Says whether it has happened.
fn check(root: &Path, deed: &str, place: u32, [before, after]: &[View; 2]) -> bool {
    let seen = look(root, deed);
    let happened = seen == *after;
    assert!(happened || seen == *before, "{deed}, place {place}: half is seen: {seen:#?}");
    if deed == "keep" {
        // What an attempt left lies in one of the two places at any time.
        for name in ["accept.json", "handback.json", "findings.json"] {
            let below = format!("run/output-data/{name}");
            let explore = run(root).join("stages/explore");
            let is_kept = explore.join("attempts/001").join(&below).exists();
            assert!(is_kept || explore.join(&below).exists(), "{deed}, place {place}: {name} is lost");
        }
    }
    // Whoever comes next goes on from there, and leaves no half line behind.
    if deed == "adopt" && !happened || deed == "copy" || deed == "keep" {
        act(root, deed).unwrap();
        assert_eq!(look(root, deed), *after, "{deed}, place {place}: again");
    }
    let (opened, state) = (open(&run(root)), state(root));
    append(&opened.hold(&state).unwrap().unwrap()).unwrap();
    let log = opened.log(Some(&state)).unwrap();
    let numbers: Vec<u64> = log.lines.iter().map(|line| line.sequence).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "{deed}, place {place}");
    assert_eq!(log.trust, LogTrust::Kept, "{deed}, place {place}");
    composing::compose(&root.join("runs"), &state, &composition()).unwrap();
    let hidden = fs::read_dir(root.join("runs")).unwrap().map(|entry| entry.unwrap().file_name());
    let hidden: Vec<_> = hidden.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert!(hidden.is_empty(), "{deed}, place {place}: {hidden:?}");
    happened
}

/// Runs in a process of its own, which [`kill_at`] starts.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "it is told by its environment what to do")]
fn child_that_is_killed() {
    let variable = |name| std::env::var(name).unwrap();
    injected::arm(variable(PLACE).parse().unwrap(), Fault::Kill);
    act(Path::new(&variable(ROOT)), &variable(DEED)).unwrap();
}

/// Kills a deed at a place; false: it passed fewer places and ended well.
#[expect(clippy::disallowed_methods, reason = "the test starts itself anew, to be killed")]
fn kill_at(root: &Path, deed: &str, place: u32) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "stages::crash_tests::child_that_is_killed"])
        .env(ROOT, root)
        .env(PLACE, place.to_string())
        .env(DEED, deed)
        .output()
        .unwrap();
    assert!(output.status.success() || output.status.signal() == Some(9), "{deed}, place {place}: {output:?}");
    output.status.signal() == Some(9)
}

#[test]
fn a_deed_that_is_killed_anywhere_has_happened_or_has_not() {
    for deed in DEEDS {
        let expected = expected(deed);
        let (mut killed, mut undone) = (0, 0);
        for place in 0.. {
            let folder = ground();
            prepare(folder.path(), deed);
            let died = kill_at(folder.path(), deed, place);
            let happened = check(folder.path(), deed, place, &expected);
            if !died {
                assert!(happened, "{deed}");
                break;
            }
            killed += 1;
            undone += u32::from(!happened);
        }
        assert!(undone > 3 && undone <= killed, "{deed}: {killed} places, {undone} before it is certain");
    }
}

#[test]
fn a_disk_that_is_full_anywhere_is_told_and_what_is_told_to_have_failed_has_not_happened() {
    for deed in DEEDS {
        let expected = expected(deed);
        let mut refused = 0;
        for place in 0.. {
            let folder = ground();
            prepare(folder.path(), deed);
            injected::arm(place, Fault::Full);
            let done = act(folder.path(), deed);
            let ended_well = injected::disarm();
            let happened = check(folder.path(), deed, place, &expected);
            // A copy that lies there and is not on disk for certain is told as one that failed: nothing goes by it.
            let is_exact = deed != "copy" && deed != "keep";
            assert!(happened || done.is_err(), "{deed}, place {place}: {done:?}");
            assert!(!happened || done.is_ok() || !is_exact, "{deed}, place {place}: {done:?}");
            if ended_well {
                break;
            }
            refused += u32::from(done.is_err());
        }
        assert!(refused > 3, "{deed}: {refused}");
    }
}
