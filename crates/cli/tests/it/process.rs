//! Ruling 9 and the control of processes, through the whole program: real children that behave and that do not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use referee_testkit::fake_tool;
use serde_json::{Value, json};

use crate::support::{Workspace, action, finish, processes_with};

/// A specification with one check that is `body`.
fn one_check(body: &Value) -> String {
    json!({ "checks": { "check": body } }).to_string()
}

/// A check that runs the fake tool.
fn fake(script: &[&str]) -> Value {
    let tool = fake_tool().to_str().unwrap().to_owned();
    let argv: Vec<&str> = std::iter::once(tool.as_str()).chain(script.iter().copied()).collect();
    json!({ "argv": argv, "timeout": "30s" })
}

fn with(mut check: Value, extra: &Value) -> Value {
    for (key, value) in extra.as_object().unwrap() {
        check[key] = value.clone();
    }
    check
}

/// Runs one check; returns the exit code and the check's result.
fn judged(body: &Value) -> (i32, Value, Workspace) {
    let workspace = Workspace::with(&one_check(body));
    let finished = workspace.referee(&["run"]);
    assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
    let report = workspace.report("T001");
    let result = action(&report, "STEP.1").clone();
    let execution = report["authenticity"]["executionId"].as_str().unwrap();
    assert!(processes_with(&format!("REFEREE_EXECUTION={execution}")).is_empty(), "nothing is left of {body}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(i32::from(finished.code != Some(0)));
    (finished.code.unwrap(), result, workspace)
}

const JEST_PASSED: &str = r"err=PASS a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n";
const JEST_FAILED: &str = r"err=FAIL a.test.js\n  \xe2\x97\x8f adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: 4\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\nSnapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n";
const JEST_NONE: &str = r"out=No tests found, exiting with code 0\n";
const TSC_ERROR: &str = r"out=src/a.ts(3,5): error TS2345: Not so.\n";
const ESLINT_WARNING: &str =
    r"out=\n/w/a.js\n  1:2  warning  Odd  no-odd\n\n\xe2\x9c\x96 1 problem (0 errors, 1 warning)\n\n";
const ESLINT_ERROR: &str =
    r"out=\n/w/a.js\n  1:2  error  Odd  no-odd\n\n\xe2\x9c\x96 1 problem (1 error, 0 warnings)\n\n";

/// Tool, script, further keys of the check; then outcome, whether it blocks, rule, exit code.
type Row = (&'static str, Vec<&'static str>, Value, &'static str, bool, &'static str, i32);

#[test]
fn each_row_of_the_outcome_table_holds_for_a_real_command() {
    let rows: Vec<Row> = vec![
        ("anything", vec!["exit=0"], json!({}), "SUCCESS", false, "command/exit-expected", 0),
        ("anything", vec!["exit=3"], json!({}), "EXECUTION_ERROR", true, "command/exit-unexpected", 6),
        (
            "anything",
            vec!["exit=3"],
            json!({"expectedExitCodes": [0, 3]}),
            "SUCCESS",
            false,
            "command/exit-expected",
            0,
        ),
        ("anything", vec![ESLINT_ERROR, "exit=0"], json!({}), "SUCCESS", false, "command/exit-expected", 0),
        ("anything", vec![JEST_FAILED, "exit=0"], json!({}), "SUCCESS", false, "command/exit-expected", 0),
        ("anything", vec!["die=6"], json!({}), "EXECUTION_ERROR", true, "execution/signaled", 6),
        ("anything", vec!["sleep=60000"], json!({"timeout": "200ms"}), "TIMEOUT", true, "timeout/deadline", 7),
        ("jest", vec![JEST_PASSED, "exit=0"], json!({}), "SUCCESS", false, "test/passed", 0),
        ("jest", vec![JEST_FAILED, "exit=1"], json!({}), "TEST_FAILURE", true, "test/failed", 1),
        ("jest", vec![JEST_FAILED, "exit=0"], json!({}), "TEST_FAILURE", true, "test/failed-exit-zero", 1),
        ("jest", vec![JEST_PASSED, "exit=1"], json!({}), "TEST_FAILURE", true, "test/runner-failed", 1),
        ("jest", vec![JEST_NONE, "exit=0"], json!({}), "TEST_FAILURE", true, "test/none-ran", 1),
        ("jest", vec![JEST_NONE, "exit=0"], json!({"allowNoTests": true}), "SUCCESS", false, "", 0),
        ("jest", vec!["err=boom\\n", "exit=1"], json!({}), "EXECUTION_ERROR", true, "test/no-summary", 6),
        ("jest", vec!["exit=0"], json!({}), "EXECUTION_ERROR", true, "test/ended-without-summary", 6),
        ("jest", vec!["exit=0"], json!({"exitCodeOnly": true}), "SUCCESS", false, "test/passed-by-exit-code", 0),
        (
            "jest",
            vec![JEST_FAILED, "exit=1"],
            json!({"expectedExitCodes": [1]}),
            "TEST_FAILURE",
            false,
            "test/failed-expected",
            0,
        ),
        (
            "jest",
            vec!["out=Tests:       5 passed, 5 total\\n", JEST_FAILED, "exit=0"],
            json!({}),
            "TEST_FAILURE",
            true,
            "test/failed-exit-zero",
            1,
        ),
        ("tsc", vec![TSC_ERROR, "exit=2"], json!({}), "VALIDATION_FAILURE", true, "validation/findings", 1),
        ("tsc", vec![TSC_ERROR, "exit=0"], json!({}), "VALIDATION_FAILURE", true, "validation/findings-exit-zero", 1),
        ("tsc", vec!["exit=0"], json!({}), "SUCCESS", false, "validation/clean", 0),
        ("tsc", vec!["err=segfault\\n", "exit=1"], json!({}), "EXECUTION_ERROR", true, "validation/nothing-read", 6),
        ("eslint", vec![ESLINT_WARNING, "exit=0"], json!({}), "VALIDATION_FAILURE", false, "", 0),
        ("eslint", vec![ESLINT_ERROR, "exit=1"], json!({}), "VALIDATION_FAILURE", true, "validation/findings", 1),
        (
            "eslint",
            vec!["err=Oops! Something went wrong!\\n", "exit=2"],
            json!({}),
            "EXECUTION_ERROR",
            true,
            "validation/nothing-read",
            6,
        ),
    ];
    for (tool, script, extra, outcome, blocking, rule, code) in rows {
        let (exit, result) = judged_as(tool, &script, &extra);
        let row = format!("{tool} {script:?} {extra}: {result:#}");
        assert_eq!(result["status"], outcome, "{row}");
        assert_eq!(result["blocking"], blocking, "{row}");
        assert_eq!(exit, code, "{row}");
        if !rule.is_empty() {
            assert_eq!(result["classification"]["rule"], rule, "{row}");
        }
        assert!(result["classification"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{row}");
    }
}

/// Runs the fake tool under another tool's name.
fn judged_as(tool: &str, script: &[&str], extra: &Value) -> (i32, Value) {
    let argv: Vec<String> =
        std::iter::once(format!("./bin/{tool}")).chain(script.iter().map(|word| (*word).to_owned())).collect();
    let check = with(json!({ "argv": argv, "timeout": "30s" }), extra);
    let workspace = Workspace::with(&one_check(&check));
    fs::create_dir(workspace.path("bin")).unwrap();
    fs::copy(fake_tool(), workspace.path(&format!("bin/{tool}"))).unwrap();
    let finished = workspace.referee(&["run"]);
    let result = action(&workspace.report("T001"), "STEP.1").clone();
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(i32::from(finished.code != Some(0)));
    (finished.code.unwrap(), result)
}

#[test]
fn what_cannot_be_started_is_an_execution_error_under_every_policy() {
    let workspace = Workspace::with("checks: {placeholder: 'true'}\npolicy: {}\n")
        .file("plain.txt", "no program\n")
        .file("odd.sh", "#!/nowhere/interpreter\n");
    fs::set_permissions(workspace.path("odd.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    for (argv, says) in
        [("missing-tool-4711", "missing-tool-4711"), ("./plain.txt", "plain.txt"), ("./odd.sh", "odd.sh")]
    {
        let document = json!({
            "checks": { "check": { "argv": [argv], "role": "lint" } },
            "policy": { "linting": "NEVER" },
        });
        workspace.write("referee.yaml", document.to_string());
        let finished = workspace.referee(&["run"]).exits(6);
        let result = action(&workspace.report("T001"), "STEP.1").clone();
        assert_eq!(result["status"], "EXECUTION_ERROR", "{argv}");
        assert_eq!(result["blocking"], true);
        assert!(finished.stdout.contains(says), "{argv}: {}", finished.stdout);
    }
    workspace.write(
        "referee.yaml",
        json!({ "checks": { "check": { "run": "true", "cwd": "no/such/folder" } } }).to_string(),
    );
    workspace.referee(&["run", "-q"]).exits(6);
}

#[test]
fn npx_never_installs() {
    let workspace = Workspace::new();
    for check in
        [json!("npx cowsay-that-is-not-here hello"), json!({ "argv": ["npx", "cowsay-that-is-not-here", "hello"] })]
    {
        workspace.write("referee.yaml", one_check(&check));
        workspace.referee(&["run", "-q"]).exits(6);
        assert!(!workspace.path("node_modules").exists());
    }
}

#[test]
fn children_that_resist_are_ended_and_their_output_is_kept() {
    let (exit, result, _) = judged(&with(
        fake(&["ignore-term", "out=before\\n", "sleep=600000"]),
        &json!({ "timeout": "300ms", "grace": "200ms" }),
    ));
    assert_eq!((exit, &result["status"]), (7, &json!("TIMEOUT")));
    assert_eq!(result["result"]["killed"], true);
    assert!(result["result"]["partialOutput"].as_str().unwrap().contains("before"), "{result:#}");

    let everything = fake(&[
        "child=:sleep=600000",
        "child=detached,closed:sleep=600000",
        "child=detached,cleared:sleep=600000",
        "ignore-term",
        "sleep=600000",
    ]);
    let (exit, _, _) = judged(&with(everything, &json!({ "timeout": "300ms", "grace": "200ms" })));
    assert_eq!(exit, 7);
}

#[test]
fn what_a_finished_command_leaves_behind_is_ended_and_told_and_changes_nothing() {
    for flags in ["", "detached", "closed", "detached,closed", "detached,cleared", "detached,closed,cleared"] {
        if cfg!(feature = "portable") && flags.contains("cleared") {
            continue; // Nothing finds it there (docs/design/portability.md).
        }
        let child = format!("child={flags}:sleep=600000");
        let (exit, result, _) = judged(&fake(&[&child, "out=done\\n"]));
        assert_eq!((exit, &result["status"]), (0, &json!("SUCCESS")), "{flags}: {result:#}");
        assert_eq!(result["result"]["leakedProcesses"].as_array().map(Vec::len), Some(1), "{flags}: {result:#}");
        assert!(result["notices"].to_string().contains("leaked-process"), "{flags}: {result:#}");
    }
}

#[test]
fn floods_of_both_streams_and_bytes_that_are_no_text_are_kept_whole() {
    let (exit, _, workspace) = judged(&fake(&["flood=both:20000000", "out=\\xff\\xfe\\x00end\\n"]));
    assert_eq!(exit, 0);
    let evidence = workspace.evidence("T001");
    let log = &evidence["STEP.1-check.log"];
    assert_eq!(log.len(), 40_000_000 + 7);
    assert!(log.windows(7).any(|bytes| bytes == b"\xff\xfe\x00end\n"));
}

#[test]
fn a_flood_costs_no_memory() {
    let workspace = Workspace::with(&one_check(&with(fake(&["flood=out:150000000"]), &json!({ "timeout": "5m" }))));
    let mut child = workspace.command(&["run", "-q"]).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let high_water =
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(high_water.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    finish(child).exits(0);
    assert!(peak > 0 && peak < 64 * 1024, "peak memory {peak} KiB");
}

#[test]
fn standard_input_is_empty() {
    let (exit, result, _) = judged(&fake(&["stdin"]));
    assert_eq!(exit, 0);
    assert!(result["result"]["stdout"].as_str().unwrap().contains("stdin: 0 bytes"), "{result:#}");
}

#[test]
fn variables_that_inject_code_are_dropped_and_a_failure_that_names_one_says_how_to_pass_it() {
    let workspace = Workspace::with("checks: {check: 'env; echo \"MY_SERVICE_URL is not set\" >&2; exit 1'}\n");
    let injected = [
        ("NODE_OPTIONS", "--require=evil"),
        ("LD_PRELOAD_X", "x"),
        ("PYTEST_ADDOPTS", "-k nothing"),
        ("RUSTC_WRAPPER", "evil"),
        ("MY_SERVICE_URL", "http://x"),
        ("HTTPS_PROXY", "http://proxy:1"),
    ];
    let finished = finish(workspace.command(&["run"]).envs(injected).spawn().unwrap()).exits(6);
    let log = String::from_utf8(workspace.evidence("T001")["STEP.1-check.log"].clone()).unwrap();
    for dropped in ["NODE_OPTIONS", "PYTEST_ADDOPTS", "RUSTC_WRAPPER", "LD_PRELOAD"] {
        assert!(!log.contains(dropped), "{dropped}: {log}");
    }
    assert!(log.contains("HTTPS_PROXY=http://proxy:1"));
    assert!(finished.stdout.contains("MY_SERVICE_URL") && finished.stdout.contains("env"), "{}", finished.stdout);
    let record: Value = serde_json::from_slice(&workspace.evidence("T001")["STEP.1-check.json"]).unwrap();
    let executables = record["executables"].as_array().unwrap();
    assert!(
        executables
            .iter()
            .all(|program| program["path"].as_str().unwrap().starts_with('/') && program["sha256"].is_string()),
        "{record:#}"
    );
    assert!(!executables.is_empty());
}

#[test]
fn a_relative_path_entry_is_never_searched() {
    let workspace = Workspace::with("checks: {check: {argv: [trojan]}}\n");
    fs::copy(fake_tool(), workspace.path("trojan")).unwrap();
    let child = workspace
        .command(&["run", "-q"])
        .env("PATH", format!(".::{}", std::env::var("PATH").unwrap()))
        .spawn()
        .unwrap();
    finish(child).exits(6);
}

#[test]
fn a_failing_pipe_fails_and_a_laundered_exit_code_does_not_hide_what_a_reader_sees() {
    let (exit, ..) = judged(&json!("false | cat"));
    assert_eq!(exit, 6);
    let (exit, ..) = judged(&json!({ "run": "false | cat", "pipefail": false }));
    assert_eq!(exit, 0);
}

#[test]
fn a_failed_prerequisite_skips_the_checks_and_cleanup_still_runs() {
    let workspace = Workspace::with(
        "prerequisites: {setup: exit 1}\nchecks: {a: 'true', b: 'true'}\ncleanup: {sweep: touch swept}\n",
    );
    workspace.referee(&["run"]).exits(5);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "PREREQ.1")["status"], "PREREQUISITE_FAILURE");
    assert_eq!(action(&report, "PREREQ.1")["classification"]["cause"], "EXECUTION_ERROR");
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
    assert_eq!(report["executionSummary"]["overallStatus"], "FAILURE");
    assert_eq!(report["skippedActions"].as_array().unwrap().len(), 2);
    assert!(workspace.path("swept").exists());
}

#[test]
fn needs_and_continue_on_failure_decide_what_is_skipped() {
    let workspace = Workspace::with("checks:\n  a: exit 1\n  b: { run: 'true', needs: a }\n  c: 'true'\n");
    workspace.referee(&["run", "-q"]).exits(6);
    let report = workspace.report("T001");
    assert_eq!(report["skippedActions"][0]["actionId"], "STEP.2");
    assert_eq!(action(&report, "STEP.3")["status"], "SUCCESS");
    workspace.write("referee.yaml", "continueOnFailure: false\nchecks: {a: exit 1, b: 'true'}\n");
    workspace.referee(&["run", "-q"]).exits(6);
    assert_eq!(workspace.report("T001")["skippedActions"][0]["actionId"], "STEP.2");
}

#[test]
fn the_task_deadline_stops_what_runs_and_skips_the_rest() {
    let workspace =
        Workspace::with("timeout: 400ms\nchecks: {a: 'true', b: sleep 60, c: 'true'}\ncleanup: {sweep: touch swept}\n");
    workspace.referee(&["run", "-q"]).exits(7);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.2")["status"], "TIMEOUT");
    assert_eq!(report["skippedActions"][0]["actionId"], "STEP.3");
    assert!(workspace.path("swept").exists());
}

#[test]
fn file_checks_see_what_is_there() {
    let rows = [
        (json!({ "file": "a.txt" }), "SUCCESS"),
        (json!({ "file": "a.txt", "minSize": 6, "contains": "hello", "matches": "^hel+o$" }), "SUCCESS"),
        (json!({ "file": "a.txt", "minSize": 7 }), "VALIDATION_FAILURE"),
        (json!({ "file": "a.txt", "maxSize": 5 }), "VALIDATION_FAILURE"),
        (json!({ "file": "a.txt", "contains": "bye" }), "VALIDATION_FAILURE"),
        (json!({ "file": "a.txt", "matches": "^x" }), "VALIDATION_FAILURE"),
        (
            json!({ "file": "a.txt", "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" }),
            "SUCCESS",
        ),
        (json!({ "file": "a.txt", "sha256": "0".repeat(64) }), "VALIDATION_FAILURE"),
        (json!({ "file": "missing.txt" }), "VALIDATION_FAILURE"),
        (json!({ "file": "missing.txt", "absent": true }), "SUCCESS"),
        (json!({ "file": "a.txt", "absent": true }), "VALIDATION_FAILURE"),
        (json!({ "file": "leads-out" }), "VALIDATION_FAILURE"),
    ];
    for (check, outcome) in rows {
        let workspace = Workspace::with(&one_check(&check)).file("a.txt", "hello\n");
        std::os::unix::fs::symlink("/etc/passwd", workspace.path("leads-out")).unwrap();
        workspace.referee(&["run", "-q"]);
        assert_eq!(action(&workspace.report("T001"), "STEP.1")["status"], outcome, "{check}");
    }
}

#[test]
fn commands_run_as_in_ci_unless_the_specification_says_otherwise() {
    let specification = concat!(
        "services:\n  web: { run: 'echo $CI > service; sleep 600' }\n",
        "checks:\n  given: 'test \"$CI\" = \"$(cat expected)\"'\n",
        "  none: { run: 'test -z \"${CI+set}\"', env: { CI: \"\" } }\n",
        "  own: { run: 'test \"$CI\" = 1', env: { CI: \"1\" } }\n",
        "outputs: [service]\n",
    );
    for (outer, expected) in [(None, "true"), (Some(""), "true"), (Some("woodpecker"), "woodpecker")] {
        let workspace = Workspace::with(specification).file("expected", expected);
        let mut command = workspace.command(&["run"]);
        command.envs(outer.map(|outer| ("CI", outer)));
        finish(command.spawn().unwrap()).exits(0);
        assert_eq!(fs::read_to_string(workspace.path("service")).unwrap().trim(), expected);
    }
}

#[test]
fn a_command_that_waits_is_told_from_one_that_is_slow() {
    let (code, waits, _) = judged(&json!({ "run": "sleep 600", "timeout": "4s" }));
    let reason = waits["classification"]["reason"].as_str().unwrap();
    assert!(code == 7 && reason.contains("used no processor: it waits for something"), "{reason}");
    let (code, works, _) = judged(&json!({ "run": "while :; do :; done", "timeout": "4s" }));
    let reason = works["classification"]["reason"].as_str().unwrap();
    assert!(code == 7 && !reason.contains("waits for something"), "{reason}");
}
