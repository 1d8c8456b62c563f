//! The example: a real TypeScript service, checked by real tsc, eslint, prettier and jest.

use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

use crate::support::{Workspace, action, copy, repository};

/// The example with both specifications run, once for all tests: `npm ci` takes its time.
fn example() -> &'static (Workspace, i32, i32) {
    static EXAMPLE: OnceLock<(Workspace, i32, i32)> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let workspace = Workspace::new();
        copy(&repository().join("examples/quote-service"), &workspace.path(""));
        let unfinished = workspace.referee(&["run"]).code.unwrap();
        let finished = workspace.referee(&["run", "fixed.yaml"]).code.unwrap();
        (workspace, unfinished, finished)
    })
}

#[test]
fn the_unfinished_service_fails_partially_and_the_finished_one_passes() {
    let (workspace, unfinished, finished) = example();
    assert_eq!((*unfinished, *finished), (1, 0));
    let report = workspace.report("T001");
    assert_eq!(report["executionSummary"]["overallStatus"], "PARTIAL_SUCCESS");
    assert_eq!(report["executionSummary"]["decision"], "FAIL");
    let outcomes: Vec<_> = ["STEP.1", "STEP.2", "STEP.3", "STEP.4", "STEP.5"]
        .map(|id| (action(&report, id)["status"].as_str().unwrap(), action(&report, id)["blocking"] == true))
        .into_iter()
        .collect();
    assert_eq!(
        outcomes,
        [
            ("VALIDATION_FAILURE", true),
            ("TEST_FAILURE", true),
            ("VALIDATION_FAILURE", true),
            ("VALIDATION_FAILURE", false),
            ("SUCCESS", false),
        ]
    );
    let passed = workspace.report("T002");
    assert_eq!(passed["executionSummary"]["overallStatus"], "SUCCESS");
    assert_eq!(passed["executionSummary"]["decision"], "PASS");
    assert_eq!(passed["buildError"], Value::Null);
}

#[test]
fn the_reports_are_the_golden_ones_but_for_times_and_hashes() {
    let (workspace, _, _) = example();
    insta::assert_snapshot!("unfinished_report", normalized(workspace, "T001"));
    insta::assert_snapshot!("finished_report", normalized(workspace, "T002"));
}

#[test]
fn the_evidence_is_authentic_and_judges_to_the_same_report_again() {
    let (workspace, _, _) = example();
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    workspace.referee(&["evidence", "verify", "evidence/T002", "--replay"]).exits(0);
}

/// The report's text with everything replaced that differs from run to run and from machine to machine.
fn normalized(workspace: &Workspace, task: &str) -> String {
    let mut report = workspace.report(task);
    hide(&mut report, "");
    let text = serde_json::to_string_pretty(&report).unwrap();
    let text = text.replace(workspace.path("").to_str().unwrap().trim_end_matches('/'), "[workspace]");
    let replaced = [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "[time]"),
        (r"\b[0-9a-f]{64}\b", "[sha256]"),
        (r"exec-[0-9TZ]+-[0-9a-f]{8}", "[execution]"),
        (r" \(\d+(\.\d+)? m?s\)", ""),
        (r"Time: +[0-9.]+ m?s(, estimated \d+ m?s)?", "Time: [duration]"),
        (r"added \d+ packages in [^\\]*\\n", r"added [packages]\n"),
    ];
    replaced.iter().fold(text, |text, (pattern, replacement)| {
        Regex::new(pattern).unwrap().replace_all(&text, *replacement).into_owned()
    })
}

/// Hides what is measured (durations, process ids, offsets in output that holds durations), and what npm says of the
/// machine it runs on.
fn hide(value: &mut Value, key: &str) {
    const MEASURED: [&str; 10] = [
        "duration",
        "totalDuration",
        "actualDuration",
        "processId",
        "start",
        "end",
        "lastModified",
        "generatorVersion",
        "generatedBy",
        "leftovers",
    ];
    match value {
        _ if MEASURED.contains(&key) => *value = Value::String(format!("[{key}]")),
        Value::Object(members) => members.iter_mut().for_each(|(key, member)| hide(member, key)),
        Value::Array(items) => items.iter_mut().for_each(|item| hide(item, key)),
        Value::String(text) => *text = without_npm(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn without_npm(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with("npm warn") && !line.starts_with("npm notice")).collect()
}
