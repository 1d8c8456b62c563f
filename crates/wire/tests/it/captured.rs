//! What incidents are made of: a report's failure read back, and the documents of a capture.

use referee_model::diagnostic_log::Finding;
use referee_model::incident;
use referee_model::outcome::Outcome;
use referee_wire::execution_report;
use referee_wire::execution_report::failure::read_failure;
use serde_json::{Value, json};

use crate::fixture;
use crate::schemas::assert_fits;

/// The sample of seed 3, key by key.
fn sample() -> Value {
    json!({
        "incident_id": "incident_20260217_120000_run_abc",
        "status": "new",
        "created_at": "2026-02-17T03:00:00+00:00",
        "updated_at": "2026-02-17T03:00:00+00:00",
        "run_id": "run_20260217_115959_123456",
        "year": 2026,
        "month": 1,
        "ym": "2026-01",
        "step": "amazon_download",
        "failure_class": "transient",
        "message": "Network timeout during receipt download",
        "error_signature": "transient | amazon_download | Network timeout during receipt download"
    })
}

#[test]
fn the_seed_s_sample_is_read_and_written_as_it_is() {
    let read = incident::read(sample().to_string().as_bytes()).unwrap();
    let written: Value = serde_json::from_slice(&referee_model::document::to_bytes(&read).unwrap()).unwrap();
    for (key, value) in sample().as_object().unwrap() {
        assert_eq!(&written[key], value, "{key}");
    }
    assert_fits("incident", &written);
}

#[test]
fn what_others_wrote_beside_it_stays_and_an_unknown_status_is_new() {
    let mut sample = sample();
    sample["provider"] = json!({"name": "x"});
    sample["status"] = json!("waiting");
    let read = incident::read(sample.to_string().as_bytes()).unwrap();
    let written: Value = serde_json::from_slice(&referee_model::document::to_bytes(&read).unwrap()).unwrap();
    assert_eq!((&written["provider"], &written["status"]), (&json!({"name": "x"}), &json!("new")));
    for junk in ["", "[]", "{}", "{\"incident_id\":\"..\"}"] {
        assert!(incident::read(junk.as_bytes()).is_err(), "{junk}");
    }
}

/// A program in another language writes `null` where it knows nothing, and the status into `status.txt` alone.
#[test]
fn what_another_program_left_open_is_no_reason_to_refuse_its_incident() {
    let mut sample = sample();
    for key in ["run_id", "ym", "step", "message", "error_signature", "occurrences", "plan_revision", "evidence"] {
        sample[key] = Value::Null;
    }
    sample["failure_class"] = Value::Null;
    sample["source_paths"] = json!({"log_path": "/x/y.log", "audit_path": null, "context_path": null});
    sample["plan_state"] = json!("plan_proposed");
    sample["provider"] = Value::Null;
    sample.as_object_mut().unwrap().remove("status");
    let read = incident::read(sample.to_string().as_bytes()).unwrap();
    assert_eq!((read.step.as_str(), read.failure_class.as_str(), read.occurrences), ("", "unknown", 1));
    assert_eq!((read.source_paths.log_path.as_str(), read.source_paths.audit_path.as_str()), ("/x/y.log", ""));
    assert_eq!((read.status.as_str(), read.plan_state, read.other.get("provider")), ("new", None, Some(&Value::Null)));
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
