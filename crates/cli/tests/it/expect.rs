//! What `expect` asks for, in each of its forms (ruling 12; docs/specification.md, "What is expected").

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Workspace, action};

/// A runner that passes `adds`, fails `subtracts` and skips `divides`; without an argument the second passes, too.
const JEST: &str = "#!/bin/sh\n\
    if [ \"$1\" = red ]; then mark='✕'; counts='1 failed, 1 skipped, 1 passed, 3 total'; code=1; first=FAIL\n\
    else mark='✓'; counts='1 skipped, 2 passed, 3 total'; code=0; first=PASS; fi\n\
    printf '%s ./a.test.js\\n  ✓ adds (1 ms)\\n  %s subtracts (1 ms)\\n  ○ skipped divides\\n\\n' \"$first\" \"$mark\" >&2\n\
    printf 'Test Suites: 1 total\\nTests:       %s\\nSnapshots:   0 total\\nTime:        0.3 s\\n' \"$counts\" >&2\n\
    exit $code\n";

fn workspace(specification: &str) -> Workspace {
    let workspace = Workspace::with(specification)
        .file("node_modules/.bin/jest", JEST)
        .file("node_modules/.bin/prettier", "#!/bin/sh\necho '[warn] a.js'\necho '[warn] Code style issues found in the above file. Run Prettier with --write to fix.'\nexit 1\n");
    for tool in ["jest", "prettier"] {
        let path = workspace.path(&format!("node_modules/.bin/{tool}"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    workspace
}

/// How a check comes out: its status, whether it blocks, and the decision.
fn came_out(check: &str, rest: &str) -> (String, bool, String) {
    let workspace = workspace(&format!("{rest}checks:\n  a: {check}\n"));
    workspace.referee(&["run", "-q"]);
    let report = workspace.report("T001");
    let step = action(&report, "STEP.1");
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    (text(&step["status"]), step["blocking"].as_bool().unwrap(), text(&report["executionSummary"]["decision"]))
}

#[test]
fn each_form_asks_for_what_the_manual_says() {
    let red = "npx jest red";
    let green = "npx jest";
    let tests =
        |run: &str, key: &str, name: &str| format!("{{ run: {run}, expect: {{ tests: {{ {key}: [{name}] }} }} }}");
    let outcome = |run: &str, word: &str| format!("{{ run: {run}, expect: {{ outcome: {word} }} }}");
    let phase = "tddPhase: RED\n";
    for (check, rest, status, blocking, decision) in [
        // The outcome that is expected does not block; another does, and success too.
        (outcome(red, "TEST_FAILURE"), "", "TEST_FAILURE", false, "PASS"),
        (outcome(green, "TEST_FAILURE"), "", "TEST_FAILURE", true, "FAIL"),
        (outcome(red, "TIMEOUT"), "", "TEST_FAILURE", true, "FAIL"),
        (outcome("'false'", "EXECUTION_ERROR"), "", "EXECUTION_ERROR", false, "PASS"),
        (outcome("nosuchprogram", "EXECUTION_ERROR"), "", "EXECUTION_ERROR", true, "FAIL"),
        (outcome("npx prettier --check .", "VALIDATION_FAILURE"), "", "VALIDATION_FAILURE", false, "PASS"),
        // Success by word lets no policy excuse a failure.
        ("npx prettier --check .".to_owned(), "", "VALIDATION_FAILURE", false, "PASS"),
        (outcome("npx prettier --check .", "SUCCESS"), "", "VALIDATION_FAILURE", true, "FAIL"),
        (outcome(green, "SUCCESS"), "", "SUCCESS", false, "PASS"),
        // Both lists name tests that must run and pass.
        (tests(green, "failToPass", "subtracts"), "", "SUCCESS", false, "PASS"),
        (tests(green, "passToPass", "adds"), "", "SUCCESS", false, "PASS"),
        (tests(green, "failToPass", "multiplies"), "", "TEST_FAILURE", true, "FAIL"),
        (tests(green, "passToPass", "divides"), "", "TEST_FAILURE", true, "FAIL"),
        (tests(red, "failToPass", "subtracts"), "", "TEST_FAILURE", true, "FAIL"),
        (tests("'true'", "passToPass", "adds"), "", "TEST_FAILURE", true, "FAIL"),
        // In a red phase those of `failToPass` must still fail, and the others pass.
        (tests(red, "failToPass", "subtracts"), phase, "TEST_FAILURE", false, "PASS"),
        (tests(red, "passToPass", "adds"), phase, "TEST_FAILURE", false, "PASS"),
        (tests(red, "failToPass", "adds"), phase, "TEST_FAILURE", true, "FAIL"),
        (tests(green, "failToPass", "subtracts"), phase, "TEST_FAILURE", true, "FAIL"),
    ] {
        let found = came_out(&check, rest);
        assert_eq!(found, (status.to_owned(), blocking, decision.to_owned()), "{rest}{check}");
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    for (key, text, instead) in [
        ("tasks", "tasks: { T002: {} }\nchecks: { a: 'true' }\n", "the full form"),
        ("jobs", "jobs: 4\nchecks: { a: 'true' }\n", "`--jobs`"),
        ("expect", "expect: {}\nchecks: { a: 'true' }\n", "in each check"),
        ("retries", "retries: 2\nchecks: { a: 'true' }\n", "in each check"),
        ("flaky", "checks: { a: { run: 'true', flaky: fail } }\n", "at the top"),
    ] {
        let finished = Workspace::with(text).referee(&["check"]).exits(3);
        assert!(finished.stdout.contains(&format!("`{key}` is not supported by this version")), "{key}: {finished:?}");
        assert!(finished.stdout.contains(instead), "{key}: {finished:?}");
    }
    for text in [
        "setup: 'true'\nprotect: { review: [a.txt] }\noutputs: [dist]\nlimits: { processes: 100 }\nchecks: { a: 'true' }\n",
        "flaky: fail\nparallel: true\nchecks: { a: { run: 'true', retries: 2 } }\n",
    ] {
        Workspace::with(text).referee(&["check"]).exits(0);
    }
}

#[test]
fn what_can_never_be_is_refused_with_one_complaint() {
    for (check, code) in [
        ("{ file: x, expect: { outcome: TEST_FAILURE } }", "contradiction"),
        ("{ file: x, expect: { outcome: EXECUTION_ERROR } }", "contradiction"),
        ("{ http: 'http://localhost', expect: { outcome: VALIDATION_FAILURE } }", "contradiction"),
        ("{ file: x, expect: { tests: { failToPass: [x] } } }", "contradiction"),
        ("{ run: 'true', role: other, expect: { tests: { failToPass: [x] } } }", "contradiction"),
        ("{ run: 'true', role: lint, expect: { tests: { passToPass: [x] } } }", "contradiction"),
        ("{ run: 'true', expect: success }", "wrong-type"),
        ("{ run: 'true', expect: { tests: { failToPass: [] } } }", "too-few"),
        ("{ run: 'true', expect: { outcome: NOPE } }", "unknown-word"),
        ("{ run: 'true', expect: { tests: {} } }", "vacuous"),
        ("{ run: 'true', expect: {} }", "vacuous"),
    ] {
        let finished = Workspace::with(&format!("checks:\n  a: {check}\n")).referee(&["check", "--format", "json"]);
        let document = finished.exits(3).json();
        let codes: Vec<_> =
            document["complaints"].as_array().unwrap().iter().map(|each| each["code"].clone()).collect();
        assert_eq!(codes, [code], "{check}");
    }
    for check in [
        "{ file: x, expect: { outcome: VALIDATION_FAILURE } }",
        "{ http: 'http://localhost', expect: { outcome: EXECUTION_ERROR } }",
        "{ run: npx jest, expect: { outcome: TIMEOUT, tests: { passToPass: [x] } } }",
        "{ run: 'true', role: test, expect: { tests: { failToPass: [x] } } }",
        "{ run: make check, expect: { tests: { failToPass: [x] } } }",
    ] {
        Workspace::with(&format!("checks:\n  a: {check}\n")).referee(&["check"]).exits(0);
    }
}

#[test]
fn evidence_that_no_check_gives_cannot_be_required() {
    let short =
        |check: &str, kind: &str| format!("checks:\n  a: {check}\ncompletion: {{ requiredEvidence: [{kind}] }}\n");
    for (check, kind, code) in [
        ("{ run: 'true', evidence: { stdout: false, stderr: false } }", "terminal-output", 3),
        ("{ run: 'true', evidence: { stdout: false } }", "terminal-output", 0),
        ("{ http: 'http://localhost', evidence: { body: false } }", "api-responses", 3),
        ("{ http: 'http://localhost' }", "api-responses", 0),
    ] {
        Workspace::with(&short(check, kind)).referee(&["check"]).exits(code);
    }
    let full = |capture: &str, kind: &str| {
        format!(
            r#"{{ "schemaVersion": "2.0.0", "tasks": {{ "T001": {{
                "title": "One",
                "testExecution": {{ "steps": [{{
                    "actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "It works",
                    "parameters": {{ "command": "true", "workingDirectory": "." }}, "evidenceCapture": {{ {capture} }} }}] }},
                "validationCriteria": {{ "successConditions": [{{ "condition": "STEP.1.exitCode === 0", "description": "so" }}] }},
                "completionCriteria": {{ "requiredEvidence": ["{kind}"] }} }} }} }}"#
        )
    };
    let nothing = r#""stdout": false, "stderr": false"#;
    for (capture, kind, code) in [
        // What the format turns off is found missing by the run.
        (nothing, "terminal-output", 0),
        (r#""duration": false"#, "performance-metrics", 0),
        ("", "terminal-output", 0),
        ("", "api-responses", 3),
    ] {
        let workspace = Workspace::new().file("referee.json", full(capture, kind));
        let finished = workspace.referee(&["check"]).exits(code);
        assert_eq!(finished.stdout.contains("uncollectable-evidence"), code == 3, "{capture} {kind}: {finished:?}");
    }
}
