//! The documents of a capture, from which incidents are made.

use referee_model::incident;
use serde_json::{Value, json};

use crate::schemas::assert_fits;

/// Returns the sample of seed 3, key by key.
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

/// A program in another language may write `null` for what it does not know, and the status into `status.txt` only.
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
