//! The program, killed at any point of real work: nothing is left running or half published, no pass stands that was not
//! earned, nothing that was sealed is lost, and the next run works.
//!
//! `REFEREE_FAULTS=200` kills so many times; without it a few.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Workspace, wait_until};

/// Passes where the work is good, and leaves a process behind that has left its session.
const SPECIFICATION: &str = "checks:
  flood: 'seq 20000'
  leave: '(setsid sleep 600 &) ; echo left'
  work: { run: 'cat work.txt && grep -q good work.txt' }
  last: 'echo done'
";

/// How many times something is killed.
pub(crate) fn rounds(short: usize) -> usize {
    std::env::var("REFEREE_FAULTS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(short)
}

/// A part of some time, another one each round, and over many rounds all of it evenly.
pub(crate) fn part(round: usize, whole: Duration) -> Duration {
    whole.mul_f64((f64::from(u32::try_from(round).unwrap()) * 0.618_033_988_75).fract())
}

pub(crate) fn start(workspace: &Workspace, arguments: &[&str]) -> Child {
    workspace.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Whether processes work in the workspace, whoever started them.
fn is_anybody_there(workspace: &Workspace) -> bool {
    let root = workspace.path("");
    let works_there = |entry: fs::DirEntry| {
        fs::read_link(entry.path().join("cwd")).is_ok_and(|directory| directory.starts_with(&root))
    };
    fs::read_dir("/proc").unwrap().filter_map(Result::ok).any(works_there)
}

/// The ids of the runs that are in the task's place or in its history, with a seal.
pub(crate) fn sealed(workspace: &Workspace) -> BTreeSet<String> {
    let history = fs::read_dir(workspace.path("evidence/.history/T001")).into_iter().flatten();
    let old = history.map(|entry| entry.unwrap().path()).filter(|run| run.join("seal.json").exists());
    let mut ids: BTreeSet<String> = old.map(|run| run.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    ids.extend(latest(workspace));
    ids
}

/// The id of the run in the task's place.
fn latest(workspace: &Workspace) -> Option<String> {
    let bytes = fs::read(workspace.path("evidence/T001/execution-report.json")).ok()?;
    let report: Value = serde_json::from_slice(&bytes).unwrap();
    Some(report["authenticity"]["executionId"].as_str().unwrap().to_owned())
}

/// Looks at what a killed run left.
fn assert_honest(workspace: &Workspace, at: &str) {
    if !workspace.path("evidence/T001").exists() {
        return;
    }
    let code = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).code;
    assert!(matches!(code, Some(0 | 1 | 3)), "{at}: what stands is whole, and nobody's forgery: {code:?}");
    if code == Some(0) {
        let log = fs::read_to_string(workspace.path("evidence/T001/STEP.3-work.log")).unwrap();
        assert_eq!(log, "good\n", "{at}: a pass was earned");
        assert_eq!(workspace.staged("T001"), Vec::<std::path::PathBuf>::new(), "{at}: no pass stands for a dead run");
    }
}

#[test]
fn runs_that_are_killed_anywhere_leave_everything_whole_and_the_next_one_works() {
    let workspace = Workspace::with(SPECIFICATION).file("work.txt", "good\n");
    let began = Instant::now();
    workspace.referee(&["run"]).exits(0);
    let whole = began.elapsed();
    let mut known = sealed(&workspace);
    for round in 0..rounds(10) {
        let (delay, is_good) = (part(round, whole), round % 2 == 0);
        let at = format!("round {round}, killed after {delay:?}");
        workspace.write("work.txt", if is_good { "bad\n" } else { "good\n" });
        // Every third time two at once.
        let mut killed: Vec<Child> =
            (0..if round % 3 == 2 { 2 } else { 1 }).map(|_| start(&workspace, &["run"])).collect();
        thread::sleep(delay);
        for run in &mut killed {
            run.kill().unwrap();
        }
        for run in &mut killed {
            run.wait().unwrap();
        }
        assert_honest(&workspace, &at);

        workspace.write("work.txt", if is_good { "good\n" } else { "bad\n" });
        let finished = workspace.referee(&["run"]);
        let (code, verified) = if is_good { (0, 0) } else { (6, 1) };
        assert_eq!(finished.code, Some(code), "{at}: the next run works\n{}\n{}", finished.stdout, finished.stderr);
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(verified);
        wait_until("nothing of the killed run is left", || !is_anybody_there(&workspace));
        assert_eq!(workspace.staged("T001"), Vec::<std::path::PathBuf>::new(), "{at}");
        let now = sealed(&workspace);
        assert!(known.is_subset(&now), "{at}: lost {:?}", known.difference(&now).collect::<Vec<_>>());
        known = now;
    }
    for run in known.iter().filter(|run| latest(&workspace).as_ref() != Some(*run)) {
        let code =
            workspace.referee(&["evidence", "verify", &format!("evidence/.history/T001/{run}"), "--replay"]).code;
        assert!(matches!(code, Some(0 | 1)), "{run} is as it was sealed: {code:?}");
    }
}

#[test]
fn captures_that_are_killed_anywhere_lose_no_incident_that_was_told() {
    let workspace = Workspace::new().file("import.log", "begin\nthe disk is full\n");
    let letters =
        |round: usize| round.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect::<String>();
    let capture = |name: &str| {
        let message = format!("Import stopped at part {name}");
        let step = format!("import-{name}");
        ["incident", "capture", "--format", "json", "--log", "import.log", "--step", &step, "--message", &message]
            .map(str::to_owned)
    };
    let told = |name: &str| {
        let answer = workspace.referee(&capture(name).each_ref().map(String::as_str)).exits(0).json();
        answer["captures"][0]["incident_id"].as_str().unwrap().to_owned()
    };
    let began = Instant::now();
    let mut known = BTreeSet::from([told("first")]);
    let whole = began.elapsed();
    for round in 0..rounds(10) {
        let delay = part(round, whole);
        let killed = capture(&format!("killed-{}", letters(round)));
        let mut killed = start(&workspace, &killed.each_ref().map(String::as_str));
        thread::sleep(delay);
        killed.kill().unwrap();
        killed.wait().unwrap();

        known.insert(told(&format!("whole-{}", letters(round))));
        let list = workspace.referee(&["incident", "list", "--format", "json", "--limit", "1000"]).exits(0).json();
        let listed: BTreeSet<String> = list["incidents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|incident| incident["incident_id"].as_str().unwrap().to_owned())
            .collect();
        assert!(known.is_subset(&listed), "round {round}, killed after {delay:?}: {list:#}");
        // A capture that was killed has happened, or has not.
        assert!(listed.len() <= 2 * (round + 1) + 1, "round {round}, killed after {delay:?}: {list:#}");
        known = listed;
    }
}
