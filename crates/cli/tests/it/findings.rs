//! What a report says of findings, runners and servers, as tools printed it and as it was observed (seed 1).

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::support::{Workspace, action};

/// A project whose tool prints what lies in a file.
fn printing(tool: &str, check: &str, printed: &str, code: i32) -> Workspace {
    let workspace = Workspace::with(&format!("checks:\n  look: {check}\n"))
        .file("printed.out", printed)
        .file(&format!("node_modules/.bin/{tool}"), format!("#!/bin/sh\ncat printed.out\nexit {code}\n"));
    executable(&workspace, &format!("node_modules/.bin/{tool}"));
    workspace
}

fn executable(workspace: &Workspace, path: &str) {
    fs::set_permissions(workspace.path(path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// The result of the only step, whose evidence verifies.
#[track_caller]
fn result(workspace: &Workspace, code: i32) -> Value {
    workspace.referee(&["run", "-q"]).exits(code);
    workspace.referee(&["evidence", "verify", "--replay", "evidence/T001"]).exits(i32::from(code != 0));
    action(&workspace.report("T001"), "STEP.1")["result"].clone()
}

#[test]
fn findings_of_eslint_have_rule_length_category_and_fix_and_stand_by_file() {
    let printed = r#"[{"filePath": "/w/src/a.js", "messages": [
            {"ruleId": "prefer-const", "severity": 2, "message": "'x' is never reassigned. Use 'const' instead.",
             "line": 3, "column": 5, "endLine": 3, "endColumn": 6, "fix": {"range": [30, 33], "text": "const"}},
            {"ruleId": "no-console", "severity": 1, "message": "Unexpected console statement.", "line": 4, "column": 1}
         ], "errorCount": 1, "warningCount": 1, "fixableErrorCount": 1, "fixableWarningCount": 0},
        {"filePath": "/w/src/b.js", "messages": [
            {"ruleId": null, "severity": 2, "message": "Parsing error: Unexpected token", "line": 1, "column": 9}
         ], "errorCount": 1, "warningCount": 0}]"#;
    let workspace = printing("eslint", "npx eslint . --format json", printed, 1);
    let result = result(&workspace, 1);
    let found = &result["diagnostics"][0];
    let fix = json!({
        "suggestion": null, "automated": true, "edits": [{"range": [30, 33], "text": "const"}]
    });
    assert_eq!(
        (&found["ruleId"], &found["category"], &found["length"]),
        (&json!("prefer-const"), &json!("Error"), &json!(1))
    );
    assert_eq!(found["fix"], fix);
    let second = &result["diagnostics"][1];
    assert_eq!((&second["category"], second.get("fix"), second.get("length")), (&json!("Warning"), None, None));
    let files = result["eslintResults"].as_array().unwrap();
    let counts =
        |file: &Value| json!([file["filePath"], file["errorCount"], file["warningCount"], file["fixableCount"]]);
    assert_eq!(counts(&files[0]), json!(["/w/src/a.js", 1, 1, 1]));
    assert_eq!(counts(&files[1]), json!(["/w/src/b.js", 1, 0, 0]));
    let message = &files[0]["messages"][0];
    assert_eq!((&message["severity"], &message["ruleId"]), (&json!(2), &json!("prefer-const")));
    assert_eq!(message["fix"], json!({"range": [30, 33], "text": "const"}));
}

#[test]
fn fixes_of_ruff_clippy_and_sarif_are_kept_whole() {
    let ruff = json!([{
        "cell": null, "code": "F401", "filename": "/w/app.py", "message": "`os` imported but unused", "noqa_row": 1,
        "location": {"row": 1, "column": 8}, "end_location": {"row": 1, "column": 10}, "url": null,
        "fix": {"applicability": "safe", "message": "Remove unused import: `os`", "edits": [
            {"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}]},
    }]);
    let workspace = printing("ruff", "npx ruff check --output-format json", &ruff.to_string(), 1);
    let found = result(&workspace, 1)["diagnostics"][0].clone();
    assert_eq!(found["length"], 2);
    assert_eq!(
        found["fix"],
        json!({"suggestion": "Remove unused import: `os`", "automated": true,
            "edits": [{"line": 1, "column": 1, "endLine": 2, "endColumn": 1, "text": ""}]})
    );

    let span = |more: Value| {
        let mut span = json!({"file_name": "src/main.rs", "byte_start": 1, "byte_end": 2, "line_start": 2, "line_end": 2,
            "column_start": 5, "column_end": 9, "is_primary": true, "text": [], "suggested_replacement": null,
            "suggestion_applicability": null, "expansion": null});
        span.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        span
    };
    let message = json!({"reason": "compiler-message", "message": {
        "message": "redundant clone", "level": "warning", "code": {"code": "clippy::redundant_clone"},
        "rendered": "warning: redundant clone", "spans": [span(json!({}))],
        "children": [{"message": "remove this", "level": "help", "code": null, "rendered": null, "children": [],
            "spans": [span(json!({"suggested_replacement": "", "suggestion_applicability": "MachineApplicable"}))]}]}});
    let workspace = printing(
        "cargo",
        "{ argv: [node_modules/.bin/cargo, clippy, --message-format, json], role: lint }",
        &format!("{message}\n{}\n", json!({"reason": "build-finished", "success": true})),
        0,
    );
    let found = result(&workspace, 0)["diagnostics"][0].clone();
    let edit = json!({"file": "src/main.rs", "line": 2, "column": 5, "endLine": 2, "endColumn": 9, "text": ""});
    assert_eq!((&found["fix"]["edits"][0], &found["fix"]["automated"]), (&edit, &json!(true)), "{found:#}");

    let sarif = json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "X"}}, "results": [{
        "ruleId": "R1", "level": "error", "message": {"text": "no"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.c"}, "region": {"startLine": 3, "startColumn": 2, "endColumn": 6}}}],
        "fixes": [{"description": {"text": "Use b"}, "artifactChanges": [{"artifactLocation": {"uri": "a.c"}, "replacements": [
            {"deletedRegion": {"startLine": 3, "startColumn": 2, "endColumn": 6}, "insertedContent": {"text": "b"}}]}]}]}]}]});
    let workspace = printing("scan", "{ argv: [node_modules/.bin/scan], role: lint }", &sarif.to_string(), 1);
    let found = result(&workspace, 1)["diagnostics"][0].clone();
    assert_eq!((&found["length"], &found["fix"]["suggestion"]), (&json!(4), &json!("Use b")));
    assert_eq!(found["fix"]["edits"], json!([{"line": 3, "column": 2, "endLine": 3, "endColumn": 6, "text": "b"}]));
}

#[test]
fn results_of_tests_name_the_version_of_their_runner_as_its_package_says() {
    let printed = "PASS tests/a.test.js\n  ✓ adds (1 ms)\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n\
                   Snapshots:   0 total\nTime:        0.5 s\n";
    let workspace = Workspace::with("checks:\n  unit: npx jest\n")
        .file("node_modules/jest/package.json", r#"{"name": "jest", "version": "30.1.3"}"#)
        .file("node_modules/jest/bin/jest.js", format!("#!/bin/sh\ncat <<'END'\n{printed}END\n"));
    executable(&workspace, "node_modules/jest/bin/jest.js");
    fs::create_dir(workspace.path("node_modules/.bin")).unwrap();
    symlink("../jest/bin/jest.js", workspace.path("node_modules/.bin/jest")).unwrap();
    workspace.referee(&["run", "-q"]).exits(0);
    let authenticity = |workspace: &Workspace| -> Value {
        let results: Value = serde_json::from_slice(&workspace.evidence("T001")["STEP.1-test-results.json"]).unwrap();
        results["authenticity"].clone()
    };
    assert_eq!(authenticity(&workspace)["jestVersion"], "30.1.3");
    assert_eq!(authenticity(&workspace)["runnerVersion"], "30.1.3");
    workspace.referee(&["evidence", "verify", "--replay", "evidence/T001"]).exits(0);
    workspace.write("node_modules/jest/package.json", "{\"version\": 30}");
    workspace.referee(&["run", "-q"]).exits(0);
    assert_eq!(authenticity(&workspace)["runnerVersion"], Value::Null);
}

/// Answers its health URL, and hangs up on any other.
const SERVER: &str = "import socket, sys\n\
    listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n\
    while True:\n    \
        peer, _ = listener.accept()\n    \
        asked = peer.recv(4096)\n    \
        if b'/health' in asked:\n        \
            peer.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n')\n    \
        peer.close()\n";

#[test]
fn a_request_without_an_answer_says_whether_the_server_is_well_and_what_its_name_stands_for() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let specification = format!(
        "checks:\n  list: {{ http: 'http://localhost:{port}/api/quotes', status: 200 }}\n\
         services:\n  web: {{ run: python3 server.py {port}, ready: 'http://127.0.0.1:{port}/health', timeout: 30s }}\n"
    );
    let workspace = Workspace::with(&specification).file("server.py", SERVER);
    let looked = result(&workspace, 6)["diagnostics"].clone();
    let health = &looked["serverHealthCheck"];
    assert_eq!((&health["attempted"], &health["result"]), (&json!(true), &json!("HTTP 200")), "{looked:#}");
    assert_eq!(health["url"], format!("http://127.0.0.1:{port}/health"));
    let addresses = looked["addresses"].as_array().unwrap();
    assert!(addresses.contains(&json!("127.0.0.1")) && looked["dnsResolution"] == addresses[0], "{looked:#}");
}

#[test]
fn a_request_to_nobody_says_that_the_name_stands_for_nothing_or_that_nobody_looks_after_it() {
    let workspace = Workspace::with("checks:\n  list: { http: 'http://127.0.0.1:1/api', status: 200 }\n");
    let looked = result(&workspace, 6)["diagnostics"].clone();
    assert_eq!(
        (&looked["dnsResolution"], &looked["serverHealthCheck"]["attempted"]),
        (&json!("127.0.0.1"), &json!(false))
    );
    let record: Value = serde_json::from_slice(&workspace.evidence("T001")["STEP.1-list.json"]).unwrap();
    let seen = &record["diagnostics"];
    assert_eq!(
        (&seen["dnsResolution"], &seen["host"], &seen["serverHealthCheck"]),
        (&json!("127.0.0.1"), &json!("127.0.0.1"), &Value::Null)
    );
}

#[test]
fn severities_that_are_called_critical_block_in_both_forms() {
    let printed = "\n/w/src/a.js\n  4:1  warning  Unexpected console statement  no-console\n\n✖ 1 problem (0 errors, 1 warning)\n";
    let short = |policy: &str| format!("checks:\n  look: npx eslint .\n{policy}");
    let workspace = printing("eslint", "npx eslint .", printed, 0);
    assert_eq!(workspace.referee(&["run", "-q"]).exits(0).code, Some(0));
    workspace.write("referee.yaml", short("policy: { criticalSeverities: [error, warning] }\n"));
    workspace.referee(&["run", "-q"]).exits(1);
    workspace.referee(&["evidence", "verify", "--replay", "evidence/T001"]).exits(1);
    let report = workspace.report("T001");
    let applied = &action(&report, "STEP.1")["classification"]["policyApplied"];
    assert_eq!(
        (&applied["blocking"], &applied["decidedBy"]),
        (&json!(true), &json!("criticalSeverities")),
        "{applied:#}"
    );
    assert_eq!(report["diagnosticsLog"][0]["blocking"], true);
    for wrong in ["[warning]", "[]", "[fatal]", "error"] {
        workspace.write("referee.yaml", short(&format!("policy: {{ criticalSeverities: {wrong} }}\n")));
        let refused = workspace.referee(&["check"]).exits(3).told();
        assert!(refused.contains("criticalSeverities"), "{wrong}: {refused}");
    }
    let full = json!({
        "schemaVersion": "2.0.0",
        "globalConfiguration": {"validationPolicy": {"criticalSeverities": ["error", "warning"]}},
        "tasks": {"T001": {
            "taskId": "T001", "title": "look", "description": "A linter whose warnings are called critical by the policy.",
            "validationCriteria": {"successConditions": [{"condition": "STEP.1.success === true", "description": "it works"}]},
            "completionCriteria": {"allStepsMustPass": true},
            "testExecution": {"steps": [{"actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "look at the code",
                "parameters": {"command": "npx eslint .", "workingDirectory": "."}}]},
        }},
    });
    fs::remove_file(workspace.path("referee.yaml")).unwrap();
    workspace.write("t001.json", full.to_string());
    workspace.referee(&["run", "-q", "t001.json"]).exits(1);
    workspace.referee(&["plan", "t001.json"]).exits(0);
}
