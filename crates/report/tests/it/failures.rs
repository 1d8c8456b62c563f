//! Reading the failure of a report back.

use referee_model::build_error::BuildError;
use referee_model::diagnostic_log::Finding;
use referee_model::outcome::Outcome;
use referee_model::report::Report;
use referee_model::verdict::Decision;
use referee_report::execution_report;
use referee_report::execution_report::failure::read_failure;
use serde_json::{Value, json};

use crate::fixture;

fn error() -> BuildError {
    let error = json!({
        "type": "typecheck_failed", "message": "3 errors", "exitCode": -1, "stdoutTail": "one\n", "stderrTail": "",
        "agentResultFile": "agent-1.json", "verificationFile": null, "phase": "verification",
        "context": { "files": ["src/foo.ts", null], "rate": 0.1, "below": -7, "flag": true, "map": { "input": 1000 } },
        "failedAt": "2026-01-02T15:35:30.000Z",
    });
    referee_model::foreign::build_error::read(error.to_string().as_bytes()).unwrap()
}

#[test]
fn the_failure_of_every_report_that_is_no_pass_is_read_back() {
    let mut failed = 0;
    for (outcome, report) in fixture::of_each_outcome() {
        let bytes = execution_report::render(&report).unwrap();
        let read = read_failure(&bytes).unwrap();
        assert_eq!(read.is_none(), outcome == Outcome::Success, "{outcome:?}");
        let Some(read) = read else { continue };
        failed += 1;
        assert_eq!((&read.task, &read.execution), (&report.plan.task, &report.run.execution));
        assert_eq!(read.reasons, report.verdict.reasons);
        assert_eq!(read.error, report.verdict.build_error.as_ref().map(|error| error.kind));
        assert_eq!(read.first.as_ref().map(|first| &first.id), report.verdict.blocking.first());
        assert_eq!(read.diagnostics, report.diagnostics.entries);
        let kept: Vec<Finding> = read.diagnostics.iter().map(|entry| entry.with_texts(&str::to_uppercase)).collect();
        assert!(kept.iter().all(|entry| entry.message == entry.message.to_uppercase()));
    }
    assert_eq!(failed, 6);
}

#[test]
fn a_report_that_was_changed_is_refused() {
    let (_, report) = fixture::of_each_outcome().into_iter().find(|(of, _)| *of == Outcome::TestFailure).unwrap();
    let mut document: Value = serde_json::from_slice(&execution_report::render(&report).unwrap()).unwrap();
    document["executionSummary"]["reasons"] = json!(["all is well"]);
    let error = read_failure(document.to_string().as_bytes()).unwrap_err().to_string();
    assert!(error.contains("its own hash"), "{error}");
    for junk in ["", "{}", "[]", "{\"reportVersion\":\"2.0.0\"}"] {
        assert!(read_failure(junk.as_bytes()).is_err(), "{junk}");
    }
}

#[test]
fn what_a_report_says_of_its_failure_is_read_back() {
    let mut told = 0;
    for (_, mut report) in fixture::of_each_outcome() {
        let read = |report: &Report| execution_report::read_build_error(&execution_report::render(report).unwrap());
        if report.verdict.build_error.is_some() {
            assert_eq!(read(&report).unwrap(), report.verdict.build_error);
            told += 1;
        }
        let passed = report.verdict.decision == Decision::Pass;
        report.verdict.build_error = None;
        assert_eq!(read(&report).is_ok(), passed, "only a pass has no reason");
        report.verdict.build_error = Some(error());
        assert_eq!(read(&report).ok(), (!passed).then(|| report.verdict.build_error.clone()), "a pass has no reason");
    }
    assert!(told > 0);
}
