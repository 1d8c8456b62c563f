//! Several processes at once on one run, and composing beside one another: nothing is lost, nothing is doubled, the chain holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use referee_wire::stage::log::StageDeed;

use super::tests::{Ground, composition, open, path, stage, time};
use super::*;

const ROOT: &str = "REFEREE_STAGES_ROOT";
const NAME: &str = "REFEREE_STAGES_NAME";
const ROUNDS: &str = "REFEREE_STAGES_ROUNDS";

/// Runs in a process of its own: adds lines to one run and counts in a file of it, reads its log in between, composes another.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "it is told by its environment what to do")]
fn child_that_works() {
    let variable = |name| std::env::var(name).unwrap();
    let root = variable(ROOT);
    let state = State::open(&Path::new(&root).join("state")).unwrap();
    let runs = Path::new(&root).join("runs");
    let run = open(&runs.join("run-2026-11-22-001"));
    let count = path("run/count");
    for _ in 0..variable(ROUNDS).parse().unwrap() {
        let held = loop {
            if let Some(held) = run.hold(&state).unwrap() {
                break held;
            }
        };
        let Found::Bytes(bytes) = run.read(&stage("explore"), &count).unwrap() else { panic!("it is gone") };
        let counted: u32 = String::from_utf8(bytes).unwrap().parse().unwrap();
        held.write(&stage("explore"), &count, (counted + 1).to_string().as_bytes()).unwrap();
        let deed = StageDeed::Prepared { sources: BTreeMap::new(), inputs: BTreeMap::new() };
        held.append(time(), Some(&stage("explore")), 0, &variable(NAME), deed).unwrap();
        drop(held);
        // Others write meanwhile, and a reader never takes that for meddling.
        assert_eq!(run.log(Some(&state)).unwrap().trust, LogTrust::Kept);
    }
    composing::compose(&runs, &state, &composition()).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the test starts itself anew")]
fn start(root: &Path, name: &str, rounds: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "stages::process_tests::child_that_works"])
        .env(ROOT, root)
        .env(NAME, name)
        .env(ROUNDS, rounds.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn processes_that_change_one_run_lose_nothing() {
    let ground = Ground::new();
    let run = ground.compose();
    std::fs::write(run.join("stages/explore/run/count"), "0").unwrap();
    let (processes, rounds) = (4_u32, 8_u32);
    let children: Vec<Child> =
        (0..processes).map(|number| start(ground.folder.path(), &format!("p{number}"), rounds)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let all = processes * rounds;
    assert_eq!(std::fs::read_to_string(run.join("stages/explore/run/count")).unwrap(), all.to_string());
    let log = open(&run).log(Some(&ground.state())).unwrap();
    assert_eq!((log.trust, log.lines.len()), (LogTrust::Kept, 1 + all as usize));
    let mut by: BTreeMap<&str, u32> = BTreeMap::new();
    for line in &log.lines {
        *by.entry(&line.by).or_default() += 1;
    }
    assert_eq!(by.remove("cli"), Some(1));
    assert!(by.len() == processes as usize && by.values().all(|lines| *lines == rounds), "{by:?}");
}

#[test]
fn runs_that_are_composed_beside_one_another_each_get_a_number_of_their_own() {
    // WF-01, many at once.
    let ground = Ground::new();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (runs, state) = (ground.runs(), ground.state());
            std::thread::spawn(move || composing::compose(&runs, &state, &composition()).unwrap())
        })
        .collect();
    let composed: BTreeSet<PathBuf> = threads.into_iter().map(|thread| thread.join().unwrap().path).collect();
    assert_eq!(composed.len(), 8);
    let names: Vec<_> = composed.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let expected: Vec<_> = (1..=8).map(|number| format!("run-2026-11-22-{number:03}")).collect();
    assert_eq!(names, expected);
    for run in &composed {
        assert_eq!(open(run).log(Some(&ground.state())).unwrap().trust, LogTrust::Kept);
    }
    assert_eq!(std::fs::read_dir(ground.runs()).unwrap().count(), 8);
}
