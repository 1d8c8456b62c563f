#![expect(clippy::disallowed_methods, reason = "tests make the files that an agent would write")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use referee_ledger::State;
use referee_ledger::redact::Redactor;
use referee_ledger::stages::{Composition, FileContent, StageRun, composition};
use referee_model::handback::{HandbackReason, render_accept};
use referee_model::stage::check::{Check, CheckFailure, CheckKind, Checks};
use referee_model::stage::id::StageId;
use referee_model::stage::log::{LOG, StageChange};
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::run::{self, WfRunStatus};
use referee_model::stage::standing::StandingName;
use referee_model::stage::workflow::Stage;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::stage::validation::sample;

const SUCCESS: &str = r#"{"reason": "success", "description": "all done"}"#;
const ERROR: &str = r#"{"reason": "error", "description": "no", "error": {"code": "TIMEOUT", "message": "late"}}"#;

/// Returns a time before anything that a test writes.
fn long_ago(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_700_000_000_000 + second * 1_000)
}

fn id(name: &str) -> StageId {
    StageId::parse(name).unwrap()
}

fn path(text: &str) -> StagePath {
    StagePath::parse(text).unwrap()
}

fn digest(bytes: &str) -> Digest {
    Digest::of(bytes)
}

/// A run of two stages, the second of which is inspected.
struct Run {
    directory: TempDir,
    state: TempDir,
    path: PathBuf,
}

impl Run {
    fn new() -> Self {
        let (directory, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let composition = Composition {
            at: long_ago(0),
            by: "cli".to_owned(),
            source: "wf-spec".to_owned(),
            name: "flow".to_owned(),
            version: "1.0".to_owned(),
            workspace: directory.path().to_path_buf(),
            stages: vec![id("explore"), id("specify")],
            files: BTreeMap::from([(path("stages/specify/stage-config.yaml"), b"id: specify\n".to_vec())]),
            directories: vec![path("stages/explore"), path("stages/specify/run/output-data")],
        };
        let opened = State::open(state.path()).unwrap();
        let path = composition::compose(directory.path(), &opened, &composition).unwrap().path;
        Self { directory, state, path }
    }

    fn state(&self) -> State {
        State::open(self.state.path()).unwrap()
    }

    fn log(&self, stage: &str, attempt: u32, second: i64, operation: StageChange) {
        let (run, state) = (StageRun::open(&self.path).unwrap().unwrap(), self.state());
        let held = run.hold(&state).unwrap().unwrap();
        let accepts = matches!(operation, StageChange::Accepted { .. });
        held.append(long_ago(second), Some(&id(stage)), attempt, "cli", operation).unwrap();
        if accepts {
            let directory = self.path.join("stages").join(stage).join("run/output-data");
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("accept.json"), render_accept(long_ago(second)).unwrap()).unwrap();
        }
        self.keep_record();
    }

    /// Makes `wf-run.json` agree with the log, as a change of the run does.
    fn keep_record(&self) {
        let history = self.opened().history;
        let mut record = run::read(&fs::read(self.path.join(run::WF_RUN)).unwrap()).unwrap();
        for stage in &mut record.stages {
            let known = history.stage(&stage.id);
            let is_completed = known.completed_at.is_some();
            stage.status = if is_completed { WfRunStatus::Completed } else { WfRunStatus::Pending };
            (stage.started_at, stage.completed_at) = (known.started_at, known.completed_at);
        }
        fs::write(self.path.join(run::WF_RUN), referee_model::document::to_bytes(&record).unwrap()).unwrap();
    }

    fn accepted(self) -> Self {
        self.log("specify", 1, 10, StageChange::Accepted { inputs: BTreeMap::new(), repeated: false });
        self
    }

    fn place(&self, name: &str) -> PathBuf {
        self.path.join("stages/specify").join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let place = self.place(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }

    fn handback(&self, content: impl AsRef<[u8]>) {
        self.write("run/output-data/handback.json", content);
    }

    fn opened(&self) -> Opened {
        self.opened_with(Some(&self.state()), None)
    }

    fn opened_with(&self, state: Option<&State>, specification: Option<&str>) -> Opened {
        let read = |_: &std::path::Path, _: FileContent| Configuration::Read(Box::new(configuration(specification)));
        Opened::open(&self.path, id("specify"), state, read).unwrap()
    }

    fn look(&self) -> HandedBack {
        look(&self.opened(), &outputs(true), &Verdict::NotAsked).unwrap()
    }

    fn names(&self) -> Vec<StandingName> {
        names(&self.look())
    }

    /// As [`Run::names`], but without the objection to a record that the test removed.
    fn names_of_handback(&self) -> Vec<StandingName> {
        self.names().into_iter().filter(|name| *name != StandingName::RecordContradicts).collect()
    }
}

fn configuration(specification: Option<&str>) -> Stage {
    Stage {
        name: "Specify".to_owned(),
        specification: specification.map(PathReference::new),
        ..sample::stage("specify")
    }
}

fn outputs(pass: bool) -> Outputs {
    let failure =
        (!pass).then(|| CheckFailure { action: "write it".to_owned(), schema: None, details: vec![], json_path: None });
    let check = Check {
        kind: CheckKind::FileExists,
        path: "run/output-data/a.json".to_owned(),
        message: "looked".to_owned(),
        failure,
    };
    Outputs {
        checks: Checks { checks: vec![check], warnings: Vec::new() },
        found: BTreeMap::from([("run/output-data/a.json".to_owned(), digest("a"))]),
        ..Outputs::default()
    }
}

fn names(found: &HandedBack) -> Vec<StandingName> {
    found.standing.objections.iter().map(|objection| objection.name).collect()
}

fn told(run: &Run, found: &HandedBack) -> Value {
    let redactor = Redactor::new(vec![("API_TOKEN".to_owned(), "tok-71f0c9a2b3d4".to_owned())], Vec::new());
    let document = document(&run.opened(), found, &redactor, "./run");
    serde_json::to_value(document).unwrap()
}

#[test]
fn a_success_in_an_attempt_that_is_on_holds() {
    let run = Run::new().accepted();
    run.handback(SUCCESS);
    let found = run.look();
    assert_eq!((names(&found), found.standing.holds()), (vec![], true));
    assert!(matches!(found.document, HandbackFound::Valid(_, known) if known == digest(SUCCESS)));
    assert!(found.written_at > Some(long_ago(10)));
    let told = told(&run, &found);
    assert_eq!((&told["attempt"], &told["standing"]["holds"]), (&json!(1), &json!(true)));
    assert_eq!(told["next"], "referee stage finalize specify --run-dir ./run");
    assert_eq!(told["run_id"], run.path.file_name().unwrap().to_str().unwrap());
    let contradicted = look(&run.opened(), &outputs(false), &Verdict::NotAsked).unwrap();
    assert_eq!(names(&contradicted), [StandingName::OutputsContradict]);
    assert!(contradicted.standing.objections[0].message.contains("file_exists run/output-data/a.json"));
}

/// HB-04, HB-06, HB-07.
#[test]
fn whatever_lies_in_the_place_of_a_handback_is_told_and_never_an_error() {
    let run = Run::new().accepted();
    assert_eq!(run.names(), [StandingName::Missing]);
    let huge = "x".repeat(300 * 1024);
    let long = format!(r#"{{"reason": "{huge}", "description": "x"}}"#);
    let deep = "[".repeat(100_000);
    let (wide, doubled) =
        (r#"{"reason":"success","#.repeat(3), r#"{"reason": "success", "reason": "error", "description": "x"}"#);
    for junk in
        ["", "[]", "\"text\"", "17", "null", "true", "{bad", "{}", &huge, &long, &deep, &wide, doubled, "\u{feff}{}"]
    {
        run.handback(junk);
        let found = run.look();
        let HandbackFound::Invalid(complaints) = &found.document else { panic!("{:?}", found.document) };
        assert!(!complaints.is_empty() && complaints.iter().all(|told| told.chars().count() <= 401));
        assert_eq!(names(&found), [StandingName::Invalid]);
        assert_eq!((found.standing.reason, found.standing.holds()), (None, false));
        assert_eq!(told(&run, &found)["handback"], Value::Null);
    }
    run.handback(b"{\"reason\": \"success\", \"description\": \"\xff\"}");
    assert_eq!(run.names(), [StandingName::Invalid]);
    let place = run.place("run/output-data/handback.json");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    assert_eq!(run.names(), [StandingName::Invalid]);
    fs::remove_dir(&place).unwrap();
    run.write("elsewhere.json", SUCCESS);
    std::os::unix::fs::symlink(run.place("elsewhere.json"), &place).unwrap();
    assert_eq!(run.names(), [StandingName::Invalid], "a link is not followed");
    fs::remove_file(&place).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(&place).unwrap();
    assert_eq!(run.names(), [StandingName::Invalid]);
    let sparse = fs::File::create(run.place("run/output-data/sparse")).unwrap();
    sparse.set_len(17 * 1024 * 1024).unwrap();
    fs::rename(run.place("run/output-data/sparse"), &place).unwrap();
    assert_eq!(run.names(), [StandingName::Invalid]);
    fs::remove_dir_all(run.place("run/output-data")).unwrap();
    std::os::unix::fs::symlink(run.path.join("stages/explore"), run.place("run/output-data")).unwrap();
    assert_eq!(run.names_of_handback(), [StandingName::Invalid], "a link on the way is not followed");
    fs::remove_dir_all(run.place("run")).unwrap();
    assert_eq!(run.names_of_handback(), [StandingName::Missing]);
}

/// HB-08.
#[test]
fn accept_is_present_absent_or_invalid() {
    let run = Run::new().accepted();
    run.handback(SUCCESS);
    let found = run.look();
    assert_eq!(found.accept, AcceptFound::Present(long_ago(10)));
    assert_eq!(told(&run, &found)["accept"]["state"], "agent");
    for junk in ["[]", "{}", r#"{"state": "orchestrator", "timestamp": "2026-01-01T00:00:00Z"}"#, "", "null"] {
        run.write("run/output-data/accept.json", junk);
        let found = run.look();
        assert!(matches!(&found.accept, AcceptFound::Invalid(complaints) if !complaints.is_empty()), "{junk}");
        assert_eq!(told(&run, &found)["accept"]["status"], "invalid");
    }
    run.write("run/output-data/accept.json", r#"{"state": "agent", "timestamp": "-009999-06-01T00:00:00Z"}"#);
    assert_eq!(told(&run, &run.look())["accept"]["timestamp"], Value::Null, "no document has such a time");
    fs::remove_file(run.place("run/output-data/accept.json")).unwrap();
    assert_eq!(run.look().accept, AcceptFound::Absent);
}

#[test]
fn only_the_executor_that_has_control_hands_it_back_and_once() {
    let run = Run::new();
    run.handback(SUCCESS);
    assert_eq!(run.names(), [StandingName::WithoutControl]);
    let run = run.accepted();
    assert_eq!(run.names(), []);
    let place = fs::File::options().write(true).open(run.place("run/output-data/handback.json")).unwrap();
    let accepted = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_010);
    place.set_modified(accepted).unwrap();
    assert_eq!(run.names(), []);
    place.set_modified(accepted - std::time::Duration::from_secs(1)).unwrap();
    assert_eq!(run.names(), [StandingName::Stale]);
    run.handback(ERROR);
    assert_eq!(run.names(), [StandingName::Error]);
    run.log("specify", 1, 11, StageChange::Failed { handback: digest(ERROR), incident: None });
    let found = run.look();
    assert_eq!(names(&found), [StandingName::Error, StandingName::WithoutControl]);
    assert!(found.standing.objections[1].message.contains("had its effect"));
    run.log("specify", 2, 12, StageChange::Accepted { inputs: BTreeMap::new(), repeated: false });
    run.handback(ERROR);
    assert_eq!(run.names(), [StandingName::Error], "the same words may be true again");
    run.handback(SUCCESS);
    assert_eq!(run.names(), []);
}

#[test]
fn a_success_over_inputs_that_were_changed_since_is_named() {
    let run = Run::new();
    run.write("inputs/a.md", "one");
    let inputs = BTreeMap::from([("inputs/a.md".to_owned(), digest("one"))]);
    let explored = || StageChange::Finalized { handback: None, outputs: BTreeMap::new() };
    run.log("explore", 1, 1, StageChange::Accepted { inputs: BTreeMap::new(), repeated: false });
    run.log("explore", 1, 2, explored());
    run.log(
        "specify",
        0,
        3,
        StageChange::Prepared { sources: BTreeMap::from([(id("explore"), 1)]), inputs: inputs.clone() },
    );
    run.log("specify", 1, 4, StageChange::Accepted { inputs, repeated: false });
    run.handback(SUCCESS);
    assert_eq!(run.names(), []);
    run.write("inputs/a.md", "two");
    assert_eq!(run.names(), [StandingName::InputsChanged]);
    fs::remove_file(run.place("inputs/a.md")).unwrap();
    assert!(run.look().standing.objections[0].message.contains("inputs/a.md is gone"));
    run.write("inputs/a.md", "one");
    assert_eq!(run.names(), []);
    run.log("explore", 2, 5, StageChange::Accepted { inputs: BTreeMap::new(), repeated: true });
    assert!(run.look().standing.objections[0].message.contains("what explore gave is no longer published"));
    run.log("explore", 2, 6, explored());
    assert!(run.look().standing.objections[0].message.contains("explore was done again (attempt 2 after 1)"));
    run.handback(ERROR);
    assert_eq!(run.names(), [StandingName::Error], "a failure rests on nothing");
}

#[test]
fn two_files_that_say_different_things_are_named() {
    let run = Run::new().accepted();
    run.handback(SUCCESS);
    let result = |status: &str, stage: &str, second: i64| {
        json!({ "status": status, "completed_at": long_ago(second).to_string(), "stage_id": stage, "error": null, "metrics": {} })
            .to_string()
    };
    for (content, agrees) in [
        (result("success", "specify", 20), true),
        (result("partial", "specify", 20), false),
        (result("failure", "specify", 20), false),
        (result("success", "explore", 20), false),
        (result("success", "specify", 9), true),
        (result("done", "specify", 20), false),
        ("[]".to_owned(), false),
        (String::new(), false),
    ] {
        run.write("run/output-data/wf-result.json", &content);
        let expected = if agrees { vec![] } else { vec![StandingName::ResultContradicts] };
        assert_eq!(run.names(), expected, "{content}");
    }
    run.handback(ERROR);
    assert_eq!(run.names(), [StandingName::Error]);
    run.write("run/output-data/wf-result.json", result("success", "specify", 20));
    assert_eq!(run.names(), [StandingName::Error, StandingName::ResultContradicts]);
}

#[test]
fn a_verdict_is_of_the_outputs_that_are_there_now_and_of_this_attempt() {
    let run = Run::new().accepted();
    run.handback(SUCCESS);
    let state = run.state();
    let asked =
        |outputs: &Outputs| recorded_verdict(&run.opened_with(Some(&state), Some("specification/a.yaml")), outputs);
    let outputs = outputs(true);
    assert_eq!(recorded_verdict(&run.opened(), &outputs), Verdict::NotAsked);
    assert_eq!(asked(&outputs), Verdict::Unknown);
    let verdict = |decision: &str, exit: u8| StageVerdict {
        decision: decision.to_owned(),
        exit,
        reason: "because".to_owned(),
        evidence: None,
        tree: None,
    };
    let validated = |verdict: Option<StageVerdict>| StageChange::Validated {
        passed: true,
        outputs: outputs.found.clone(),
        verdict,
    };
    run.log("specify", 1, 11, validated(Some(verdict("PASS", 0))));
    assert_eq!(asked(&outputs), Verdict::Known(verdict("PASS", 0)));
    let other =
        Outputs { found: BTreeMap::from([("run/output-data/a.json".to_owned(), digest("b"))]), ..outputs.clone() };
    assert_eq!(asked(&other), Verdict::Unknown);
    run.log("specify", 1, 12, validated(None));
    assert_eq!(asked(&outputs), Verdict::Unknown);
    for (known, holds) in [
        (Verdict::Known(verdict("PASS", 0)), true),
        (Verdict::Known(verdict("PASS", 1)), false),
        (Verdict::Known(verdict("FAIL", 1)), false),
        (Verdict::Known(verdict("pass", 0)), false),
        (Verdict::Unknown, false),
    ] {
        let found = look(&run.opened(), &outputs, &known).unwrap();
        assert_eq!(found.standing.holds(), holds, "{known:?}");
        assert_eq!(names(&found) == [StandingName::VerdictContradicts], !holds);
    }
    run.log("specify", 1, 13, validated(Some(verdict("PASS", 0))));
    run.log("specify", 2, 14, StageChange::Accepted { inputs: BTreeMap::new(), repeated: true });
    assert_eq!(asked(&outputs), Verdict::Unknown, "another attempt has none yet");
}

#[test]
fn a_log_that_cannot_be_gone_by_carries_nothing() {
    let run = Run::new().accepted();
    run.handback(SUCCESS);
    let outputs = outputs(true);
    let elsewhere = tempfile::tempdir().unwrap();
    let other = State::open(elsewhere.path()).unwrap();
    for state in [Some(&other), None] {
        let opened = run.opened_with(state, None);
        assert_eq!(names(&look(&opened, &outputs, &Verdict::NotAsked).unwrap()), [StandingName::LogContradicts]);
    }
    let log = fs::read_to_string(run.path.join(LOG)).unwrap();
    fs::write(run.path.join(LOG), log.lines().next().unwrap()).unwrap();
    assert_eq!(run.names(), [StandingName::LogContradicts], "it was cut");
    fs::remove_file(run.path.join(LOG)).unwrap();
    assert_eq!(run.names(), [StandingName::LogContradicts], "it is gone, and there was one");
    let opened = run.opened_with(Some(&other), None);
    let found = look(&opened, &outputs, &Verdict::NotAsked).unwrap();
    assert_eq!(names(&found), []);
    assert!(notes(&opened, &found)[0].contains("nothing vouches for this run"));
    assert!(run.directory.path().exists());
}

#[test]
fn the_document_holds_no_secret_and_tells_what_stands_beside_a_success() {
    let run = Run::new().accepted();
    let handback = json!({
        "reason": "success",
        "description": "done with tok-71f0c9a2b3d4",
        "error": { "code": "TIMEOUT", "message": "password=hunter2hunter2", "context": { "api_key": "abc", "retries": 3 } }
    });
    run.handback(handback.to_string());
    let found = run.look();
    assert!(found.standing.holds(), "an error beside a success objects to nothing");
    let told = told(&run, &found);
    let text = told.to_string();
    for secret in ["tok-71f0c9a2b3d4", "hunter2hunter2", "abc"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert_eq!((&told["error"]["context"]["retries"], &told["reason"]), (&json!(3), &json!("success")));
    assert_eq!(told["error"]["meaning"], "Operation exceeded time limit");
    assert!(told["warnings"][0].as_str().unwrap().contains("names an error beside that: TIMEOUT"));
    assert_eq!(found.standing.reason, Some(HandbackReason::Success));
}
