//! Incidents on disk, by the real program: several at once, killed at any time, and directories that others wrote.

use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Workspace, finish};

const ROOT: &str = ".referee/reports";

/// The files of seed 3, which every incident has.
const BUNDLE: [&str; 5] = ["incident.json", "status.txt", "log_tail.txt", "audit_tail.jsonl", "context.json"];

fn capture(workspace: &Workspace, id: &str) -> Child {
    let arguments = ["incident", "capture", "--id", id, "--step", "import", "--message", "the import stopped"];
    workspace.command(&arguments).spawn().unwrap()
}

fn list(workspace: &Workspace) -> Value {
    workspace.referee(&["incident", "list", "--format", "json"]).exits(0).json()
}

/// The incidents in the inbox, each of which must be whole.
fn inbox(workspace: &Workspace) -> Vec<String> {
    let Ok(entries) = fs::read_dir(workspace.path(&format!("{ROOT}/error_inbox"))) else { return Vec::new() };
    let directories: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    for directory in &directories {
        assert!(BUNDLE.iter().all(|name| directory.join(name).is_file()), "{} is not whole", directory.display());
    }
    directories.iter().map(|directory| directory.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// The incidents that events tell of, which must be numbered without a gap.
fn told(workspace: &Workspace) -> Vec<String> {
    let text = fs::read_to_string(workspace.path(&format!("{ROOT}/events.jsonl"))).unwrap_or_default();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (number, event) in (1_u64..).zip(&events) {
        assert_eq!(event["sequence"], json!(number), "{text}");
    }
    events.iter().map(|event| event["incident_id"].as_str().unwrap().to_owned()).collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn programs_that_capture_at_once_lose_nothing() {
    let workspace = Workspace::new();
    let names: Vec<String> = (0..8).map(|number| format!("i-{number}")).collect();
    let children: Vec<Child> = names.iter().map(|name| capture(&workspace, name)).collect();
    for child in children {
        finish(child).exits(0);
    }
    assert_eq!(sorted(inbox(&workspace)), names);
    assert_eq!(sorted(told(&workspace)), names);
    assert_eq!(list(&workspace)["total"], json!(8));
}

#[test]
fn a_program_that_is_killed_at_any_time_leaves_a_whole_incident_or_none() {
    let workspace = Workspace::new();
    finish(capture(&workspace, "first")).exits(0);
    for number in 0..30 {
        let mut child = capture(&workspace, &format!("i-{number}"));
        // Another moment each time: that nothing happens in time to it is one of them.
        std::thread::sleep(Duration::from_millis(number * 2));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whoever comes next finishes what was certain, and finds nothing half done.
        let list = list(&workspace);
        let names = inbox(&workspace);
        assert_eq!(list["total"], json!(names.len()), "{list}");
        assert_eq!(list["degraded"], json!([]), "{list}");
        assert_eq!(sorted(told(&workspace)), sorted(names));
    }
    finish(capture(&workspace, "last")).exits(0);
}

#[test]
fn directories_of_another_program_are_listed_beside_ours_and_broken_ones_are_named() {
    let workspace = Workspace::new();
    finish(capture(&workspace, "ours")).exits(0);
    let directory = |name: &str| format!("{ROOT}/error_inbox/{name}");
    let document = json!({
        "incident_id": "theirs", "status": "new", "created_at": "2026-02-17T03:00:00+00:00",
        "updated_at": "2026-02-17T03:00:00+00:00", "approved_at": "2026-02-17T12:00:00",
    });
    workspace.write(&format!("{}/incident.json", directory("theirs")), document.to_string());
    workspace.write(&format!("{}/status.txt", directory("theirs")), "planned");
    workspace.write(&format!("{}/incident.json", directory("broken")), "{");
    let list = list(&workspace);
    let rows: Vec<_> =
        list["incidents"].as_array().unwrap().iter().map(|row| (&row["incident_id"], &row["status"])).collect();
    assert_eq!(rows, [(&json!("ours"), &json!("new")), (&json!("theirs"), &json!("plan_proposed"))]);
    assert!(list["degraded"][0].as_str().unwrap().contains("error_inbox/broken"), "{list}");
}

/// Ruling 26: looking for an incident of the same failure and adding to it is one step.
#[test]
fn programs_that_capture_the_same_failure_at_once_make_one_incident_with_an_occurrence_each() {
    let workspace = Workspace::new();
    let arguments = ["incident", "capture", "--step", "import", "--message", "the import stopped"];
    let children: Vec<Child> = (0..6).map(|_| workspace.command(&arguments).spawn().unwrap()).collect();
    for child in children {
        finish(child).exits(0);
    }
    let list = list(&workspace);
    assert_eq!((&list["total"], &list["incidents"][0]["occurrences"]), (&json!(1), &json!(6)), "{list}");
    let id = list["incidents"][0]["incident_id"].as_str().unwrap();
    assert_eq!(told(&workspace), [id; 6]);
    let shown = workspace.referee(&["incident", "show", id, "--format", "json"]).exits(0).json();
    assert_eq!(shown["events"].as_array().unwrap().len(), 6);
}

/// Whatever lies in the inbox: it is named, nothing hangs on it, and every command says what to do.
#[test]
fn things_that_are_no_incidents_are_named_and_nothing_hangs_on_them() {
    let workspace = Workspace::new();
    finish(capture(&workspace, "ours")).exits(0);
    let inbox = workspace.path(&format!("{ROOT}/error_inbox"));
    for directory in ["empty", "fifo", "link", "folder/incident.json"] {
        fs::create_dir_all(inbox.join(directory)).unwrap();
    }
    let fifo = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    for name in ["fifo/incident.json", "pipe"] {
        rustix::fs::mknodat(rustix::fs::CWD, inbox.join(name), fifo, mode, 0).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", inbox.join("link/incident.json")).unwrap();
    std::os::unix::fs::symlink("/etc", inbox.join("linked")).unwrap();
    let list = list(&workspace);
    assert_eq!((&list["total"], &list["incidents"][0]["incident_id"]), (&json!(1), &json!("ours")), "{list}");
    let degraded = list["degraded"].to_string();
    for name in ["empty", "fifo", "link", "folder", "pipe", "linked"] {
        assert!(degraded.contains(&format!("error_inbox/{name} ")), "{name}: {degraded}");
        for command in
            [&["show", name][..], &["plan", name], &["explain", name], &["capture", "--id", name, "--message", "x"]]
        {
            let failed = workspace.referee(&[&["incident"], command].concat());
            assert_eq!(failed.code, Some(74), "{command:?}: {}", failed.stderr);
            assert!(failed.stderr.contains("error_inbox") && !failed.stderr.contains("verdict"), "{}", failed.stderr);
        }
    }
}
