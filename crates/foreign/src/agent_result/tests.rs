use proptest::prelude::{prop_assert, proptest};
use serde_json::{Value, json};

use super::*;

fn full() -> Value {
    json!({
        "runId": "run-1",
        "iteration": 2,
        "capturedAt": "2026-01-02T15:35:30.000Z",
        "success": false,
        "exitCode": 1,
        "stdout": "out",
        "stderr": "err",
        "structuredOutput": {
            "result": "I could not.",
            "session_id": "s-2",
            "usage": { "input_tokens": 3, "output_tokens": 4 },
        },
        "sessionId": "s-1",
        "tokensUsed": { "input": 1000, "output": 500, "total": 1500 },
        "durationMs": 5000,
        "totalCostUsd": 0.25,
        "model": "a-model",
        "turns": 7,
        "toolCalls": [{
            "tool": "Write",
            "input": { "path": "a", "n": [1, -2, 0.5, null, true] },
            "output": "ok",
            "durationMs": 100,
            "timestamp": "2026-01-02T15:35:29.000Z",
            "toolUseId": "t-1",
        }],
        "sandboxInfo": {
            "provider": "docker",
            "containerId": "c-1",
            "resourceUsage": { "cpuPercent": 12.5, "memoryMB": 256.0 },
            "durationMs": 4000,
        },
    })
}

fn bare() -> Value {
    json!({ "success": false, "exitCode": 137, "stdout": "", "stderr": "Killed", "durationMs": 300_000 })
}

fn taken(value: &Value) -> AgentResult {
    read(value.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn with(mut value: Value, key: &str, to: Value) -> Value {
    value[key] = to;
    value
}

#[test]
fn a_result_is_written_as_it_was_read() {
    let written = serde_json::to_value(taken(&full())).unwrap();
    assert_eq!(written, full());
}

#[test]
fn rp_05_what_is_optional_may_be_missing_or_null() {
    let result = taken(&bare());
    assert_eq!((result.exit_code, result.model, result.captured), (Some(137), None, None));
    for key in ["structuredOutput", "sessionId", "tokensUsed", "totalCostUsd", "model", "turns", "toolCalls"] {
        assert_eq!(taken(&with(bare(), key, Value::Null)), taken(&bare()), "{key}");
    }
    assert_eq!(taken(&with(bare(), "exitCode", Value::Null)).exit_code, None);
    let written = serde_json::to_value(taken(&bare())).unwrap();
    assert_eq!(taken(&written), taken(&bare()));
}

#[test]
fn keys_that_are_not_known_and_the_other_spelling_are_read() {
    let snake = json!({
        "success": true, "exit_code": 0, "stdout": "", "stderr": "", "duration_ms": 1.6, "session_id": "s",
        "tokens_used": { "input_tokens": 1, "output_tokens": 2 }, "tool_calls": [], "of_tomorrow": { "a": [1] },
    });
    let result = taken(&snake);
    assert_eq!((result.duration_ms, result.session_id.as_deref()), (2, Some("s")));
    assert_eq!(result.tokens_used, Some(TokensUsed { input: 1, output: 2, total: None }));
}

#[test]
fn a_session_that_is_kept_as_unknown_is_none() {
    let kept = with(full(), "sessionId", Value::Null);
    assert_eq!(taken(&kept).session_id, None);
    let written = serde_json::to_value(taken(&kept).kept()).unwrap();
    assert_eq!(written["sessionId"], "unknown");
    assert_eq!(taken(&written).session_id, None);
    assert_eq!(taken(&with(bare(), "sessionId", json!("unknown"))).session_id.as_deref(), Some("unknown"));
}

#[test]
fn what_is_no_result_is_refused_by_the_key_that_is_wrong() {
    for (value, part) in [
        (with(bare(), "success", json!("false")), "`success` must be true or false, not the text \"false\""),
        (with(bare(), "exitCode", json!("137")), "`exitCode` must be a whole number of 32 bits"),
        (with(bare(), "exitCode", json!(1_u64 << 40)), "`exitCode`"),
        (with(bare(), "stdout", json!(["a"])), "`stdout` must be a text, not a list"),
        (with(bare(), "durationMs", json!(-1)), "`durationMs` must be a number that is not below 0"),
        (with(bare(), "durationMs", Value::Null), "`durationMs` is missing"),
        (with(bare(), "structuredOutput", json!(true)), "`structuredOutput` must be an object, not true"),
        (with(bare(), "tokensUsed", json!({ "input": 1 })), "`tokensUsed.output` is missing"),
        (with(bare(), "toolCalls", json!([{ "tool": 1 }])), "`toolCalls[0].tool` must be a text"),
        (with(bare(), "toolCalls", json!({})), "`toolCalls` must be a list"),
        (with(bare(), "sandboxInfo", json!({ "provider": "d" })), "`sandboxInfo.durationMs` is missing"),
        (with(bare(), "capturedAt", json!("build")), "`capturedAt` must be a time"),
        (with(bare(), "capturedAt", json!("2026-01-02T15:35:30Z")), "`runId` is missing"),
        (with(bare(), "exit_code", json!(0)), "`exitCode` and `exit_code` do not say the same"),
        (json!({ "success": false }), "`exitCode` is missing"),
        (json!([]), "must be an object"),
    ] {
        let error = read(value.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the agent result") && error.contains(part), "{error}");
    }
    let half = bare().to_string();
    assert!(read(&half.as_bytes()[..half.len() - 2]).is_err());
    assert!(read(b"\xff\xfe").is_err());
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }
}
