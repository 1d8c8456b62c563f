//! `referee stage status`: where the stages of a run stand, whatever lies there. It only reports, and writes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use referee_ledger::State;
use referee_ledger::stages::{Composition, StageRun, composition};
use referee_model::handback::render_accept;
use referee_model::id::Digest;
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageChange;
use referee_model::stage::message::MessageDocument;
use referee_model::stage::path::StagePath;
use referee_model::time::Timestamp;

use crate::support::Workspace;

fn id(name: &str) -> StageId {
    StageId::parse(name).unwrap()
}

fn path(text: &str) -> StagePath {
    StagePath::parse(text).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_000 + second * 1_000)
}

fn state(workspace: &Workspace) -> State {
    State::open(&workspace.state()).unwrap()
}

/// A run with the stages `specify` and `explore`, in this order, which is not that of their names.
fn composed(workspace: &Workspace) -> PathBuf {
    let composition = Composition {
        at: at(0),
        by: "cli".to_owned(),
        source: "workflow".to_owned(),
        name: "sample".to_owned(),
        version: "1.0".to_owned(),
        workspace: workspace.path(""),
        stages: vec![id("specify"), id("explore")],
        files: BTreeMap::from([
            (path("stages/specify/prompt/main.md"), b"do it".to_vec()),
            (path("stages/explore/prompt/main.md"), b"do it".to_vec()),
        ]),
        directories: vec![path("stages/specify/run/output-data"), path("stages/explore/run/output-data")],
    };
    composition::compose(&workspace.path("runs"), &state(workspace), &composition).unwrap().path
}

/// Does something with a stage of a run, and writes a file of it before.
fn operation(workspace: &Workspace, run: &Path, (name, bytes): (&str, &[u8]), attempt: u32, operation: StageChange) {
    let (run, state) = (StageRun::open(run).unwrap().unwrap(), state(workspace));
    let held = run.hold(&state).unwrap().unwrap();
    held.write(&id("specify"), &path(name), bytes).unwrap();
    held.append(at(1), Some(&id("specify")), attempt, "cli", operation).unwrap();
}

fn accepted(workspace: &Workspace, run: &Path) {
    let accept = render_accept(at(1)).unwrap();
    let given = StageChange::Accepted { inputs: BTreeMap::new(), repeated: false };
    operation(workspace, run, ("run/output-data/accept.json", &accept), 1, given);
    let record = fs::read_to_string(run.join("wf-run.json")).unwrap();
    let started = format!("\"started_at\": \"{}\"", referee_model::incident::seconds::text(at(1)));
    fs::write(run.join("wf-run.json"), record.replacen("\"started_at\": null", &started, 1)).unwrap();
}

const RUN: &str = "runs/run-2026-11-21-001";

/// Every file below a directory, with its bytes.
fn files(directory: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(path.clone(), Vec::new());
            files(&path, found);
        } else {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
}

#[test]
fn stages_are_told_in_their_declared_order_and_nothing_is_written() {
    let workspace = Workspace::new();
    let run = composed(&workspace);
    accepted(&workspace, &run);
    let everything = || {
        let mut found = BTreeMap::new();
        files(&workspace.path(""), &mut found);
        files(&workspace.state(), &mut found);
        found
    };
    let before = everything();
    let told = workspace.referee(&["stage", "status", "-r", RUN, "--format", "json"]).exits(0).json();
    assert_eq!(told["stage_status_version"], "1.0.0");
    assert_eq!(told["run_id"], "run-2026-11-21-001");
    assert_eq!((&told["log"], &told["log_problem"]), (&"kept".into(), &serde_json::Value::Null));
    let [specify, explore] = told["stages"].as_array().unwrap().as_slice() else { panic!("{told:#}") };
    assert_eq!((&specify["stage_id"], &explore["stage_id"]), (&"specify".into(), &"explore".into()));
    assert_eq!((&specify["state"], &specify["attempt"]), (&"active".into(), &1.into()));
    assert_eq!(specify["control_since"], "2026-11-21T09:05:25+00:00");
    assert_eq!(specify["contradictions"], serde_json::json!([]));
    assert_eq!((&explore["state"], &explore["recorded"]), (&"pending".into(), &"pending".into()));

    let human = workspace.referee(&["stage", "status", "specify", "-r", RUN]).exits(0).told();
    assert!(human.contains("specify active attempt 1"), "{human}");
    assert!(!human.contains("explore"), "{human}");
    assert_eq!(everything(), before);
}

#[test]
fn the_run_is_found_from_a_directory_inside_it() {
    let workspace = Workspace::new();
    let run = composed(&workspace);
    let inside = run.join("stages/explore/prompt");
    let inside = inside.to_str().unwrap();
    let told = workspace.referee(&["-C", inside, "stage", "status", "--format", "json"]).exits(0).json();
    assert_eq!(told["run_dir"], run.to_str().unwrap());
}

#[test]
fn a_question_is_told_as_harmless_text_with_the_command_that_answers_it() {
    let workspace = Workspace::new();
    let run = composed(&workspace);
    accepted(&workspace, &run);
    let question = "Which one?\u{1b}[2J\u{202e} The left".to_owned();
    let message = serde_json::to_vec(&MessageDocument::question(id("specify"), 1, at(2), question)).unwrap();
    let message_path = "run/messages/m-001.json";
    let asked = StageChange::Questioned { message: message_path.to_owned(), handback: Digest::from_bytes([1; 32]) };
    operation(&workspace, &run, (message_path, &message), 1, asked);
    let human = workspace.referee(&["stage", "status", "-r", RUN]).exits(0);
    assert!(!human.stdout.contains('\u{1b}') && !human.stdout.contains('\u{202e}'), "{}", human.stdout);
    let told = human.told();
    assert!(told.contains("Which one?") && told.contains(&format!("referee stage answer specify -r {RUN}")), "{told}");
}

#[test]
fn whatever_somebody_did_to_a_run_is_told_and_that_it_could_be_told_is_no_failure() {
    let workspace = Workspace::new();
    let run = composed(&workspace);
    accepted(&workspace, &run);
    let status = || workspace.referee(&["stage", "status", "-r", RUN, "--format", "json"]).exits(0).json();

    fs::write(run.join("stages/specify/prompt/main.md"), "do less").unwrap();
    let record = fs::read_to_string(run.join("wf-run.json")).unwrap();
    fs::write(run.join("wf-run.json"), record.replacen("pending", "completed", 1)).unwrap();
    let told = status();
    let names: Vec<_> =
        told["stages"][0]["contradictions"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["record_contradicts", "not_as_composed"]);
    assert_eq!(told["stages"][0]["state"], "active", "the log is what is believed");
    assert_eq!(told["stages"][1]["contradictions"], serde_json::json!([]));

    let log = fs::read_to_string(run.join("wf-log.jsonl")).unwrap();
    fs::write(run.join("wf-log.jsonl"), log.replacen("\"by\":\"cli\"", "\"by\":\"you\"", 1)).unwrap();
    let told = status();
    assert_eq!((&told["log"], &told["stages"][0]["state"]), (&"differs".into(), &serde_json::Value::Null));
    fs::write(run.join("wf-log.jsonl"), log).unwrap();
    assert_eq!(status()["log"], "kept");

    // As it comes to another machine, which has another state directory.
    let elsewhere = Workspace::new();
    let moved = run.to_str().unwrap();
    let told = elsewhere.referee(&["stage", "status", "-r", moved]).exits(0).told();
    assert!(told.contains("came from another place or machine") && told.contains("--adopt"), "{told}");
    assert_eq!(fs::read_dir(elsewhere.state()).unwrap().count(), 0);
}

#[test]
fn a_run_without_a_log_is_told_of_and_that_nothing_vouches_for_it() {
    let workspace = Workspace::new().file("fixture/stages/explore/stage-config.yaml", "id: explore");
    let human = workspace.referee(&["stage", "status", "-r", "fixture"]).exits(0).told();
    assert!(human.contains("nothing vouches for it") && human.contains("explore not known"), "{human}");
    let told = workspace.referee(&["stage", "status", "-r", "fixture", "--format", "json"]).exits(0).json();
    assert_eq!((&told["log"], &told["run_id"]), (&"absent".into(), &serde_json::Value::Null));
}

#[test]
fn a_directory_that_is_no_run_and_a_stage_that_is_none_are_usage_errors() {
    let workspace = Workspace::new().file("file", "");
    composed(&workspace);
    for arguments in [
        &["stage", "status", "-r", "nowhere"][..],
        &["stage", "status", "-r", "file"],
        &["stage", "status", "-r", "."],
        &["stage", "status"],
        &["stage", "status", "plan", "-r", RUN],
        &["stage", "status", "../explore", "-r", RUN],
    ] {
        let refused = workspace.referee(arguments).exits(2);
        assert!(refused.stdout.is_empty() && !refused.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn whoever_looks_while_others_write_sees_a_sound_log() {
    let workspace = Workspace::new();
    let run = composed(&workspace);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (opened, state) = (StageRun::open(&run).unwrap().unwrap(), state(&workspace));
            while !is_over.load(Ordering::Relaxed) {
                let held = opened.hold(&state).unwrap().unwrap();
                let prepared = StageChange::Prepared { sources: BTreeMap::new(), inputs: BTreeMap::new() };
                held.append(at(1), Some(&id("explore")), 0, "cli", prepared).unwrap();
            }
        });
        let looked: Vec<_> =
            (0..6).map(|_| workspace.referee(&["stage", "status", "-r", RUN, "--format", "json"])).collect();
        is_over.store(true, Ordering::Relaxed);
        for told in looked {
            assert_eq!(told.exits(0).json()["log"], "kept");
        }
    });
}
