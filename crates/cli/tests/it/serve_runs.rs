//! Runs and evidence over the API: the real program on real runs, asked over its socket.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Child;

use referee_schema::published as schema;
use referee_schema::validator::Validator;
use serde_json::{Value, json};

use crate::support::{Workspace, wait_until};

mod library;

/// A type checker whose output is what a file holds, and that fails while it is not empty.
const SPECIFICATION: &str = "\
checks:
  types: { run: 'cat types.txt && test ! -s types.txt', role: typecheck }
  speak: echo hello
";

const ERROR: &str = "src/a.ts(3,5): error TS2345: Argument of type 'A' is not assignable.\n";

fn project() -> Workspace {
    Workspace::with(SPECIFICATION).file("types.txt", ERROR)
}

fn run(workspace: &Workspace, code: i32) {
    workspace.referee(&["run", "-q"]).exits(code);
}

/// The program while it serves, at a socket in the state directory.
struct Serving<'workspace> {
    workspace: &'workspace Workspace,
    program: Child,
}

/// An answer.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Serving<'_> {
    fn begin(workspace: &Workspace) -> Serving<'_> {
        let program = workspace.command(&["serve", "--unix", "serve.sock"]).spawn().unwrap();
        let serving = Serving { workspace, program };
        wait_until("the server listens", || UnixStream::connect(serving.socket()).is_ok());
        serving
    }

    fn socket(&self) -> std::path::PathBuf {
        self.workspace.path("serve.sock")
    }

    fn ask(&self, target: &str, headers: &str) -> Answer {
        let mut stream = UnixStream::connect(self.socket()).unwrap();
        let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer has a head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_ascii_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes[end + 4..].to_vec() }
    }

    #[track_caller]
    fn json(&self, target: &str, status: u16) -> Value {
        let answer = self.ask(target, "");
        assert_eq!(answer.status, status, "{target}: {}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).unwrap()
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn runs_reports_evidence_logs_and_registers_are_read_over_the_api() {
    let workspace = project();
    run(&workspace, 1);
    run(&workspace, 1);
    let evidence = workspace.evidence("T001");
    let serving = Serving::begin(&workspace);
    let list = serving.json("/api/runs?limit=1&decision=FAIL", 200);
    assert_eq!((&list["runListVersion"], &list["kept"]), (&json!("1.0.0"), &json!(2)));
    let execution = list["runs"][0]["executionId"].as_str().unwrap().to_owned();
    let next = list["next"].as_str().unwrap();
    assert_eq!(serving.json(&format!("/api/runs?after={next}"), 200)["runs"][0]["state"], "earlier");
    assert_eq!(serving.json("/api/runs/T001", 200)["run"]["executionId"], execution);
    let of_run = format!("/api/runs/T001/{execution}");
    assert_eq!(serving.json(&of_run, 200)["actions"][0]["name"], "types");
    let report = serving.ask(&format!("{of_run}/report"), "");
    assert_eq!((report.status, &report.body), (200, &evidence["execution-report.json"]));
    assert!(report.head.contains("content-type: application/json"), "{}", report.head);
    let files = serving.json("/api/runs/T001/latest/evidence", 200);
    assert!(files["files"].as_array().unwrap().iter().any(|file| file["path"] == "STEP.1-types.log"));
    let log = serving.json(&format!("{of_run}/actions/STEP.1/log?from=-1"), 200);
    assert_eq!((&log["lines"][0]["text"], &log["findings"][0]["logLine"]), (&json!(ERROR.trim_end()), &json!(1)));
    let found = serving.ask(&format!("{of_run}/actions/STEP.1/diagnostics"), "");
    assert_eq!(found.body, evidence["STEP.1-diagnostics.json"]);
    assert_eq!(serving.json(&format!("{of_run}/verification?replay=true"), 200)["exitCode"], 1);
    let diagnostics = serving.json("/api/diagnostics?severity=error&source=build&limit=1", 200);
    assert_eq!(diagnostics["diagnostics"][0]["diagnostic"]["code"], "TS2345");
    assert_eq!(serving.json("/api/diagnostics?severity=warning", 200)["standing"], 0);
    assert_eq!(serving.json("/api/diagnostics?since=latest", 200)["standing"], 0);
    let debt = serving.json("/api/debt?status=OPEN&task=T001", 200);
    let id = debt["items"][0]["item"]["debtId"].as_str().unwrap();
    assert_eq!(serving.json(&format!("/api/debt/{id}"), 200)["items"][0]["item"]["debtId"], id);
    assert_eq!(serving.json("/api/debt?status=RESOLVED", 200)["matching"], 0);
}

#[test]
fn what_is_answered_fits_the_published_schemas() {
    let workspace = project();
    run(&workspace, 1);
    let serving = Serving::begin(&workspace);
    let of_run = "/api/runs/T001/latest";
    for (target, name) in [
        (format!("{of_run}/report"), "execution-report"),
        (format!("{of_run}/actions/STEP.1/diagnostics"), "diagnostics"),
    ] {
        let document = serving.json(&target, 200);
        let validator = Validator::new(&schema::schema(name).unwrap()).unwrap();
        let (complaints, _) = validator.complaints(&document, 10);
        assert!(complaints.is_empty(), "{name}: {complaints:#?}");
    }
}

#[test]
fn a_file_is_plain_text_whole_or_in_part() {
    let workspace = Workspace::with("checks:\n  page: \"echo '<script>alert(1)</script>'\"\n");
    run(&workspace, 0);
    let log = workspace.evidence("T001")["STEP.1-page.log"].clone();
    let serving = Serving::begin(&workspace);
    let file = "/api/runs/T001/latest/evidence/STEP.1-page.log";
    let whole = serving.ask(file, "");
    assert_eq!((whole.status, &whole.body), (200, &log));
    for header in ["content-type: text/plain; charset=utf-8", "x-content-type-options: nosniff", "accept-ranges: bytes"]
    {
        assert!(whole.head.contains(header), "{header}: {}", whole.head);
    }
    for (range, status, bytes) in [
        ("bytes=1-6", 206, &log[1..7]),
        ("bytes=-4", 206, &log[log.len() - 4..]),
        ("bytes=2-", 206, &log[2..]),
        ("bytes=0-0,2-2", 200, &log[..]),
        ("pages=1-2", 200, &log[..]),
    ] {
        let part = serving.ask(file, &format!("Range: {range}\r\n"));
        assert_eq!((part.status, &part.body[..]), (status, bytes), "{range}");
        assert_eq!(part.head.contains("content-range: bytes "), status == 206, "{range}");
    }
    let beyond = serving.ask(file, "Range: bytes=100000-\r\n");
    assert_eq!(beyond.status, 416);
    assert!(beyond.head.contains(&format!("content-range: bytes */{}", log.len())), "{}", beyond.head);
    let part = serving.ask(&format!("{file}?offset=1&length=6"), "");
    assert_eq!((part.status, &part.body[..]), (200, &log[1..7]));
    assert!(part.head.contains(&format!("referee-file-bytes: {}", log.len())), "{}", part.head);
}

#[test]
fn hostile_names_lead_nowhere() {
    let workspace = project();
    run(&workspace, 1);
    workspace.write("evidence/T001/planted.txt", "planted");
    let serving = Serving::begin(&workspace);
    let file = "/api/runs/T001/latest/evidence";
    for (target, status) in [
        (format!("{file}/..%2f..%2freferee.yaml"), 404),
        (format!("{file}/%2fetc%2fpasswd"), 404),
        (format!("{file}/STEP.1-types.log%00.json"), 404),
        (format!("{file}/%ff%fe"), 400),
        (format!("{file}/planted.txt"), 404),
        (format!("{file}/seal.json"), 404),
        (format!("{file}/{}", "a".repeat(5000)), 404),
        (format!("{file}/STEP.1-types.log?length=-1"), 400),
        (format!("{file}/STEP.1-types.log?path=x"), 400),
        ("/api/runs/..%2fT001".to_owned(), 404),
        ("/api/runs/T1".to_owned(), 404),
        ("/api/runs/T001/exec-..".to_owned(), 404),
        ("/api/runs/T001/exec-%2e%2e%2f".to_owned(), 404),
        ("/api/runs/T001/exec-1".to_owned(), 404),
        ("/api/runs/T001/latest/actions/..%2fSTEP.1/log".to_owned(), 404),
        ("/api/runs/T001/latest/actions/STEP.7/log".to_owned(), 404),
        ("/api/runs/T001/latest/actions/STEP.1/log?from=0".to_owned(), 400),
        ("/api/runs/T001/latest/actions/STEP.1/log?lines=2001".to_owned(), 400),
        ("/api/runs/T001/latest?x=1".to_owned(), 400),
        ("/api/runs?limit=0".to_owned(), 400),
        ("/api/runs?limit=100000".to_owned(), 400),
        ("/api/runs?after=x".to_owned(), 400),
        ("/api/runs?decision=MAYBE".to_owned(), 400),
        ("/api/debt/DEBT-T001-001%2f..".to_owned(), 404),
        ("/api/debt/DEBT-T009-001".to_owned(), 404),
        ("/api/diagnostics?since=exec-1".to_owned(), 404),
        ("/api/diagnostics?since=yesterday".to_owned(), 400),
    ] {
        let problem = serving.json(&target, status);
        let text = problem.to_string();
        assert!(problem["error"]["class"].is_string() && !text.contains("planted"), "{target}: {text}");
        assert!(!text.contains("root:") && !text.contains("checks:"), "{target}: {text}");
    }
}

#[test]
fn evidence_that_was_changed_is_a_conflict_and_a_junk_register_is_a_fault() {
    let workspace = project();
    run(&workspace, 1);
    let serving = Serving::begin(&workspace);
    let log = "/api/runs/T001/latest/evidence/STEP.1-types.log";
    assert_eq!(serving.ask(log, "").status, 200);
    let path = workspace.path("evidence/T001/STEP.1-types.log");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("TS2345", "TS2346")).unwrap();
    let problem = serving.json(log, 409);
    assert!(problem["error"]["message"].as_str().unwrap().contains("STEP.1-types.log"), "{problem}");
    workspace.write("evidence/.registers/technical-debt.json", "{");
    assert_eq!(serving.json("/api/debt", 503)["error"]["advice"], "retry later");
    fs::remove_file(workspace.path("evidence/T001/seal.json")).unwrap();
    assert_eq!(serving.json("/api/runs/T001/latest/report", 409)["error"]["class"], "conflict");
    assert_eq!(serving.json("/api/runs", 200)["runs"][0]["evidence"], "unsealed");
    fs::remove_dir_all(workspace.path("evidence")).unwrap();
    assert_eq!(serving.json("/api/runs", 200)["runs"], json!([]));
    assert_eq!(serving.json("/api/runs/T001", 404)["error"]["class"], "not_found");
}
