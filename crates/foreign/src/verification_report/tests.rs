use serde_json::{Value, json};

use super::*;

fn written() -> Value {
    json!({
        "runId": "run-1",
        "iteration": 1,
        "overall": { "passed": false, "summary": "L1 failed" },
        "levels": {
            "L0": { "level": "L0", "passed": true, "checks": [], "duration": 1000 },
            "L1": {
                "level": "L1",
                "passed": false,
                "checks": [{ "name": "test", "passed": false, "output": "3 failed, 10 passed", "duration": 10_000 }],
                "duration": 10_000,
            },
            "L2": null,
            "L3": null,
        },
        "duration": 11_000,
        "completedAt": "2026-01-02T15:35:30.000Z",
    })
}

fn of_the_program() -> Value {
    json!({
        "id": "v-1", "snapshotId": "s-1", "runId": "run-1", "iteration": 1, "passed": false,
        "l0Result": { "level": "L0", "passed": true, "checks": [], "duration": 1000 },
        "l1Result": { "level": "L1", "passed": false, "duration": 10_000, "checks": [
            { "name": "test", "passed": false, "message": "3 failed", "details": { "exit": 1 } },
            { "name": "lint", "passed": false, "message": "no", "details": "src/a.ts" },
            { "name": "odd", "passed": false, "message": null, "details": null },
        ] },
        "l2Result": null,
        "logs": ["passed over"],
        "diagnostics": [{ "level": "L1", "type": "test_failure", "message": "no", "file": "a.ts", "line": 3 }],
        "totalDuration": 11_000,
        "createdAt": "2026-01-02T15:35:30.000Z",
    })
}

fn taken(value: &Value) -> VerificationReport {
    read(value.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn error(value: &Value) -> String {
    read(value.to_string().as_bytes()).unwrap_err().to_string()
}

fn with(mut value: Value, pointer: &str, to: Value) -> Value {
    *value.pointer_mut(pointer).unwrap() = to;
    value
}

#[test]
fn a_report_is_written_as_it_was_read_in_the_levels_map() {
    assert_eq!(serde_json::to_value(taken(&written())).unwrap(), written());
}

#[test]
fn the_other_shape_becomes_the_same_report() {
    let report = taken(&of_the_program());
    let names: Vec<_> = report.levels.iter().map(|level| (level.name.as_str(), level.passed)).collect();
    assert_eq!(names, [("L0", true), ("L1", false)]);
    let outputs: Vec<_> = report.levels[1].checks.iter().map(|check| check.output.as_str()).collect();
    assert_eq!(outputs, ["3 failed\n{\"exit\":1}", "no\nsrc/a.ts", ""]);
    assert_eq!((report.duration_ms, report.completed_at), (11_000, taken(&written()).completed_at));
    assert_eq!(report.diagnostics[0].kind.as_deref(), Some("test_failure"));
    let again = serde_json::to_value(&report).unwrap();
    assert!(again["levels"].is_object() && again.get("l0Result").is_none());
    assert_eq!(taken(&again), report);
}

#[test]
fn snake_case_and_what_was_noted_when_it_was_kept_are_read() {
    let snake = json!({
        "run_id": "r", "iteration": 1, "passed": false, "l0_result": { "passed": false, "checks": [] },
        "total_duration": 5, "created_at": 1_767_368_130_000_u64, "captured_at": "2026-01-02T15:35:31Z",
        "skipped_levels": ["L3"], "harness_config": { "wait_for_ci": true, "skip_levels": ["L3"] },
    });
    let report = taken(&snake);
    let harness = Harness { wait_for_ci: true, skip_levels: vec!["L3".to_owned()] };
    let kept = report.kept.clone().unwrap();
    assert_eq!((kept.harness, kept.skipped_levels), (Some(harness), vec!["L3".to_owned()]));
    assert_eq!(report.completed_at.unwrap().to_string(), "2026-01-02T15:35:30.000Z");
    assert_eq!(taken(&serde_json::to_value(&report).unwrap()), report);
}

#[test]
fn levels_keep_the_order_in_which_they_are_stored() {
    let text = r#"{"overall": {"passed": false}, "duration": 1, "levels": {
        "L2": {"passed": false, "checks": []}, "extra": {"passed": true, "checks": []}, "L0": {"passed": true, "checks": []}
    }}"#;
    let report = read(text.as_bytes()).unwrap();
    let names: Vec<_> = report.levels.iter().map(|level| level.name.as_str()).collect();
    assert_eq!(names, ["L2", "extra", "L0"]);
    let bytes = referee_model::document::to_bytes(&report).unwrap();
    assert_eq!(read(&bytes).unwrap(), report);
}

#[test]
fn what_is_no_report_or_says_two_things_is_refused_by_name() {
    let mut both = written();
    both["l1Result"] = json!({ "passed": false, "checks": [] });
    for (value, part) in [
        (with(written(), "/overall/passed", json!(true)), "all of it passed, and level L1 did not"),
        (with(written(), "/overall/passed", json!("no")), "`overall.passed` must be true or false"),
        (with(written(), "/overall", Value::Null), "`passed` is missing"),
        (with(written(), "/levels", Value::Null), "`levels` is missing"),
        (with(written(), "/levels", json!([])), "`levels` must be an object, not a list"),
        (with(written(), "/levels/L1/passed", Value::Null), "`levels.L1.passed` is missing"),
        (with(written(), "/levels/L1/level", json!("L9")), "the level L1 calls itself L9"),
        (with(written(), "/levels/L1/checks", Value::Null), "`levels.L1.checks` is missing"),
        (with(written(), "/levels/L1/checks/0/name", json!(1)), "`levels.L1.checks[0].name` must be a text"),
        (with(written(), "/levels/L1/checks/0/passed", json!(0)), "`levels.L1.checks[0].passed` must be true or false"),
        (with(written(), "/levels/L1/checks/0/output", json!({})), "`levels.L1.checks[0].output` must be a text"),
        (with(written(), "/duration", Value::Null), "`duration` is missing"),
        (with(written(), "/completedAt", json!("soon")), "`completedAt` must be a time"),
        (both, "it has `levels`, and `l0Result` and the like"),
        (json!({}), "`passed` is missing"),
        (json!("x"), "must be an object"),
    ] {
        let error = error(&value);
        assert!(error.contains("the verification report") && error.contains(part), "{error}");
    }
    let text = written().to_string();
    assert!(read(&text.as_bytes()[..text.len() / 2]).is_err());
}
