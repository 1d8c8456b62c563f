//! `referee error`: failures as structured errors.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Workspace, finish};

fn crashed() -> Value {
    json!({
        "success": false, "exitCode": 1, "stdout": "Starting...", "stderr": "Segmentation fault", "durationMs": 5000,
        "structuredOutput": null, "sessionId": "s-1", "tokensUsed": { "input": 10, "output": 2, "total": 12 },
        "of_tomorrow": true,
    })
}

fn workspace() -> Workspace {
    Workspace::new().file("runs/agent-1.json", crashed().to_string())
}

fn classified(workspace: &Workspace, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["error", "classify", "--format", "json"].iter().chain(arguments).copied().collect();
    workspace.referee(&arguments).exits(0).json()
}

#[test]
fn a_result_of_an_agent_becomes_a_structured_error() {
    let workspace = workspace();
    let error = classified(&workspace, &["--agent-result", "runs/agent-1.json"]);
    assert_eq!((&error["type"], &error["phase"]), (&json!("agent_crash"), &json!("build")));
    assert_eq!(error["message"], "Agent process crashed unexpectedly with exit code 1");
    assert_eq!((&error["exitCode"], &error["agentResultFile"]), (&json!(1), &json!("agent-1.json")));
    assert_eq!(error["context"]["tokensUsed"]["total"], 12);
    assert_eq!((&error["stdoutTail"], &error["stderrTail"]), (&json!("Starting..."), &json!("Segmentation fault")));
    assert!(error["failedAt"].as_str().unwrap().ends_with('Z'));
    let human = workspace.referee(&["error", "classify", "--agent-result", "runs/agent-1.json"]).exits(0).stdout;
    assert!(human.contains("Agent crash") && human.contains("Segmentation fault"), "{human}");
}

#[test]
fn what_the_runner_knows_and_the_number_of_lines_and_the_name_can_be_said() {
    let workspace = workspace();
    let of = |more: &[&str]| {
        let arguments: Vec<&str> = ["--agent-result", "runs/agent-1.json"].iter().chain(more).copied().collect();
        classified(&workspace, &arguments)
    };
    assert_eq!(of(&["--runner", "deadline"])["type"], "agent_timeout");
    assert_eq!(of(&["--runner", "memory"])["type"], "system_error");
    let signaled = of(&["--runner", "signal", "9"]);
    assert_eq!(signaled["message"], "Agent process crashed unexpectedly by SIGKILL");
    assert_eq!(of(&["--tail-lines", "0"])["stderrTail"], "");
    assert_eq!(of(&["--file-name", "kept/agent-7.json"])["agentResultFile"], "agent-7.json");
}

#[test]
fn a_verification_report_is_read_from_standard_input_in_either_shape() {
    let check = json!({ "name": "typecheck", "passed": false, "output": "src/a.ts(1,2): error TS2304: No." });
    let level = json!({ "level": "L0", "passed": false, "checks": [check] });
    let map = json!({
        "overall": { "passed": false, "summary": "" }, "levels": { "L0": level, "L1": null }, "duration": 5,
        "completedAt": "2026-01-02T15:35:30.000Z",
    });
    let results =
        json!({ "passed": false, "l0Result": level, "total_duration": 5, "created_at": "2026-01-02T15:35:30Z" });
    let workspace = Workspace::new();
    for report in [map, results] {
        let arguments = ["error", "classify", "--verification-report", "-", "--format", "json"];
        let mut child = workspace.command(&arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(report.to_string().as_bytes()).unwrap();
        let error = finish(child).exits(0).json();
        assert_eq!(error["message"], "TypeScript compilation failed (1 errors in 1 files)");
        assert_eq!(
            (&error["failedAt"], &error["verificationFile"]),
            (&json!("2026-01-02T15:35:30.000Z"), &Value::Null)
        );
    }
}

#[test]
fn a_report_of_ours_is_told_as_it_states_itself() {
    let workspace = Workspace::with("checks:\n  broken: { run: \"echo why >&2; exit 3\" }\n");
    workspace.referee(&["run"]).exits(6);
    let report = "evidence/T001/execution-report.json";
    let stated = &workspace.report("T001")["buildError"];
    assert_eq!(&classified(&workspace, &["--report", report]), stated);
    assert_eq!(classified(&workspace, &["--report", report, "--tail-lines", "0"])["stderrTail"], "");
    // A report that somebody has made to look like another failure is none of ours.
    let text = std::fs::read_to_string(workspace.path(report)).unwrap();
    workspace.write("changed.json", text.replace("system_error", "lint_failed"));
    let refused = workspace.referee(&["error", "classify", "--report", "changed.json"]).exits(2);
    assert!(refused.stderr.contains("its own hash"), "{}", refused.stderr);

    let passing = Workspace::with("checks:\n  fine: \"true\"\n");
    passing.referee(&["run"]).exits(0);
    assert_eq!(classified(&passing, &["--report", report]), Value::Null);
    let human = passing.referee(&["error", "classify", "--report", report]).exits(0).stdout;
    assert!(human.contains("no error: the run passed"), "{human}");
}

#[test]
fn junk_is_refused_with_what_is_wrong_and_where_and_never_classified() {
    let workspace = workspace();
    for (option, content, part) in [
        ("--agent-result", "", "EOF"),
        ("--agent-result", "{\"success\": fal", "line 1 column"),
        ("--agent-result", r#"{"success": "no"}"#, "`success` must be true or false"),
        ("--agent-result", r#"{"success": false, "success": true}"#, "`success` appears twice"),
        ("--verification-report", r#"{"passed": false}"#, "`levels` is missing"),
        (
            "--verification-report",
            r#"{"passed": true, "l0Result": {"passed": false, "checks": []}}"#,
            "is inconsistent",
        ),
        ("--report", "{}", "has no version"),
        ("--report", "\u{0}", "cannot read"),
    ] {
        workspace.write("junk.json", content);
        let refused = workspace.referee(&["error", "classify", option, "junk.json"]).exits(2);
        assert_eq!(refused.stdout, "");
        assert!(refused.stderr.contains("junk.json") && refused.stderr.contains(part), "{}", refused.stderr);
    }
    for wrong in [
        &["--agent-result", "none.json"][..],
        &["--agent-result", "."],
        &[],
        &["--agent-result", "runs/agent-1.json", "--report", "runs/agent-1.json"],
        &["--agent-result", "runs/agent-1.json", "--runner", "signal"],
        &["--agent-result", "runs/agent-1.json", "--runner", "signal", "0"],
        &["--agent-result", "runs/agent-1.json", "--runner", "luck"],
        &["--agent-result", "runs/agent-1.json", "--tail-lines", "-1"],
        &["--verification-report", "runs/agent-1.json", "--runner", "deadline"],
    ] {
        let arguments: Vec<&str> = ["error", "classify"].iter().chain(wrong).copied().collect();
        assert_eq!(workspace.referee(&arguments).exits(2).stdout, "", "{wrong:?}");
    }
}

#[test]
fn secrets_that_an_agent_printed_are_cut_out() {
    let workspace = Workspace::new();
    let result = json!({
        "success": false, "exitCode": 0, "stdout": "", "stderr": "push with hunter2-Xy7Qp0Zk failed", "durationMs": 1,
    });
    workspace.write("agent-1.json", result.to_string());
    let arguments = ["error", "classify", "--agent-result", "agent-1.json", "--format", "json"];
    let mut command = workspace.command(&arguments);
    let told = finish(command.env("DEPLOY_TOKEN", "hunter2-Xy7Qp0Zk").spawn().unwrap()).exits(0).stdout;
    assert!(!told.contains("hunter2") && told.contains("push with *"), "{told}");
}

#[test]
fn the_thirteen_types_are_listed() {
    let listed = Workspace::new().referee(&["error", "types"]).exits(0).stdout;
    assert_eq!(listed.lines().count(), 13);
    assert!(listed.contains("agent_crash        agent        Agent process crashed unexpectedly\n"), "{listed}");
}

#[test]
fn an_error_that_a_program_threw_keeps_its_message_and_stack_and_tells_its_type() {
    let stack = "Error: Connection refused\n    at connect()";
    let workspace = workspace().file("thrown.txt", stack);
    let error = classified(&workspace, &["--system-error", "thrown.txt"]);
    assert_eq!((&error["type"], &error["message"]), (&json!("system_error"), &json!("Connection refused")));
    assert_eq!((&error["stderrTail"], &error["context"]["errorStack"]), (&json!(stack), &json!(stack)));
    assert_eq!((&error["context"]["errorName"], &error["exitCode"]), (&json!("Error"), &Value::Null));
    let github = json!({ "name": "HttpError", "message": "GitHub API rate limit exceeded", "stack": "at octokit()" });
    workspace.write("thrown.json", github.to_string());
    let error = classified(&workspace, &["--system-error", "thrown.json"]);
    assert_eq!((&error["type"], &error["stderrTail"]), (&json!("github_error"), &json!("at octokit()")));
    workspace.write("thrown.json", "{}");
    workspace.referee(&["error", "classify", "--system-error", "thrown.json"]).exits(2);
}

#[test]
fn secrets_in_what_was_thrown_are_cut_out_by_their_keys() {
    let workspace = Workspace::new();
    let context = json!({
        "api_token": "Zx81kQp0aaV7mN3rT9wLs5", "password": "hunter2hunter2", "runId": "r-1", "count": 7, "rate": 0.5,
        "env": { "GITHUB_TOKEN": "abc123def456ghi789" },
        "headers": { "Authorization": "Basic dXNlcjpwYXNzd29yZDEyMw==" },
    });
    workspace.write("thrown.json", json!({ "message": "no password=hunter3hunter3", "context": context }).to_string());
    let error = classified(&workspace, &["--system-error", "thrown.json"]);
    let told = error.to_string();
    for secret in ["Zx81kQ", "hunter", "abc123", "dXNlc"] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
    let kept = &error["context"];
    assert_eq!((&kept["runId"], &kept["count"], &kept["rate"]), (&json!("r-1"), &json!(7), &json!(0.5)));
    // A secret that lies across a cut goes whole.
    workspace.write("thrown.txt", format!("{}password=hunter2hunter2 {}", "x ".repeat(8_184), "y".repeat(100_000)));
    let told = classified(&workspace, &["--system-error", "thrown.txt"]).to_string();
    assert!(!told.contains("hunter") && told.contains("bytes left out"), "{}", told.len());
}

#[test]
fn a_thrown_text_is_read_without_its_colours() {
    let workspace =
        Workspace::new().file("thrown.txt", "\u{1b}[31mTypeError: x is not a function\u{1b}[0m\n    at a.js:1:1");
    let error = classified(&workspace, &["--system-error", "thrown.txt"]);
    let told = (&error["context"]["errorName"], &error["message"]);
    assert_eq!(told, (&json!("TypeError"), &json!("x is not a function")));
}
