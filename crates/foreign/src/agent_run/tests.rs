use serde_json::{Value, json};

use super::*;

fn run() -> Value {
    json!({
        "id": "run-1", "workOrderId": "wo-1", "workspaceId": "ws-1", "iteration": 2, "maxIterations": 3,
        "state": "failed", "snapshotBeforeSha": "abc", "snapshotAfterSha": null, "snapshotIds": ["s-1", "s-2"],
        "startedAt": "2026-01-02T15:30:00.000Z", "completedAt": "2026-01-02T15:35:30.000Z",
        "result": "failed_build", "error": "Agent process crashed unexpectedly with exit code 1",
        "buildError": {
            "type": "agent_crash", "message": "Agent process crashed unexpectedly with exit code 1", "exitCode": 1,
            "stdoutTail": "", "stderrTail": "no", "agentResultFile": "agent-2.json", "verificationFile": null,
            "context": { "durationMs": 5, "model": null }, "failedAt": "2026-01-02T15:35:30.000Z", "phase": "build",
        },
        "sessionId": "s", "branch": "b", "prUrl": "https://example.org/1", "prNumber": 1,
        "warnings": [{ "type": "github", "message": "no", "iteration": 1, "timestamp": "2026-01-02T15:31:00.000Z" }],
        "ciEnabled": true, "ciIterationCount": 1, "maxCiIterations": 3, "ciStatus": "timeout",
        "ciStartedAt": "2026-01-02T15:32:00.000Z", "ciCompletedAt": null, "ciWorkflowUrl": null,
    })
}

fn turn() -> Value {
    json!({
        "iteration": 2, "state": "failed", "snapshotId": "s-2", "feedbackGenerated": false,
        "startedAt": "2026-01-02T15:34:00.000Z", "completedAt": "2026-01-02T15:35:30.000Z", "durationMs": 90_000,
        "agentSessionId": "s", "agentResultFile": "agent-2.json", "agentDurationMs": 80_000, "agentSuccess": false,
        "agentModel": "a-model", "agentTokensUsed": { "input": 1, "output": 2 }, "agentCostUsd": 0.5,
        "verificationFile": "verification-2.json", "verificationPassed": false, "verificationLevelsRun": ["L0", "L1"],
        "verificationDurationMs": 9_000,
        "errorType": "verification_failed", "errorMessage": "Test execution failed", "errorDetails": null,
    })
}

fn with(mut value: Value, key: &str, to: Value) -> Value {
    value[key] = to;
    value
}

#[test]
fn rp_01_runs_and_turns_are_written_as_they_were_read() {
    let read_run = read(run().to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(serde_json::to_value(&read_run).unwrap(), run());
    let read_turn = read_iteration(turn().to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(serde_json::to_value(&read_turn).unwrap(), turn());
}

#[test]
fn rp_05_a_turn_begins_with_nothing_known_and_no_error() {
    let bare = json!({
        "iteration": 1, "state": "building", "startedAt": "2026-01-02T15:34:00.000Z", "errorType": "none",
    });
    let record = read_iteration(bare.to_string().as_bytes()).unwrap();
    assert_eq!((&record.agent, &record.verification, &record.error), (&None, &None, &None));
    let written = serde_json::to_value(&record).unwrap();
    assert_eq!((&written["errorType"], &written["verificationLevelsRun"]), (&json!("none"), &json!([])));
    for key in ["agentResultFile", "agentSuccess", "verificationPassed", "errorMessage", "durationMs", "snapshotId"] {
        assert_eq!(written[key], Value::Null, "{key}");
    }
}

#[test]
fn a_run_that_contradicts_itself_or_is_none_is_refused_by_name() {
    for (value, part) in [
        (with(run(), "state", json!("building")), "it is building, and ended as failed_build"),
        (with(run(), "result", Value::Null), "it is failed, and has no `result`"),
        (with(run(), "state", json!("succeeded")), "it is succeeded with another result"),
        (with(run(), "result", json!("passed")), "it is failed with another result"),
        (with(run(), "state", json!("sleeping")), "`state` must be a state of a run"),
        (with(run(), "ciStatus", json!("green")), "`ciStatus` must be pending, polling"),
        (with(run(), "iteration", json!(-1)), "`iteration` must be a whole number"),
        (with(run(), "buildError", json!({ "type": "odd" })), "`buildError.type` must be one of the thirteen types"),
        (with(run(), "warnings", json!([{}])), "`warnings[0].type` is missing"),
    ] {
        let error = read(value.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the run") && error.contains(part), "{error}");
    }
    for (value, part) in [
        (with(turn(), "errorType", json!("odd")), "`errorType` must be a type of a turn's failure"),
        (with(turn(), "errorType", Value::Null), "`errorType` is missing"),
        (with(turn(), "errorMessage", Value::Null), "`errorMessage` is missing"),
        (with(turn(), "agentSuccess", Value::Null), "`agentSuccess` is missing"),
        (with(turn(), "verificationPassed", Value::Null), "`verificationPassed` is missing"),
    ] {
        let error = read_iteration(value.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the iteration record") && error.contains(part), "{error}");
    }
}
