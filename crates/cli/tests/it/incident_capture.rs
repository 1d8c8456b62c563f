//! Failures become incidents.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Finished, Workspace};

const INBOX: &str = ".referee/reports/error_inbox";

/// A project whose only check prints this and exits with this code.
fn project(line: &str) -> Workspace {
    Workspace::with(&format!("checks:\n  import: {{ run: {} }}\n", json!(line)))
}

impl Workspace {
    fn incident(&self, arguments: &[&str]) -> Finished {
        self.referee(&[&["incident"], arguments].concat())
    }

    /// Captures, and returns what became of it.
    #[track_caller]
    fn capture(&self, arguments: &[&str]) -> Value {
        let answer = self.incident(&[&["capture", "--format", "json"], arguments].concat()).exits(0).json();
        assert_eq!(answer["captures"].as_array().unwrap().len(), 1, "{answer}");
        answer["captures"][0].clone()
    }

    fn inbox(&self) -> Vec<String> {
        let Ok(directory) = fs::read_dir(self.path(INBOX)) else { return Vec::new() };
        let mut names: Vec<String> = directory.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn bundle(&self, id: &str, name: &str) -> String {
        let path: PathBuf = self.path(&format!("{INBOX}/{id}/{name}"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn bundled(&self, id: &str, name: &str) -> Value {
        serde_json::from_str(&self.bundle(id, name)).unwrap()
    }

    /// Closes an incident as another program would: the directory is moved.
    fn close(&self, id: &str, result: &str) {
        let archive = self.path(&format!(".referee/reports/error_archive/{result}"));
        fs::create_dir_all(&archive).unwrap();
        fs::write(self.path(&format!("{INBOX}/{id}/status.txt")), result).unwrap();
        fs::rename(self.path(&format!("{INBOX}/{id}")), archive.join(id)).unwrap();
    }
}

fn id_of(captured: &Value) -> String {
    captured["incident_id"].as_str().unwrap_or_else(|| panic!("{captured}")).to_owned()
}

#[test]
fn a_sealed_run_that_failed_is_captured_with_what_was_judged_of_it() {
    let workspace = project("echo begin; echo 'password=hunter2'; echo 'disk is full' >&2; exit 3");
    workspace.referee(&["run"]).exits(6);
    let captured = workspace.capture(&[]);
    assert_eq!(captured["captured"], "new");
    let id = id_of(&captured);
    let incident = workspace.bundled(&id, "incident.json");
    assert_eq!(
        (&incident["status"], &incident["step"], &incident["failure_class"], &incident["occurrences"]),
        (&json!("new"), &json!("import"), &json!("execution_error"), &json!(1))
    );
    let run = workspace.report("T001")["authenticity"]["executionId"].as_str().unwrap().to_owned();
    assert_eq!(incident["run_id"], run.as_str());
    // IN-20.
    let time: String = run.chars().take(48).collect();
    assert!(id.starts_with("incident_2") && id.ends_with(&time), "{id}");
    let message = incident["message"].as_str().unwrap();
    assert_eq!(incident["error_signature"], format!("execution_error | import | {message}"));
    assert_eq!(workspace.bundle(&id, "status.txt").trim(), "new");
    assert_eq!(workspace.bundle(&id, "log_tail.txt"), "begin\npassword=*******\ndisk is full\n");
    assert_eq!(workspace.bundle(&id, "audit_tail.jsonl"), "");
    let context = workspace.bundled(&id, "context.json");
    assert_eq!((&context["reason"], &context["mode"]), (&json!(message), &json!("run")));
    let capture = &context["capture"];
    for (key, value) in
        [("step", "import"), ("run_id", &run), ("failure_class", "execution_error"), ("action", "STEP.1")]
    {
        assert_eq!(capture[key], value, "{context}");
    }
    let diagnostics = workspace.bundled(&id, "diagnostics.json");
    assert_eq!((&diagnostics[0]["blocking"], &diagnostics[0]["actionName"]), (&json!(true), &json!("import")));
    assert_eq!(incident["fingerprint"], diagnostics[0]["fingerprint"]);
}

#[test]
fn one_run_is_one_sighting_however_often_it_is_captured() {
    let workspace = project("echo 'error: disk is full'; exit 3");
    workspace.referee(&["run"]).exits(6);
    let first = workspace.capture(&[]);
    let id = id_of(&first);
    let again = workspace.capture(&[]);
    assert_eq!((&again["captured"], &again["incident_id"]), (&json!("known"), &first["incident_id"]));
    assert_eq!(workspace.bundled(&id, "incident.json")["occurrences"], 1);
    // Nor is it back, once it was closed.
    workspace.close(&id, "resolved");
    assert_eq!(workspace.capture(&[])["captured"], "known");
    workspace.referee(&["run"]).exits(6);
    assert_eq!(workspace.capture(&[])["captured"], "regression");
}

#[test]
fn a_command_with_a_secret_verifies_nothing_without_it() {
    let workspace = Workspace::new();
    let line = "curl http://user:Zq91Zq91@127.0.0.1:1/; exit 3";
    workspace.incident(&["capture", "--step", "job", "--", "sh", "-c", line]).exits(3);
    let id = workspace.inbox().remove(0);
    let capture = workspace.bundled(&id, "context.json")["capture"].clone();
    assert!(capture["command"].is_null() && !capture.to_string().contains("Zq91"), "{capture}");
    assert!(capture["command_without_secrets"][2].as_str().unwrap().starts_with("curl"), "{capture}");
    let plan = workspace.incident(&["plan", &id, "--format", "json"]).exits(0).json();
    assert_eq!(plan["verification_commands"], json!([]));
}

#[test]
fn the_same_failure_is_another_occurrence_and_another_one_is_not() {
    let workspace = project("echo \"error: took $RANDOM ms\"; exit 3");
    workspace.referee(&["run"]).exits(6);
    let first = workspace.capture(&[]);
    workspace.referee(&["run"]).exits(6);
    let second = workspace.capture(&["--task", "T001"]);
    assert_eq!((&second["captured"], &second["incident_id"]), (&json!("occurrence"), &first["incident_id"]));
    let id = id_of(&first);
    let incident = workspace.bundled(&id, "incident.json");
    assert_eq!(incident["occurrences"], 2);
    assert!(incident["last_seen_at"].is_string());
    workspace.write("referee.yaml", "checks:\n  import: { run: \"exit 4\" }\n");
    workspace.referee(&["run"]).exits(6);
    let other = workspace.capture(&[]);
    // Exit codes are numbers, and numbers do not count; the step does.
    assert_eq!(other["captured"], "occurrence");
    workspace.write("referee.yaml", "checks:\n  export: { run: \"exit 4\" }\n");
    workspace.referee(&["run"]).exits(6);
    assert_eq!(workspace.capture(&[])["captured"], "new");
    assert_eq!(workspace.inbox().len(), 2);
    let explained = workspace.incident(&["explain", &id]).exits(0).told();
    for says in ["execution_error", "step `import`", "seen 3 times", "in 3 different runs"] {
        assert!(explained.contains(says), "{says}: {explained}");
    }
    let explained = workspace.incident(&["explain", &id, "--format", "json"]).exits(0).json();
    assert_eq!((&explained["occurrences"], &explained["equal"]["step"]), (&json!(3), &json!("import")));
    assert_eq!(explained["class"]["computed"], true);
}

#[test]
fn what_comes_back_after_it_was_resolved_is_a_regression() {
    let workspace = Workspace::new();
    workspace.write("a.log", "start\nError: quota of 10 exceeded\n");
    let log = ["--log", "a.log", "--step", "import"];
    let first = id_of(&workspace.capture(&log));
    workspace.close(&first, "resolved");
    workspace.write("a.log", "start\nError: quota of 99 exceeded\nbye\n");
    let back = workspace.capture(&log);
    assert_eq!((&back["captured"], &back["regression_of"]), (&json!("regression"), &json!(first)));
    let second = id_of(&back);
    assert_eq!(workspace.bundled(&second, "incident.json")["regression_of"], first.as_str());
    let explained = workspace.incident(&["explain", &second]).exits(0).told();
    assert!(explained.contains(&format!("equal in {first}, which was resolved")), "{explained}");
    // What was left to a person takes no occurrences either, and is no regression.
    workspace.close(&second, "escalated");
    fs::remove_dir_all(workspace.path(&format!(".referee/reports/error_archive/resolved/{first}"))).unwrap();
    let again = workspace.capture(&log);
    assert_eq!((&again["captured"], &again["regression_of"]), (&json!("new"), &Value::Null));
    let explained = workspace.incident(&["explain", &id_of(&again)]).exits(0).told();
    assert!(explained.contains(&format!("equal in {second}, which was left to a person")), "{explained}");
}

#[test]
fn two_captures_at_once_make_one_incident_with_two_occurrences() {
    let workspace = Workspace::new();
    workspace.write("a.log", "Error: no route\n");
    let children: Vec<_> = (0..6)
        .map(|_| workspace.command(&["incident", "capture", "--log", "a.log", "--step", "x"]).spawn().unwrap())
        .collect();
    for child in children {
        crate::support::finish(child).exits(0);
    }
    let inbox = workspace.inbox();
    assert_eq!(inbox.len(), 1, "{inbox:?}");
    assert_eq!(workspace.bundled(&inbox[0], "incident.json")["occurrences"], 6);
    let grouping = workspace.bundled(&inbox[0], "grouping.json");
    assert_eq!(grouping["sightings"].as_array().unwrap().len(), 6);
}

/// IN-17.
#[test]
fn an_id_is_taken_once_unless_it_is_forced_and_then_its_beginning_stays() {
    let workspace = Workspace::new();
    workspace.write("a.log", "Error: one\n");
    let named = ["--id", "inc-1", "--log", "a.log"];
    workspace.capture(&named);
    let refused = workspace.incident(&[&["capture"], &named[..]].concat()).exits(1);
    assert!(refused.stderr.contains("incident inc-1 already exists"), "{}", refused.stderr);
    let path = workspace.path(&format!("{INBOX}/inc-1/incident.json"));
    let mut incident = workspace.bundled("inc-1", "incident.json");
    incident["created_at"] = json!("2020-01-01T00:00:00+00:00");
    fs::write(&path, incident.to_string()).unwrap();
    workspace.write("a.log", "Error: two\n");
    workspace.capture(&[&named[..], &["--force"]].concat());
    let incident = workspace.bundled("inc-1", "incident.json");
    assert_eq!(
        (&incident["created_at"], &incident["message"]),
        (&json!("2020-01-01T00:00:00+00:00"), &json!("Error: two"))
    );
    assert_eq!(workspace.bundle("inc-1", "log_tail.txt"), "Error: two\n");
    // Nothing that a plan rests on is written anew.
    fs::write(workspace.path(&format!("{INBOX}/inc-1/status.txt")), "approved").unwrap();
    let refused = workspace.incident(&[&["capture"], &named[..], &["--force"]].concat()).exits(1);
    assert!(refused.stderr.contains("is approved"), "{}", refused.stderr);
}

/// IN-18, IN-19 and IN-42: what is typed is looked at.
#[test]
fn month_thirteen_has_no_name_and_bad_ids_are_refused() {
    let workspace = Workspace::new();
    workspace.capture(&["--id", "a", "--message", "x", "--year", "2026", "--month", "13"]);
    let incident = workspace.bundled("a", "incident.json");
    assert_eq!((&incident["month"], &incident["ym"]), (&json!(13), &json!("")));
    workspace.capture(&["--id", "b", "--message", "y", "--year", "2026", "--month", "1"]);
    assert_eq!(workspace.bundled("b", "incident.json")["ym"], "2026-01");
    for bad in ["..", ".", "a/b", "", "a b", "é"] {
        workspace.incident(&["capture", "--message", "x", "--id", bad]).exits(2);
    }
    workspace.incident(&["capture", "--message", "x", "--id=-rf"]).exits(2);
    for bad in
        [&["--log", "missing.log"][..], &["--log", "."], &["--message", "", "--step", "x"], &["--report", "none"]]
    {
        workspace.incident(&[&["capture"], bad].concat()).exits(2);
    }
    workspace.incident(&["capture", "--message", "x", "--failure-class", "a b"]).exits(2);
    assert_eq!(workspace.inbox(), ["a", "b"]);
}

#[test]
fn context_is_merged_and_what_is_none_is_kept_as_what_it_is() {
    let workspace = Workspace::new();
    workspace.write("c.json", r#"{"reason": "slow", "password": {"value": "abc"}, "source": "cron"}"#);
    workspace.write("audit", "{\"event\":\"login\",\"token\":{\"plain\":\"abc\"}}\n".repeat(300));
    let context = |id: &str, json: &str| {
        let arguments =
            ["--id", id, "--message", "x", "--context", "c.json", "--audit", "audit", "--context-json", json];
        workspace.capture(&arguments);
        workspace.bundled(id, "context.json")
    };
    let merged = context("a", r#"{"reason": "slower", "more": [1]}"#);
    assert_eq!(
        (&merged["reason"], &merged["source"], &merged["more"]),
        (&json!("slower"), &json!("cron"), &json!([1]))
    );
    assert_eq!(merged["password"]["value"], "***");
    assert_eq!(merged["capture"]["script"], "referee incident capture");
    assert_eq!(context("b", "[1]")["inline_context"], json!([1]));
    assert!(context("c", "{")["inline_context_parse_error"].is_string());
    let audit = workspace.bundle("a", "audit_tail.jsonl");
    assert_eq!(audit.lines().count(), 200);
    assert_eq!(audit.lines().next(), Some(r#"{"event":"login","token":{"plain":"***"}}"#));
}

/// IN-41, in the files of a bundle: no leak of the seed's is left.
#[test]
fn secrets_are_in_no_file_of_a_bundle() {
    let workspace = Workspace::new();
    let secrets = [
        "token=Zq81",
        "\"api_key\": \"Zq82\"",
        "authorization: Basic Zq83zz",
        "https://u:Zq84@host/x",
        "AWS_SECRET_ACCESS_KEY=Zq85",
        "ghp_Zq86456789abcdef",
        "{\"password\": {\"value\": \"Zq87\"}}",
        "sent cookie: sid=Zq88",
    ];
    let log = secrets.join("\n") + "\nError: password=Zq89 refused\n";
    workspace.write("a.log", &log);
    let context = json!({ "password": { "deep": ["Zq90"] }, "note": log });
    let captured =
        workspace.capture(&["--log", "a.log", "--step", "token=Zq91", "--context-json", &context.to_string()]);
    let directory = workspace.path(&format!("{INBOX}/{}", id_of(&captured)));
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("Zq"), "{}: {text}", path.display());
    }
}

#[test]
fn a_command_that_fails_is_captured_and_exits_as_it_did() {
    let workspace = Workspace::new();
    let passed = workspace.incident(&["capture", "--", "sh", "-c", "echo fine"]).exits(0);
    assert_eq!((passed.stdout.as_str(), workspace.inbox().len()), ("fine\n", 0));
    let line = "echo out; echo 'TypeError: x' >&2; exit 42";
    let failed = workspace.incident(&["capture", "--step", "job", "--", "sh", "-c", line]).exits(42);
    assert_eq!(failed.stdout, "out\n");
    assert!(
        failed.stderr.starts_with("TypeError: x\n") && failed.stderr.contains("captured as incident"),
        "{}",
        failed.stderr
    );
    let id = workspace.inbox().remove(0);
    let incident = workspace.bundled(&id, "incident.json");
    assert_eq!(
        (&incident["failure_class"], &incident["message"], &incident["step"]),
        (&json!("run_failed"), &json!("the command exited with 42: TypeError: x"), &json!("job"))
    );
    let context = workspace.bundled(&id, "context.json");
    assert_eq!((&context["returncode"], &context["capture"]["command"]), (&json!(42), &json!(["sh", "-c", line])));
    // For a program standard output is the answer's alone.
    let json = workspace.incident(&["capture", "--format", "json", "--step", "job", "--", "sh", "-c", line]).exits(42);
    assert_eq!(json.json()["captures"][0]["captured"], "occurrence");
    for (command, code, class) in [
        (&["no-such-program"][..], 127, "execution_error"),
        (&["sh", "-c", "kill -9 $$"], 137, "execution_error"),
        (&["sh", "-c", "echo 'AUTH_REQUIRED: provider login page detected'; exit 1"], 1, "auth_expired"),
    ] {
        let answer = workspace.incident(&[&["capture", "--format", "json", "--"], command].concat()).exits(code).json();
        let id = id_of(&answer["captures"][0]);
        assert_eq!(workspace.bundled(&id, "incident.json")["failure_class"], class, "{command:?}");
    }
    let late = ["capture", "--format", "json", "--timeout", "200ms", "--", "sleep", "60"];
    let answer = workspace.incident(&late).exits(124).json();
    assert_eq!(workspace.bundled(&id_of(&answer["captures"][0]), "incident.json")["failure_class"], "timeout");
}

#[test]
fn a_class_is_computed_where_facts_exist_and_taken_where_none_do() {
    let workspace = project("exit 3");
    workspace.referee(&["run"]).exits(6);
    let of_run = id_of(&workspace.capture(&["--failure-class", "transient"]));
    assert_eq!(workspace.bundled(&of_run, "incident.json")["failure_class"], "execution_error");
    let explained = workspace.incident(&["explain", &of_run]).exits(0).told();
    assert!(explained.contains("`transient` was asked for and does not count"), "{explained}");
    let typed = id_of(&workspace.capture(&["--message", "slow network", "--failure-class", "transient"]));
    assert_eq!(workspace.bundled(&typed, "incident.json")["failure_class"], "transient");
    let unnamed = id_of(&workspace.capture(&["--message", "something else"]));
    assert_eq!(workspace.bundled(&unnamed, "incident.json")["failure_class"], "unknown");
}

#[test]
fn only_evidence_that_is_as_it_was_sealed_is_believed_and_a_pass_leaves_nothing() {
    let workspace = project("exit 0");
    workspace.incident(&["capture"]).exits(2);
    workspace.referee(&["run"]).exits(0);
    let skipped = workspace.capture(&[]);
    assert_eq!((&skipped["captured"], &skipped["reason"]), (&json!("skipped"), &json!("run_passed")));
    workspace.write("referee.yaml", "checks:\n  import: { run: \"exit 3\" }\n");
    workspace.referee(&["run"]).exits(6);
    let report = workspace.path("evidence/T001/execution-report.json");
    // A report by itself is taken as it says it is, as long as its own hash fits.
    fs::copy(&report, workspace.path("copied.json")).unwrap();
    let copied = workspace.incident(&["capture", "--report", "copied.json"]).exits(0);
    assert!(copied.stderr.contains("not sealed evidence"), "{}", copied.stderr);
    let text = fs::read_to_string(&report).unwrap().replace("import", "impart");
    fs::write(workspace.path("changed.json"), &text).unwrap();
    workspace.incident(&["capture", "--report", "changed.json"]).exits(2);
    fs::write(&report, text).unwrap();
    workspace.incident(&["capture"]).exits(74);
    workspace.incident(&["capture", "--report", "evidence/T001/execution-report.json"]).exits(74);
    assert_eq!(workspace.inbox().len(), 1);
}

/// IN-23.
#[test]
fn a_failed_run_is_captured_by_itself_where_that_is_wanted() {
    let workspace = project("exit 3");
    workspace.referee(&["run"]).exits(6);
    assert_eq!(workspace.inbox().len(), 0);
    let run = workspace.referee(&["run", "--capture-incidents"]).exits(6);
    assert!(run.stderr.contains("note: T001: captured as incident"), "{}", run.stderr);
    workspace.write("referee.yaml", "incidents: { capture: true }\nchecks:\n  import: { run: \"exit 3\" }\n");
    let run = workspace.referee(&["run", "--format", "json"]).exits(6).json();
    let inbox = workspace.inbox();
    assert_eq!((inbox.len(), &run["incident"]["error_incident_id"]), (1, &json!(inbox[0])));
    assert_eq!(workspace.bundled(&inbox[0], "incident.json")["occurrences"], 2);
    // The incidents are no inputs: what is captured between two runs makes no drift.
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(1);
    // A pass captures nothing and resolves nothing.
    workspace.write("referee.yaml", "incidents: { capture: true }\nchecks:\n  import: { run: \"exit 0\" }\n");
    workspace.referee(&["run"]).exits(0);
    assert_eq!(workspace.bundle(&inbox[0], "status.txt").trim(), "new");
}

#[test]
fn the_full_form_captures_by_itself_and_a_task_that_never_began_has_no_incident_of_its_own() {
    let task = |id: &str, command: &str, dependencies: &[&str]| {
        json!({
            "taskId": id,
            "title": "a task that a test runs",
            "description": "A task that a test of the full form runs, described at the length that is asked for.",
            "dependencies": dependencies,
            "testExecution": { "steps": [{
                "actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "the step of the test",
                "parameters": { "command": command, "workingDirectory": "." }
            }] },
            "validationCriteria": {
                "successConditions": [{ "condition": "STEP.1.success === true", "description": "it works" }]
            },
            "completionCriteria": { "allStepsMustPass": true }
        })
    };
    let workspace = Workspace::with(
        &json!({
            "schemaVersion": "2.0.0",
            "globalConfiguration": { "incidents": { "capture": true } },
            "tasks": { "T001": task("T001", "exit 3", &[]), "T002": task("T002", "true", &["T001"]) }
        })
        .to_string(),
    );
    let run = workspace.referee(&["run"]);
    assert_eq!(workspace.inbox().len(), 1, "{} {}", run.stdout, run.stderr);
    assert!(run.stderr.contains("note: T002: not captured (dependency_failed)"), "{}", run.stderr);
}

/// IN-24 and IN-25: what is passed over is told.
#[test]
fn runs_of_tests_and_runs_that_want_a_sign_in_are_not_captured_by_themselves() {
    let workspace = project("echo 'AUTH_REQUIRED: provider login page detected'; exit 3");
    let skipped = |name: &str, value: &str| {
        let mut command = workspace.command(&["run", "--capture-incidents", "--format", "json"]);
        let finished = crate::support::finish(command.env(name, value).spawn().unwrap()).exits(6);
        let reason = finished.json()["incident"]["error_capture_skipped_reason"].clone();
        assert!(
            finished.stderr.contains(&format!("not captured ({})", reason.as_str().unwrap())),
            "{}",
            finished.stderr
        );
        reason
    };
    assert_eq!(skipped("PYTEST_CURRENT_TEST", "tests/test_a.py::test_b (call)"), "test_artifact_run");
    assert_eq!(skipped("X", "y"), "auth_required");
    assert_eq!(workspace.inbox().len(), 0);
    // Who asks for it gets it.
    let id = id_of(&workspace.capture(&[]));
    assert_eq!(workspace.bundled(&id, "incident.json")["failure_class"], "auth_expired");
}

#[test]
fn what_github_refuses_is_a_github_error_and_a_link_to_it_is_none() {
    let workspace = Workspace::new();
    let class = |id: &str| workspace.bundled(id, "incident.json")["failure_class"].clone();
    workspace.capture(&["--id", "said", "--message", "GitHub API rate limit exceeded"]);
    workspace.capture(&["--id", "linked", "--message", "Error: see https://github.com/a/b/issues/1"]);
    assert_eq!((class("said"), class("linked")), ("github_error".into(), "unknown".into()));
}

#[test]
fn a_capture_that_fails_changes_no_verdict_and_is_told() {
    let workspace = project("exit 3");
    workspace.write(".referee/reports", "in the way");
    let run = workspace.referee(&["run", "--capture-incidents", "--format", "json"]).exits(6);
    assert!(run.stderr.contains("note: T001: not captured as an incident"), "{}", run.stderr);
    assert!(run.json()["incident"]["error_capture_error"].is_string());
    let failed = workspace.incident(&["capture", "--message", "x"]);
    assert_eq!(failed.code, Some(74), "{}", failed.stderr);
}

#[test]
fn incidents_are_listed_and_shown() {
    let workspace = Workspace::new();
    assert!(workspace.incident(&["list"]).exits(0).stdout.contains("0 unresolved"));
    workspace.capture(&["--id", "one", "--message", "Error: a\u{1b}[2J", "--step", "import"]);
    workspace.capture(&["--id", "two", "--message", "Error: b", "--step", "export"]);
    workspace.close("two", "resolved");
    let list = workspace.incident(&["list", "--format", "json"]).exits(0).json();
    assert_eq!(
        list["counts"],
        json!({"unresolved": 1, "resolved": 1, "escalated": 0, "by_status": {"new": 1, "resolved": 1}})
    );
    assert_eq!(list["total"], 2);
    let text = workspace.incident(&["list"]).exits(0).stdout;
    assert!(text.contains("1 unresolved") && text.contains("one") && !text.contains('\u{1b}'), "{text}");
    let new = workspace.incident(&["list", "--status", "new", "--format", "json"]).exits(0).json();
    assert_eq!(new["total"], 1);
    workspace.incident(&["list", "--status", "done"]).exits(2);
    workspace.incident(&["list", "--limit", "0"]).exits(2);
    let shown = workspace.incident(&["show", "one"]).exits(0).stdout;
    for says in ["one new", "import", "Error: a", "error_inbox/one"] {
        assert!(shown.contains(says), "{says}: {shown}");
    }
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let shown = workspace.incident(&["show", "two", "--format", "json"]).exits(0).json();
    assert_eq!(
        (&shown["path"], &shown["incident"]["status"]),
        (&json!("error_archive/resolved/two"), &json!("resolved"))
    );
    for command in ["show", "explain"] {
        let missing = workspace.incident(&[command, "none"]).exits(1);
        assert!(missing.stderr.contains("no such incident: none"), "{}", missing.stderr);
        workspace.incident(&[command, "../one"]).exits(2);
    }
}

/// Incidents of other programs, which know nothing of fingerprints, are shown and explained as far as they go.
#[test]
fn an_incident_of_another_program_is_shown_and_groups_with_nothing() {
    let workspace = Workspace::new();
    let directory = format!("{INBOX}/incident_20260217_120000_run_abc");
    workspace.write(
        &format!("{directory}/incident.json"),
        json!({
            "incident_id": "incident_20260217_120000_run_abc", "status": "planned", "created_at": "2026-02-17T03:00:00+00:00",
            "updated_at": "2026-02-17T03:00:00+00:00", "run_id": "r", "year": 2026, "month": 1, "ym": "2026-01",
            "step": "import", "failure_class": "transient", "message": "m", "error_signature": "s"
        })
        .to_string(),
    );
    workspace.write(&format!("{directory}/status.txt"), "planned\n");
    workspace.write(&format!("{directory}/log_tail.txt"), "x\n");
    workspace.write(&format!("{directory}/context.json"), "junk");
    let shown = workspace.incident(&["show", "incident_20260217_120000_run_abc", "--format", "json"]).exits(0).json();
    assert_eq!(shown["incident"]["status"], "plan_proposed");
    assert!(shown["degraded"][0].as_str().unwrap().starts_with("context.json"), "{shown}");
    let explained = workspace.incident(&["explain", "incident_20260217_120000_run_abc"]).exits(0).told();
    assert!(explained.contains("another program captured it"), "{explained}");
}
