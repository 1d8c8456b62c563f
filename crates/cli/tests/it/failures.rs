//! What a failure calls for, and what a report says of it (seed 1).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::{Workspace, action};

fn executable(workspace: &Workspace, name: &str, script: &str) {
    workspace.write(name, format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(workspace.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

fn called_for(report: &Value, id: &str) -> (String, String) {
    let step = action(report, id);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&step["status"]), text(&step["agentAction"]["action"]))
}

#[test]
fn a_tool_that_npx_does_not_find_is_to_be_installed_also_in_a_line() {
    let specification = "env: { PATH: '${WORKSPACE_ROOT}/bin:/usr/bin:/bin' }\nchecks:\n\
        \x20 types: mkdir -p sub && cd sub && npx tsc --noEmit\n\
        \x20 unit: cd sub && npx jest --ci\n\
        \x20 lint: { run: cd sub && npx eslint . }\n\
        \x20 other: { run: npx tool, role: other }\n";
    let canceled = "npm error npx canceled due to missing packages and no YES option: [\"x@1.0.0\"]";
    let offline = "npm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN";
    for said in [canceled, offline] {
        let workspace = Workspace::with(specification);
        executable(&workspace, "bin/npx", &format!("echo '{said}' >&2; exit 1"));
        workspace.referee(&["run", "-q"]).exits(6);
        let report = workspace.report("T001");
        for step in ["STEP.1", "STEP.2", "STEP.3", "STEP.4"] {
            let expected = ("EXECUTION_ERROR".to_owned(), "INSTALL_TOOL".to_owned());
            assert_eq!(called_for(&report, step), expected, "{said} {step}");
            let causes = &action(&report, step)["classification"]["possibleCauses"];
            assert_eq!(causes[0], "a tool or a dependency is not installed");
        }
        assert_eq!(report["executionSummary"]["agentAction"], "INSTALL_TOOL");
    }
}

#[test]
fn a_checker_that_crashed_says_nothing_of_the_types() {
    let workspace = Workspace::with(
        "checks:\n  heap: npx tsc\n  stack: npx tsc stack\n  option: npx tsc option\n  found: npx tsc found\n",
    );
    let script = "case \"$1\" in\n\
        stack) echo '/x/tsc.js:9'; echo 'TypeError: undefined is not a function'; echo '    at main (/x/tsc.js:9:1)'; exit 1;;\n\
        option) echo \"error TS5023: Unknown compiler option '--nope'.\"; exit 1;;\n\
        found) echo \"a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\"; exit 2;;\n\
        esac\n\
        echo 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory' >&2; exit 134";
    executable(&workspace, "node_modules/.bin/tsc", script);
    workspace.referee(&["run", "-q"]);
    let report = workspace.report("T001");
    for (step, status) in
        [("STEP.1", "EXECUTION_ERROR"), ("STEP.2", "EXECUTION_ERROR"), ("STEP.3", "VALIDATION_FAILURE")]
    {
        assert_eq!(called_for(&report, step), (status.to_owned(), "FIX_PREREQUISITE".to_owned()), "{step}");
    }
    assert_eq!(called_for(&report, "STEP.4"), ("VALIDATION_FAILURE".to_owned(), "FIX_TYPES".to_owned()));
}

#[test]
fn a_server_that_answers_its_health_url_with_an_error_is_told_from_one_that_never_listened() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let server = format!(
        "import http.server\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        \
         self.send_response(500); self.end_headers()\nhttp.server.HTTPServer(('127.0.0.1', {port}), H).serve_forever()\n"
    );
    let specification = |run: &str| {
        format!(
            "services:\n  web: {{ run: {run}, ready: 'http://127.0.0.1:{port}/health', timeout: 3s }}\nchecks: {{ a: 'true' }}\n"
        )
    };
    for (run, said, in_use) in [
        (
            "python3 server.py",
            format!(
                "the server is up on port {port}, but its health URL http://127.0.0.1:{port}/health answers HTTP 500"
            ),
            true,
        ),
        ("sleep 60", format!("the server did not start: nothing listens on port {port}"), false),
    ] {
        let workspace = Workspace::with(&specification(run)).file("server.py", &server);
        workspace.referee(&["run", "-q"]).exits(5);
        let report = workspace.report("T001");
        let web = action(&report, "SERVICE.1");
        let reason = web["classification"]["reason"].as_str().unwrap();
        assert!(reason.contains(&said), "{reason}");
        assert_eq!(reason.matches("HTTP 500").count(), usize::from(in_use), "said once: {reason}");
        assert_eq!(web["result"]["diagnostics"]["portCheck"]["inUse"], in_use, "{web:#}");
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    }
}

#[test]
fn a_task_that_waits_for_another_names_it() {
    let task = |command: &str, depends: &[&str]| {
        json!({
            "title": "A task of this test", "dependencies": depends,
            "testExecution": { "steps": [{
                "actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "It is done",
                "parameters": { "command": command, "workingDirectory": "." },
            }] },
            "validationCriteria": { "successConditions": [{ "condition": "STEP.1.exitCode === 0", "description": "so" }] },
        })
    };
    let tasks = json!({ "T001": task("false", &[]), "T002": task("true", &["T001"]) });
    let document = json!({ "schemaVersion": "2.0.0", "tasks": tasks });
    let workspace = Workspace::new().file("referee.json", document.to_string());
    workspace.referee(&["run", "-q"]).exits(6);
    let report = workspace.report("T002");
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
    for reason in [&report["executionSummary"]["reasons"][0], &report["completionCriteriaEvaluation"]["reason"]] {
        assert!(
            reason.as_str().unwrap().contains("the task T001, which this one depends on, did not pass"),
            "{reason}"
        );
    }
    assert_eq!(report["skippedActions"][0]["reason"], json!({ "code": "dependency-not-passed", "taskId": "T001" }));
}

/// One task in the full form that requires these kinds of evidence, of a step that keeps what is said.
fn requiring(required: &[&str], keep: &Value, steps: &[Value]) -> Workspace {
    let mut all = vec![json!({
        "actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "It is done", "evidenceCapture": keep,
        "parameters": { "command": "echo x; echo y >&2", "workingDirectory": ".", "role": "test" },
    })];
    all.extend_from_slice(steps);
    let document = json!({
        "schemaVersion": "2.0.0",
        "tasks": { "T001": {
            "title": "A task of this test", "testExecution": { "steps": all },
            "validationCriteria": { "successConditions": [{ "condition": "STEP.1.exitCode === 0", "description": "so" }] },
            "completionCriteria": { "allStepsMustPass": true, "requiredEvidence": required },
        } },
    });
    Workspace::new().file("referee.json", document.to_string())
}

#[test]
fn required_evidence_that_is_turned_off_is_missing_by_name() {
    let off = json!({ "stdout": false, "stderr": false });
    let none = json!({});
    for (required, keep, missing) in [
        ("terminal-output", &off, true),
        ("test-execution-log", &off, true),
        ("terminal-output", &json!({ "stderr": false }), false),
        ("test-execution-log", &none, false),
        ("performance-metrics", &off, false),
        ("performance-metrics", &json!({ "duration": false }), true),
        ("error-logs", &off, false),
    ] {
        let workspace = requiring(&[required], keep, &[]);
        workspace.referee(&["run", "-q"]).exits(i32::from(missing));
        let report = workspace.report("T001");
        let named = report["completionCriteriaEvaluation"]["requiredEvidence"]["missing"].as_array().unwrap();
        assert_eq!(named.contains(&json!(required)), missing, "{required} {keep}");
        let reasons = report["executionSummary"]["reasons"].to_string();
        let said = format!("required evidence was not collected: {required}");
        assert_eq!(reasons.contains(&said), missing, "{reasons}");
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(i32::from(missing));
    }
    // It is named beside what else stands against a pass.
    let failing = json!({
        "actionId": "STEP.2", "type": "FILE_VALIDATION", "description": "It is there",
        "parameters": { "filePath": "nosuch.txt", "validationType": "EXISTS" },
    });
    let workspace = requiring(&["terminal-output"], &off, &[failing]);
    workspace.referee(&["run", "-q"]).exits(1);
    let reasons = workspace.report("T001")["executionSummary"]["reasons"].clone();
    assert_eq!(reasons.as_array().unwrap().len(), 2, "{reasons}");
    assert_eq!(reasons[1], "required evidence was not collected: terminal-output");
}

#[test]
fn what_does_not_block_is_allowed_by_policy_and_not_told_as_what_would_block() {
    let workspace = Workspace::with("checks: { lint: npx eslint . }\n").file("src/a.js", "");
    let script = "printf '\\n%s/src/a.js\\n  12:5  warning  Missing comment  jsdoc/require\\n  13:5  warning  Console  no-console\\n\\n\
        ✖ 2 problems (0 errors, 2 warnings)\\n' \"$PWD\"";
    executable(&workspace, "node_modules/.bin/eslint", script);
    let finished = workspace.referee(&["run"]).exits(0);
    assert!(!finished.stdout.contains("BLOCK_ON"), "{}", finished.stdout);
    let report = workspace.report("T001");
    let lint = action(&report, "STEP.1");
    assert_eq!(lint["classification"]["reason"], "2 eslint warnings (allowed by policy)");
    assert_eq!(lint["classification"]["policyApplied"]["strategy"], "BLOCK_ON_ERRORS_ONLY");
    assert_eq!(lint["debtGeneration"]["title"], "ESLint Warnings: 2 warnings across 1 file (non-blocking)");
    assert_eq!(report["completionCriteriaEvaluation"]["actualPassRate"], 100.0);
}

#[test]
fn related_failures_are_ids_of_other_actions() {
    let workspace = Workspace::with("checks:\n  a: 'false'\n  b: 'false'\n  c: { file: nosuch.txt }\n  d: 'true'\n");
    workspace.referee(&["run", "-q"]);
    let debt: Value =
        serde_json::from_slice(&fs::read(workspace.path("evidence/T001/technical-debt-data.json")).unwrap()).unwrap();
    let related = debt["debtItems"].as_array().unwrap().iter().map(|item| {
        let context = &item["errorDetails"]["contextualInformation"];
        (item["actionId"].as_str().unwrap().to_owned(), context["relatedFailures"].clone())
    });
    let related: std::collections::BTreeMap<_, _> = related.collect();
    assert_eq!(related.len(), 3, "{debt:#}");
    for (id, others) in related {
        let expected: Vec<&str> = ["STEP.1", "STEP.2", "STEP.3"].into_iter().filter(|other| *other != id).collect();
        assert_eq!(others, json!(expected), "{id}");
    }
}

#[test]
fn what_is_wrong_with_the_specification_is_told_once_at_the_end() {
    let document = json!({
        "schemaVersion": "2.0.0",
        "tasks": { "T001": {
            "title": "A task of this test",
            "testExecution": { "steps": [{
                "actionId": "STEP.1", "type": "HTTP_REQUEST", "description": "It answers",
                "parameters": { "url": "${NOPE}/x", "method": "GET" },
            }] },
            "validationCriteria": { "successConditions": [{ "condition": "STEP.1.success", "description": "so" }] },
        } },
    });
    let workspace = Workspace::new().file("referee.json", document.to_string());
    let told = workspace.referee(&["run"]).exits(3).told();
    let (_, end) = told.split_once("BLOCKED").unwrap();
    assert_eq!(end.matches("the variable `NOPE` is not declared").count(), 1, "{end}");
}
