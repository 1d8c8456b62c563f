//! A specification that cannot be loaded is the last run of its tasks: an earlier pass stands for it no longer.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Workspace, finish};

const ONE: &str = "checks: { a: 'true' }\n";

/// Two tasks, of which the second depends on nothing.
fn two() -> String {
    let task = |title: &str| {
        json!({
            "title": title,
            "testExecution": { "steps": [{
                "actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "It works",
                "parameters": { "command": "true", "workingDirectory": "." },
            }] },
            "validationCriteria": { "successConditions": [{ "condition": "STEP.1.exitCode === 0", "description": "so" }] },
        })
    };
    let tasks = json!({ "T030": task("The first of two"), "T031": task("The second of two") });
    serde_json::to_string_pretty(&json!({ "schemaVersion": "2.0.0", "tasks": tasks })).unwrap()
}

/// The last run of a task, as whoever asks sees it.
fn decided(workspace: &Workspace, task: &str) -> (String, String) {
    let summary = workspace.report(task)["executionSummary"].clone();
    let text = |key: &str| summary[key].as_str().unwrap().to_owned();
    (text("decision"), text("overallStatus"))
}

fn refused() -> (String, String) {
    ("BLOCKED".to_owned(), "SPECIFICATION_ERROR".to_owned())
}

/// The decisions of the runs of a task that went to the history.
fn history(workspace: &Workspace, task: &str) -> Vec<Value> {
    let directory = workspace.path(&format!("evidence/.history/{task}"));
    let runs = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    let report = |run: std::path::PathBuf| {
        let bytes = fs::read(run.join("execution-report.json")).unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()["executionSummary"]["decision"].clone()
    };
    runs.map(report).collect()
}

#[test]
fn no_old_pass_stands_for_a_specification_that_cannot_be_loaded() {
    let huge = format!("checks:\n  a: '{}'\n", "x".repeat(5 * 1024 * 1024)).into_bytes();
    let bad: [(&str, Vec<u8>); 6] = [
        ("junk bytes", vec![0x7f, b'E', b'L', b'F', 0, 1, 2, 255]),
        ("half a file", b"checks: { a: 'tr".to_vec()),
        ("nothing", Vec::new()),
        ("a huge file", huge),
        ("an unknown key", b"checks: { a: { run: 'true', tiemout: 5s } }".to_vec()),
        ("text", b"hello".to_vec()),
    ];
    for (what, text) in bad {
        let workspace = Workspace::with(ONE);
        workspace.referee(&["run", "-q"]).exits(0);
        workspace.referee(&["status"]).exits(0);
        workspace.write("referee.yaml", &text);
        let finished = workspace.referee(&["run"]).exits(3);
        assert!(
            finished.stderr.contains("T001: SPECIFICATION_ERROR is sealed in evidence/T001"),
            "{what}: {finished:?}"
        );
        assert_eq!(decided(&workspace, "T001"), refused(), "{what}");
        assert_eq!(history(&workspace, "T001"), ["PASS"], "{what}: the run before went to the history");
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
        for arguments in [&["status"][..], &["gate"]] {
            workspace.referee(arguments).exits(3);
        }
        // The pass of before is history for the specification of before, too, until it ran again.
        workspace.write("referee.yaml", ONE);
        assert_ne!(workspace.referee(&["status"]).code, Some(0), "{what}");
        workspace.referee(&["run", "-q"]).exits(0);
        workspace.referee(&["status"]).exits(0);
    }
}

#[test]
fn every_task_of_which_an_id_can_be_read_is_refused() {
    let cut = two();
    let cut = &cut[..cut.rfind("validationCriteria").unwrap()];
    let wrong = two().replace("TERMINAL_COMMAND", "TERMINAL_COMAND");
    for (what, text) in [("half a file", cut), ("a wrong action type", wrong.as_str()), ("no text", "\0\0")] {
        let workspace = Workspace::new().file("referee.json", two());
        workspace.referee(&["run", "-q"]).exits(0);
        workspace.write("referee.json", text);
        let document = workspace.referee(&["run", "--format", "json"]).exits(3).json();
        assert_eq!(
            (&document["type"], &document["overallStatus"], &document["exitCode"]),
            (&json!("specification-error"), &json!("SPECIFICATION_ERROR"), &json!(3))
        );
        let kinds: Vec<&Value> = document["reports"].as_array().unwrap().iter().map(|report| &report["type"]).collect();
        assert_eq!(kinds, ["report", "report", "suite"], "{what}");
        for task in ["T030", "T031"] {
            assert_eq!(decided(&workspace, task), refused(), "{what} {task}");
            workspace.referee(&["evidence", "verify", &format!("evidence/{task}"), "--replay"]).exits(1);
        }
    }
    let workspace = Workspace::new().file("referee.json", wrong);
    workspace.referee(&["run", "--task", "T031"]).exits(3);
    assert_eq!(decided(&workspace, "T031"), refused());
    assert!(!workspace.path("evidence/T030").exists(), "only what was asked for");
}

/// Seed 1, "SPECIFICATION_ERROR".
#[test]
fn the_report_says_what_of_the_schema_is_broken_and_what_it_allows() {
    let wrong = two().replace("TERMINAL_COMMAND", "TERMINAL_COMAND");
    let workspace = Workspace::new().file("referee.json", wrong);
    workspace.referee(&["run"]).exits(3);
    let report = workspace.report("T030");
    let result = &report["stepExecution"]["results"][0];
    assert_eq!(result["classification"]["category"], "SPECIFICATION_ERROR");
    assert!(result["classification"]["validationErrors"][0].as_str().unwrap().contains("TERMINAL_COMAND"));
    assert_eq!((&result["result"]["executed"], &result["impact"]["actionSkipped"]), (&json!(false), &json!(true)));
    assert_eq!(result["debtGeneration"]["shouldGenerate"], false);
    assert_eq!(result["agentAction"]["action"], "FIX_SPECIFICATION");
    let error = &result["result"]["schemaValidation"]["errors"][0];
    assert_eq!(error["instancePath"], "/tasks/T030/testExecution/steps/0/type");
    assert_eq!(error["keyword"], "enum");
    let allowed = error["params"]["allowedValues"].as_array().unwrap();
    assert!(allowed.contains(&json!("TERMINAL_COMMAND")) && allowed.len() == 7, "{error:#}");
    let schema = workspace.referee(&["schema", "specification-2.0.0"]).exits(0).json();
    let path = error["schemaPath"].as_str().unwrap().strip_prefix('#').unwrap();
    assert_eq!(schema.pointer(path), Some(&Value::Array(allowed.clone())), "{path}");
    let checked = workspace.referee(&["check", "--format", "json"]).exits(3).json();
    assert_eq!(checked["complaints"][0]["schemaPath"], error["schemaPath"]);
}

#[test]
fn a_file_of_which_no_task_can_be_read_is_sealed_as_that() {
    let workspace = Workspace::with("\0\0\0");
    workspace.referee(&["run"]).exits(3);
    let report = workspace.report("T000");
    assert_eq!(report["testSpecification"]["taskTitle"], "no task could be read from referee.yaml");
    assert_eq!(decided(&workspace, "T000"), refused());
}

#[test]
fn a_specification_that_is_gone_takes_its_pass_along_and_a_name_that_never_was_leaves_nothing() {
    let workspace = Workspace::with(ONE);
    workspace.referee(&["run", "-q"]).exits(0);
    fs::remove_file(workspace.path("referee.yaml")).unwrap();
    let finished = workspace.referee(&["run", "other.yaml"]).exits(3);
    assert!(
        finished.stderr.contains("no evidence was written: no run of other.yaml is recorded in evidence"),
        "{finished:?}"
    );
    assert_eq!(decided(&workspace, "T001").0, "PASS");
    workspace.referee(&["run"]).exits(3);
    assert_eq!(decided(&workspace, "T001"), refused());

    let empty = Workspace::new();
    for arguments in [&["run"][..], &["run", "other.yaml"], &["run", "--workspace", "nosuch"]] {
        empty.referee(arguments).exits(3);
        assert!(!empty.path("evidence").exists());
    }
    let finished = empty.referee(&["run"]).exits(3);
    assert_eq!(finished.stderr.matches("no evidence was written").count(), 1, "{finished:?}");
    let directory = Workspace::new().file("referee.yaml/a.txt", "");
    let finished = directory.referee(&["run", "referee.yaml"]).exits(3);
    assert_eq!(finished.stderr.matches("no evidence was written").count(), 1, "{finished:?}");
    assert!(finished.stderr.contains("no specification in"), "{finished:?}");
}

/// The last run of the only task whose evidence lies in this directory.
fn decided_in(workspace: &Workspace, evidence: &str) -> (String, String) {
    let report = fs::read(workspace.path(&format!("{evidence}/T001/execution-report.json"))).unwrap();
    let summary = serde_json::from_slice::<Value>(&report).unwrap()["executionSummary"].clone();
    let text = |key: &str| summary[key].as_str().unwrap().to_owned();
    (text("decision"), text("overallStatus"))
}

#[test]
fn no_old_pass_stands_in_a_directory_that_only_the_specification_of_before_named() {
    let named = [
        ("evidence: ev\nchecks: { ok: 'true' }\n", "ev"),
        ("workspace: ws\nchecks: { ok: 'true' }\n", "ws/evidence"),
        ("workspace: ws\nevidence: ev\nchecks: { ok: 'true' }\n", "ws/ev"),
    ];
    let bad: [(&str, Option<&[u8]>); 3] =
        [("half a file", Some(b"checks: { ok: 'tr")), ("junk", Some(b"\0\x01")), ("no file", None)];
    for (text, evidence) in named {
        for (what, bytes) in bad {
            let workspace = Workspace::with(text).file("ws/a.txt", "").file("s/a.txt", "");
            workspace.referee(&["run", "-q"]).exits(0);
            match bytes {
                Some(bytes) => workspace.write("referee.yaml", bytes),
                None => fs::remove_file(workspace.path("referee.yaml")).unwrap(),
            }
            workspace.referee(&["-C", "s", "run"]).exits(3);
            assert_eq!(decided_in(&workspace, evidence), refused(), "{what} of {text}");
            assert!(!workspace.path("evidence").exists() && !workspace.path("s/evidence").exists(), "{what} of {text}");
        }
    }
}

#[test]
fn without_a_state_directory_what_the_text_still_says_is_believed_as_far_as_it_stays_inside() {
    let text = "workspace: ws\nevidence: ev\ntitle: My task\nchecks: { ok: 'true' }\n";
    let run = |workspace: &Workspace| {
        let mut command = workspace.command(&["run", "-q"]);
        for name in ["REFEREE_STATE_DIR", "XDG_STATE_HOME", "HOME"] {
            command.env_remove(name);
        }
        finish(command.spawn().unwrap())
    };
    let workspace = Workspace::with(text).file("ws/a.txt", "");
    run(&workspace).exits(0);
    workspace.write("referee.yaml", text.replace("'true' }", "'tr"));
    run(&workspace).exits(3);
    assert_eq!(decided_in(&workspace, "ws/ev"), refused());
    let report = fs::read_to_string(workspace.path("ws/ev/T001/execution-report.json")).unwrap();
    assert!(report.contains("\"taskTitle\": \"My task\""), "{report}");

    let outside = tempfile::tempdir().unwrap();
    for place in [outside.path().to_str().unwrap(), "../out"] {
        let workspace = Workspace::with(&format!("evidence: {place}\nworkspace: {place}\nchecks: {{ ok: 'tr"));
        let finished = workspace.referee(&["run"]).exits(3);
        assert!(
            finished.stderr.contains("no run of referee.yaml is recorded in evidence or the state"),
            "{finished:?}"
        );
        assert!(workspace.path("evidence/T000").exists(), "{place}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_title_that_stands_in_half_a_file_is_that_of_its_task() {
    let workspace = Workspace::with("title: My task\ntask: T031\nchecks: { ok: 'tr");
    workspace.referee(&["run"]).exits(3);
    assert_eq!(workspace.report("T031")["testSpecification"]["taskTitle"], "My task");
}

#[test]
fn the_evidence_goes_where_the_specification_says_as_far_as_it_can_be_read() {
    let named = |rest: &str| format!("task: T044\ntitle: Quotes\nevidence: out/proof\nchecks: {{ a: {rest} }}\n");
    let workspace = Workspace::with(&named("'true'"));
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.write("referee.yaml", named("{ nothing: 1 }"));
    workspace.referee(&["run"]).exits(3);
    let report = fs::read(workspace.path("out/proof/T044/execution-report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["testSpecification"]["taskTitle"], "Quotes");
    assert_eq!(report["executionSummary"]["overallStatus"], "SPECIFICATION_ERROR");
    // A directory that may hold no evidence is not written to.
    workspace.write("referee.yaml", "task: T045\nevidence: .\nchecks: { a: 'true' }\n");
    workspace.referee(&["run"]).exits(3);
    assert_eq!(decided(&workspace, "T045"), refused());
}

#[test]
fn check_does_not_call_valid_what_cannot_run() {
    let with = |from: &str, to: &str| two().replacen(from, to, 1);
    for (what, text) in [
        ("a variable that nobody declares", with("\"workingDirectory\": \".\"", "\"workingDirectory\": \"${NOPE}\"")),
        ("a placeholder", with("\"command\": \"true\"", "\"command\": \"{{COMMAND}}\"")),
        (
            "docker",
            with("\"command\": \"true\"", "\"dockerCommand\": \"ps\"")
                .replacen("TERMINAL_COMMAND", "DOCKER_COMMAND", 1)
                .replacen("\"workingDirectory\": \".\"", "\"detached\": false", 1),
        ),
        (
            "a workspace elsewhere",
            with("\"tasks\"", "\"globalConfiguration\": { \"workspaceRoot\": \"/no/such\" }, \"tasks\""),
        ),
        ("a cycle", with("\"title\"", "\"dependencies\": [\"T030\"], \"title\"")),
    ] {
        let workspace = Workspace::new().file("referee.json", &text);
        let checked = workspace.referee(&["check"]).exits(3);
        assert!(!checked.stdout.contains("is valid"), "{what}: {}", checked.stdout);
        let document = workspace.referee(&["check", "--format", "json"]).exits(3).json();
        assert_eq!(document["valid"], false, "{what}");
    }
    let workspace = Workspace::new().file("referee.json", two());
    assert!(workspace.referee(&["check"]).exits(0).stdout.contains("is valid"));
}
