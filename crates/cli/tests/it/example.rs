//! The example: a real TypeScript service, checked by real tsc, eslint, prettier and jest.

use std::sync::OnceLock;

use serde_json::Value;

use crate::support::{Workspace, action, copy, replace_all, repository};

/// The example with all its specifications run, once for all tests: `npm ci` takes its time.
fn example() -> &'static (Workspace, [i32; 4]) {
    static EXAMPLE: OnceLock<(Workspace, [i32; 4])> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let workspace = Workspace::new();
        copy(&repository().join("examples/quote-service"), &workspace.path(""));
        let codes = ["referee.yaml", "fixed.yaml", "referee.json", "fixed.json"]
            .map(|specification| workspace.referee(&["run", specification]).code.unwrap());
        (workspace, codes)
    })
}

#[test]
fn the_unfinished_service_fails_partially_and_the_finished_one_passes() {
    let (workspace, codes) = example();
    assert_eq!(codes[..2], [1, 0]);
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
fn the_story_in_the_full_form_ends_as_it_should() {
    let (workspace, codes) = example();
    assert_eq!(codes[2..], [1, 0]);
    let report = workspace.report("T030");
    assert_eq!(report["executionSummary"]["overallStatus"], "PARTIAL_SUCCESS");
    assert_eq!(report["executionSummary"]["decision"], "FAIL");
    let ids =
        ["PREREQ.1", "PREREQ.2", "PREREQ.3", "STEP.1", "STEP.2", "STEP.3", "STEP.4", "STEP.5", "STEP.6", "CLEANUP.1"];
    let outcomes = ids.map(|id| action(&report, id)["status"].as_str().unwrap());
    let (good, validation, test) = ("SUCCESS", "VALIDATION_FAILURE", "TEST_FAILURE");
    assert_eq!(outcomes, [good, good, good, good, good, validation, test, test, validation, good]);
    let listed = action(&report, "STEP.5");
    assert_eq!((listed["result"]["statusCode"].as_u64(), listed["severity"].as_str()), (Some(404), Some("CRITICAL")));
    let criteria = &report["validationCriteriaEvaluation"];
    assert_eq!(criteria["successConditions"]["total"], 6);
    assert_eq!(criteria["successConditions"]["met"], 2);
    assert_eq!(criteria["failureConditions"]["triggered"], 3);
    assert_eq!(report["completionCriteriaEvaluation"]["requiredEvidence"]["missing"], serde_json::json!([]));
    let passed = workspace.report("T031");
    assert_eq!(passed["executionSummary"]["overallStatus"], "SUCCESS");
    assert_eq!(passed["executionSummary"]["decision"], "PASS");
}

#[test]
fn the_reports_are_the_golden_ones_but_for_times_and_hashes() {
    let (workspace, _) = example();
    insta::assert_snapshot!("unfinished_report", normalized(workspace, "T001"));
    insta::assert_snapshot!("finished_report", normalized(workspace, "T002"));
    insta::assert_snapshot!("story_report", normalized(workspace, "T030"));
    insta::assert_snapshot!("finished_story_report", normalized(workspace, "T031"));
}

#[test]
fn the_evidence_is_authentic_and_judges_to_the_same_report_again() {
    let (workspace, _) = example();
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    workspace.referee(&["evidence", "verify", "evidence/T002", "--replay"]).exits(0);
    workspace.referee(&["evidence", "verify", "evidence/T030", "--replay"]).exits(1);
    workspace.referee(&["evidence", "verify", "evidence/T031", "--replay"]).exits(0);
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
        (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
        (r"\b(after|within|in) \d+(\.\d+)? m?s\b", "$1 [time]"),
        (r"Time: +[0-9.]+ m?s(, estimated \d+ m?s)?", "Time: [duration]"),
        (r"added \d+ packages in [^\\]*\\n", r"added [packages]\n"),
    ];
    replace_all(text, &replaced)
}

/// Hides what is measured (durations, process ids, offsets in output that holds durations), and what npm says of the
/// machine it runs on.
fn hide(value: &mut Value, key: &str) {
    const MEASURED: [&str; 17] = [
        "duration",
        "totalDuration",
        "actualDuration",
        "processId",
        "start",
        "end",
        "lastModified",
        "generatorVersion",
        "generatedBy",
        "port",
        "pid",
        "date",
        "responseTime",
        "timeToHeaders",
        "listensOn",
        "readyAfter",
        "headTime",
    ];
    match value {
        _ if MEASURED.contains(&key) => *value = Value::String(format!("[{key}]")),
        // How often a sign of readiness was looked for, and when an answer was sent.
        Value::Number(_) if key == "attempts" => *value = Value::String(format!("[{key}]")),
        Value::Object(members) if members.get("name").is_some_and(|name| name == "date") => members.clear(),
        Value::Object(members) => {
            // What nobody understood is there only on machines where npm says something.
            members.remove("leftovers");
            members.iter_mut().for_each(|(key, member)| hide(member, key));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| hide(item, key)),
        Value::String(text) => *text = without_npm(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn without_npm(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with("npm warn") && !line.starts_with("npm notice")).collect()
}
