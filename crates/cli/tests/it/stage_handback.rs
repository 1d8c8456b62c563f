//! What an executor hands back, as the program shows it, over run directories made by hand and by the ledger.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use referee_ledger::State;
use referee_ledger::stages::{ComposedRun, Composition, StageRun, composition};
use referee_model::handback::render_accept;
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageChange;
use referee_model::stage::path::StagePath;
use referee_model::time::Timestamp;
use serde_json::{Value, json};

use crate::support::{Workspace, finish, repository};

const DATA: &str = "run/stages/explore/run/output-data";
const HAND_BACK: [&str; 4] = ["handback", "explore", "--run-dir", "run"];
const AS_JSON: [&str; 6] = ["handback", "explore", "--run-dir", "run", "--format", "json"];

const CONFIGURATION: &str = "\
id: explore
name: Explore
inputs:
  required: []
outputs:
  files: []
  data:
    - name: wf-result.json
      path: run/output-data/wf-result.json
prompt:
  entry: prompt/wf.md
  main: prompt/main.md
";

/// A run by hand, without a log, with this handback.
fn by_hand(handback: impl AsRef<[u8]>) -> Workspace {
    Workspace::new().file(&format!("{DATA}/handback.json"), handback)
}

fn error() -> Value {
    json!({
        "reason": "error",
        "description": "Stage failed due to external service unavailability.",
        "error": {
            "code": "EXTERNAL_FAILURE",
            "message": "Unable to reach FlowSpace MCP server after 3 retries",
            "context": { "service": "mcp__flowspace", "retries": 3, "last_error": "Connection timeout" }
        }
    })
}

fn question() -> Value {
    json!({ "reason": "question", "description": "Clarification needed: Should I include deprecated APIs?" })
}

fn success() -> Value {
    json!({ "reason": "success", "description": "Stage completed successfully. All outputs validated." })
}

fn names(answer: &Value) -> Vec<&str> {
    let objections = answer["standing"]["objections"].as_array().unwrap();
    objections.iter().map(|objection| objection["name"].as_str().unwrap()).collect()
}

/// The document that stands at the end of what people read.
fn echoed(shown: &str) -> Value {
    let (_, document) = shown.split_once("\n{").unwrap();
    serde_json::from_str(&format!("{{{document}")).unwrap()
}

/// HB-01, HB-02, HB-03.
#[test]
fn the_three_reasons_are_shown_and_end_with_zero() {
    let shown = by_hand(success().to_string()).referee(&HAND_BACK).exits(0).stdout;
    assert!(
        shown.starts_with(
            "Handback: explore\nReason: success\nDescription: Stage completed successfully. All outputs validated.\nState: agent"
        ),
        "{shown}"
    );
    assert_eq!(echoed(&shown), success());
    let shown = by_hand(error().to_string()).referee(&HAND_BACK).exits(0).stdout;
    let lines = "\
Handback: explore
Reason: error
Description: Stage failed due to external service unavailability.
Error Code: EXTERNAL_FAILURE (External service or API failure outside agent control)
Error Message: Unable to reach FlowSpace MCP server after 3 retries
Context:
";
    assert!(shown.starts_with(lines), "{shown}");
    for context in ["  service: mcp__flowspace\n", "  retries: 3\n", "  last_error: Connection timeout\n"] {
        assert!(shown.contains(context), "{shown}");
    }
    assert_eq!(echoed(&shown), error());
    let shown = by_hand(question().to_string()).referee(&HAND_BACK).exits(0).stdout;
    assert!(shown.contains("\nReason: question\n") && shown.contains("handback_question: "), "{shown}");
    assert_eq!(echoed(&shown), question());
    for (handback, reason) in [(success(), "success"), (error(), "error"), (question(), "question")] {
        let answer = by_hand(handback.to_string()).referee(&AS_JSON).exits(0).json();
        assert_eq!((&answer["reason"], &answer["handback"]), (&json!(reason), &handback));
        assert_eq!((&answer["run_id"], &answer["standing"]["holds"]), (&Value::Null, &json!(false)));
        assert!(answer["warnings"][0].as_str().unwrap().contains("nothing vouches for this run"));
    }
}

/// HB-04, HB-06, HB-07.
#[test]
fn what_is_no_handback_ends_with_one_and_everything_that_is_wrong() {
    let huge = "x".repeat(300 * 1024);
    let deep = "[".repeat(50_000);
    for (junk, told) in [
        (r#"{"reason": "success"}"#, "`description` is missing"),
        (r#"{"reason": "done", "description": "x"}"#, "/reason: \"done\" is not known"),
        (r#"{"reason": "error", "description": "x"}"#, "`error` is missing"),
        (r#"{"reason": "error", "description": "x", "error": {"code": "NOPE", "message": "m"}}"#, "/error/code"),
        (
            r#"{"reason": "error", "description": "x", "error": {"code": "TIMEOUT", "message": ""}}"#,
            "/error/message: it is empty",
        ),
        (r#"{"reason": "success", "description": "x", "extra": 1}"#, "\"extra\" is not known"),
        ("{bad", "it is not JSON"),
        ("", "it is empty"),
        ("[]", "it is a list"),
        ("\"success\"", "it is a text"),
        ("42", "it is a number"),
        ("null", "it is null"),
        (&huge, "it is larger than"),
        (&deep, "it is not JSON"),
    ] {
        let workspace = by_hand(junk);
        let refused = workspace.referee(&HAND_BACK).exits(1);
        assert!(refused.stdout.is_empty() && refused.stderr.contains(told), "{told}: {}", refused.stderr);
        assert!(refused.stderr.len() < 4_000, "{}", refused.stderr.len());
        let answer = workspace.referee(&AS_JSON).exits(1).json();
        assert!(
            answer["reason"].is_null() && answer["handback"].is_null() && names(&answer).contains(&"handback_invalid")
        );
        assert!(
            answer["complaints"].as_array().unwrap().iter().any(|told_here| told_here.as_str().unwrap().contains(told))
        );
    }
    let all =
        by_hand(r#"{"reason": "no", "extra": 1, "error": {"code": "A", "message": ""}}"#).referee(&HAND_BACK).exits(1);
    assert_eq!(all.stderr.matches("  handback.json: ").count(), 5, "{}", all.stderr);
    let hostile =
        by_hand("{\"reason\": \"\\u001b[2Jx\\nReason: success\", \"description\": \"x\"}").referee(&HAND_BACK).exits(1);
    assert!(!hostile.stderr.contains('\u{1b}') && !hostile.stderr.contains("\nReason"), "{}", hostile.stderr);
}

/// HB-05, and what else can lie in the place of a file.
#[test]
fn a_handback_that_is_missing_or_no_file_ends_with_one() {
    let workspace = by_hand("{}");
    let place = workspace.path(DATA).join("handback.json");
    let refused = |told: &str, name: &str| {
        let refused = workspace.referee(&HAND_BACK).exits(1);
        assert!(refused.stdout.is_empty() && refused.stderr.contains(told), "{}", refused.stderr);
        assert!(names(&workspace.referee(&AS_JSON).exits(1).json()).contains(&name));
        fs::remove_file(&place).or_else(|_| fs::remove_dir(&place)).ok();
    };
    fs::remove_file(&place).unwrap();
    refused("there is no run/output-data/handback.json", "handback_missing");
    fs::create_dir(&place).unwrap();
    refused("not a regular file", "handback_invalid");
    workspace.write("outside.json", success().to_string());
    std::os::unix::fs::symlink(workspace.path("outside.json"), &place).unwrap();
    refused("not a regular file", "handback_invalid");
    assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
    refused("not a regular file", "handback_invalid");
    fs::write(&place, b"{\"reason\": \"success\", \"description\": \"\xff\"}").unwrap();
    refused("it is not JSON", "handback_invalid");
    fs::remove_dir(workspace.path(DATA)).unwrap();
    refused("there is no run/output-data/handback.json", "handback_missing");
}

#[test]
fn a_run_or_stage_that_does_not_exist_is_a_mistake_in_typing() {
    let workspace = by_hand(success().to_string());
    workspace.write("file", "x");
    for wrong in [
        &["handback", "explore", "--run-dir", "nowhere"][..],
        &["handback", "explore", "--run-dir", "file"],
        &["handback", "specify", "--run-dir", "run"],
        &["handback", "../explore", "--run-dir", "run"],
        &["handback", "explore"],
        &["handback", "--run-dir", "run"],
    ] {
        let refused = workspace.referee(wrong).exits(2);
        assert!(refused.stdout.is_empty() && !refused.stderr.is_empty(), "{wrong:?}");
    }
}

/// HB-08.
#[test]
fn accept_is_told_present_absent_or_invalid() {
    let workspace = by_hand(success().to_string());
    let told = || {
        let answer = workspace.referee(&AS_JSON).exits(0).json();
        (answer["accept"]["status"].as_str().unwrap().to_owned(), workspace.referee(&HAND_BACK).exits(0).stdout)
    };
    let (status, shown) = told();
    assert!(status == "absent" && shown.contains("\n  Accept: absent\n"), "{shown}");
    let accept = format!("{DATA}/accept.json");
    workspace.write(&accept, r#"{"state": "agent", "timestamp": "2026-01-20T10:00:00Z"}"#);
    let (status, shown) = told();
    assert!(
        status == "present" && shown.contains("  Accepted: 2026-01-20T10:00:00+00:00 (by accept.json)\n"),
        "{shown}"
    );
    assert!(shown.contains("\n  Handed back: 20"), "{shown}");
    workspace.write(&accept, r#"{"state": "orchestrator", "timestamp": "2026-01-20T10:00:00Z", "by": 1}"#);
    let (status, shown) = told();
    assert!(
        status == "invalid" && shown.contains("\n  Accept: invalid: ") && shown.contains("\"by\" is not known"),
        "{shown}"
    );
    workspace.write(&accept, r#"{"state": "agent", "timestamp": "2096-01-20T10:00:00Z"}"#);
    let answer = workspace.referee(&AS_JSON).exits(0).json();
    assert!(names(&answer).contains(&"stale_handback"), "{answer:#}");
}

#[test]
fn the_program_takes_what_the_vectors_say_is_a_handback() {
    let fault = json!({ "code": "TIMEOUT", "message": "m" });
    let mut rows = vec![
        (json!({ "reason": "success", "description": "x" }), true),
        (json!({ "reason": "question", "description": "x", "error": fault }), true),
        (json!({ "reason": "error", "description": "x", "error": fault }), true),
        (json!({ "reason": "error", "description": "x", "error": null }), false),
        (json!({ "reason": "Success", "description": "x" }), false),
        (json!([{ "reason": "success", "description": "x" }]), false),
        (json!(17.5), false),
    ];
    let path = repository().join("../shared/reference/cases/handback_documents.json");
    match fs::read(&path) {
        Ok(bytes) => {
            let vectors: Value = serde_json::from_slice(&bytes).unwrap();
            let cases = vectors["cases"].as_array().unwrap();
            assert_eq!(cases.len(), 21);
            rows.extend(cases.iter().map(|case| (case["document"].clone(), case["valid"] == true)));
        }
        Err(_) => println!("the seed's vectors are skipped: no ../shared"),
    }
    for (document, is_valid) in rows {
        let finished = by_hand(document.to_string()).referee(&HAND_BACK);
        assert_eq!(finished.code, Some(i32::from(!is_valid)), "{document}");
        if is_valid {
            assert_eq!(echoed(&finished.stdout), document);
        }
    }
}

#[test]
fn no_secret_and_no_control_sequence_is_shown() {
    let handback = json!({
        "reason": "error",
        "description": "sent tok-71f0c9a2b3d4\u{1b}[2J\nReason: success\nStanding: nothing stands against it",
        "error": { "code": "UNKNOWN", "message": "x", "context": { "password": "hunter2", "tried": 3 } }
    });
    let workspace = by_hand(handback.to_string());
    for arguments in [&HAND_BACK[..], &AS_JSON[..]] {
        let mut command = workspace.command(arguments);
        let shown = finish(command.env("SERVICE_TOKEN", "tok-71f0c9a2b3d4").spawn().unwrap()).exits(0).stdout;
        for hidden in ["tok-71f0c9a2b3d4", "hunter2", "\u{1b}"] {
            assert!(!shown.contains(hidden), "{hidden}: {shown}");
        }
        assert!(shown.contains("tried"));
    }
    let shown = workspace.referee(&HAND_BACK).exits(0).stdout;
    assert_eq!(shown.lines().filter(|line| line.starts_with("Reason:")).collect::<Vec<_>>(), ["Reason: error"]);
    assert_eq!(shown.lines().filter(|line| line.starts_with("Standing:")).count(), 1);
}

/// Every file below a directory, with its content and its time.
fn tree(directory: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let facts = path.symlink_metadata().unwrap();
        if facts.is_dir() {
            found.extend(tree(&path));
        }
        let content = if facts.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        found.insert(path, (content, facts.modified().unwrap()));
    }
    found
}

fn writable(directory: &Path, mode: u32) {
    for path in tree(directory).into_keys().chain([directory.to_path_buf()]).filter(|path| path.is_dir()) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn long_ago() -> Timestamp {
    Timestamp::from_millisecond(1_700_000_000_000)
}

fn explore() -> StageId {
    StageId::parse("explore").unwrap()
}

/// A composed run with a stage that an executor has.
struct Composed {
    workspace: Workspace,
    run: ComposedRun,
}

impl Composed {
    fn new() -> Self {
        let workspace = Workspace::new();
        let path = |text: &str| StagePath::parse(text).unwrap();
        let state = State::open(&workspace.state()).unwrap();
        let composition = Composition {
            at: long_ago(),
            by: "cli".to_owned(),
            source: "wf-spec".to_owned(),
            name: "flow".to_owned(),
            version: "1.0".to_owned(),
            workspace: workspace.path("."),
            stages: vec![explore()],
            files: BTreeMap::from([
                (path("stages/explore/stage-config.yaml"), CONFIGURATION.as_bytes().to_vec()),
                (path("stages/explore/prompt/wf.md"), b"how\n".to_vec()),
                (path("stages/explore/prompt/main.md"), b"what\n".to_vec()),
            ]),
            directories: vec![path("stages/explore/run/output-data")],
        };
        let run = composition::compose(&workspace.path("."), &state, &composition).unwrap();
        Self { workspace, run }
    }

    fn log(&self, attempt: u32, operation: StageChange) {
        let state = State::open(&self.workspace.state()).unwrap();
        let run = StageRun::open(&self.run.path).unwrap().unwrap();
        run.hold(&state).unwrap().unwrap().append(long_ago(), Some(&explore()), attempt, "cli", operation).unwrap();
    }

    /// Gives control, as the log, `accept.json` and `wf-run.json` say it.
    fn accepted(self) -> Self {
        self.log(1, StageChange::Accepted { inputs: BTreeMap::new(), repeated: false });
        self.write("accept.json", render_accept(long_ago()).unwrap());
        let record = self.run.path.join("wf-run.json");
        let mut run: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
        run["stages"][0]["started_at"] = run["created_at"].clone();
        fs::write(record, run.to_string()).unwrap();
        self
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.run.path.join("stages/explore/run/output-data").join(name), content).unwrap();
    }

    fn hand_back(&self, more: &[&str]) -> crate::support::Finished {
        let run = self.run.path.to_str().unwrap().to_owned();
        self.workspace.referee(&[&["handback", "explore", "--run-dir", &run], more].concat())
    }

    fn answer(&self) -> Value {
        self.hand_back(&["--format", "json"]).exits(0).json()
    }
}

#[test]
fn it_writes_nothing_and_says_the_same_every_time() {
    let composed = Composed::new().accepted();
    composed.write("handback.json", error().to_string());
    let (directory, state) = (composed.workspace.path("."), composed.workspace.state());
    let before = (tree(&directory), tree(&state));
    writable(&composed.run.path, 0o500);
    let first = composed.hand_back(&[]).exits(0).stdout;
    composed.hand_back(&["--check"]).exits(1);
    let held = State::open(&state).unwrap();
    let run = StageRun::open(&composed.run.path).unwrap().unwrap();
    let holder = run.hold(&held).unwrap().unwrap();
    assert_eq!(composed.hand_back(&[]).exits(0).stdout, first, "beside somebody who changes the run");
    drop(holder);
    writable(&composed.run.path, 0o755);
    assert_eq!(composed.hand_back(&[]).exits(0).stdout, first);
    assert_eq!((tree(&directory), tree(&state)), before);

    // Nothing is made for a run without a log either.
    let by_hand = by_hand(success().to_string());
    let before = tree(&by_hand.path("run"));
    by_hand.referee(&HAND_BACK).exits(0);
    assert_eq!((tree(&by_hand.path("run")), tree(&by_hand.state()).len()), (before, 0));
    let mut command = by_hand.command(&HAND_BACK);
    finish(command.env("REFEREE_STATE_DIR", by_hand.path("none")).spawn().unwrap()).exits(0);
    assert!(!by_hand.path("none").exists(), "no state directory is made");
}

#[test]
fn what_stands_against_a_claim_is_named_and_a_check_fails_by_it() {
    let composed = Composed::new().accepted();
    composed.write("handback.json", success().to_string());
    let answer = composed.answer();
    assert_eq!((&answer["attempt"], &answer["run_id"]), (&json!(1), &json!(composed.run.run_id.as_str())));
    assert!(names(&answer).contains(&"outputs_contradict"), "an output is missing: {answer:#}");
    let shown = composed.hand_back(&[]).exits(0).stdout;
    assert!(
        shown.contains("(attempt 1)\n")
            && shown.contains("\n  outputs_contradict: ")
            && shown.contains("\n    Action: ")
    );
    composed.hand_back(&["--check"]).exits(1);
    composed.hand_back(&["--check", "--format", "json"]).exits(1);
    let result = json!({ "stage_id": "explore", "status": "partial", "completed_at": "2026-01-18T12:00:00Z", "error": null, "metrics": {} });
    composed.write("wf-result.json", result.to_string());
    assert!(names(&composed.answer()).contains(&"result_contradicts"));
    for handback in [error(), question()] {
        composed.write("handback.json", handback.to_string());
        composed.hand_back(&["--check"]).exits(1);
        assert!(names(&composed.answer())[0].starts_with("handback_"));
    }
    let log = composed.run.path.join("wf-log.jsonl");
    let first = fs::read_to_string(&log).unwrap().lines().next().unwrap().to_owned();
    fs::write(&log, first + "\n").unwrap();
    assert!(names(&composed.answer()).contains(&"log_contradicts"), "the log was cut");
    fs::remove_file(&log).unwrap();
    assert!(names(&composed.answer()).contains(&"log_contradicts"), "there was a log");
}

#[test]
fn a_handback_without_control_or_of_another_attempt_is_named() {
    let composed = Composed::new();
    composed.write("handback.json", error().to_string());
    assert!(names(&composed.answer()).contains(&"without_control"));
    let composed = composed.accepted();
    assert!(!names(&composed.answer()).contains(&"without_control"));
    let handback = StagePath::parse("run/output-data/handback.json").unwrap();
    let digest =
        StageRun::open(&composed.run.path).unwrap().unwrap().look(&explore(), &handback).unwrap().unwrap().digest;
    composed.log(1, StageChange::Failed { handback: digest, incident: None });
    let shown = composed.hand_back(&[]).exits(0).told();
    assert!(
        shown.contains("without_control: nobody has control: the stage failed, and this handback had its effect"),
        "{shown}"
    );
    composed.log(2, StageChange::Accepted { inputs: BTreeMap::new(), repeated: false });
    assert!(!names(&composed.answer()).contains(&"without_control"), "the same words may be true again");
}

#[test]
fn a_success_that_everything_bears_out_passes_the_check() {
    let composed = Composed::new().accepted();
    let result = json!({ "stage_id": "explore", "status": "success", "completed_at": "2026-01-18T12:00:00Z", "error": null, "metrics": {} });
    composed.write("wf-result.json", result.to_string());
    composed.write("handback.json", success().to_string());
    assert_eq!(names(&composed.answer()), Vec::<&str>::new());
    let shown = composed.hand_back(&["--check"]).exits(0).stdout;
    assert!(
        shown.contains("\nStanding: nothing stands against it\nNext: referee stage finalize explore --run-dir /"),
        "{shown}"
    );
}

#[test]
fn the_context_is_echoed_as_it_was_written() {
    let context = r#"{"zeta":1.0,"id":12345678901234567890123456789,"alpha":{"y":[1e3,-0,"é"],"b":null},"e":"\u00e9"}"#;
    let text = format!(
        r#"{{"reason":"error","description":"no","error":{{"code":"TIMEOUT","message":"m","context":{context}}}}}"#
    );
    let workspace = by_hand(&text);
    let unspaced = |text: &str| text.split_whitespace().collect::<String>();
    let json = workspace.referee(&AS_JSON).exits(0).stdout;
    assert_eq!(unspaced(&json).matches(context).count(), 2, "as what is shown, and as what is echoed: {json}");
    let told = workspace.referee(&HAND_BACK).exits(0).stdout;
    assert!(unspaced(&told).contains(context), "{told}");
    let lines: Vec<&str> = told.lines().filter_map(|line| line.trim().split_once(':').map(|(name, _)| name)).collect();
    let at = |name: &str| lines.iter().position(|line| *line == name);
    assert!(at("zeta") < at("id") && at("id") < at("alpha"), "{told}");
    assert!(told.contains("zeta: 1.0\n") && told.contains("id: 12345678901234567890123456789\n"), "{told}");

    let secret = text.replace(r#""b":null"#, r#""password":"hunter2hunter2""#);
    let json = by_hand(&secret).referee(&AS_JSON).exits(0).stdout;
    assert!(!json.contains("hunter2"), "{json}");
}
