use crate::fingerprint::Fingerprint;
use crate::id::Digest;
use crate::loop_guard::LoopState;
use crate::progress::{Progress, Snapshot};

use super::*;

#[test]
fn turns_are_numbered_in_the_names_of_their_files() {
    for (number_, name) in [(1, "attempt_01.json"), (12, "attempt_12.json"), (123, "attempt_123.json")] {
        assert_eq!((file_name(number_).as_str(), number(name)), (name, Some(number_)));
    }
    for other in ["attempt_1.json", "attempt_.json", "attempt_+1.json", "attempt_01.json.bak", "run_result.json"] {
        assert_eq!(number(other), None, "{other}");
    }
}

#[test]
fn the_seeds_own_documents_are_read() {
    let attempt = br#"{
      "incident_id": "incident_20260217_120000_run_abc", "iteration": 1,
      "started_at": "2026-02-17T03:20:00+00:00", "finished_at": "2026-02-17T03:25:00+00:00",
      "actions_applied": ["A1"], "verification_commands": ["python -m pytest -q tests/t.py"],
      "verification_passed": false, "result": "continue", "error_signature": "selector_not_found",
      "same_error_repeats": 1, "no_progress_streak": 2 }"#;
    let read_back: AttemptDocument = serde_json::from_slice(attempt).unwrap();
    assert_eq!((read_back.result, read_back.actions_applied.len()), (TurnResult::Continue, 1));
    let text = String::from_utf8(crate::document::to_bytes(&read_back).unwrap()).unwrap();
    assert!(text.contains(r#""started_at": "2026-02-17T03:20:00+00:00""#), "{text}");
    let short = br#"{"incident_id": "incident_1", "final_status": "resolved", "loops_used": 3, "runtime_minutes": 18,
      "same_error_repeats": 1, "no_progress_streak": 0, "archived_to": "error_archive/resolved/incident_1"}"#;
    // IN-36: parts that are missing.
    let read_back: RunResultDocument = serde_json::from_slice(short).unwrap();
    assert!(!read_back.replan.requested && !read_back.commit.requested);
    let long =
        br#"{"incident_id": "incident_1", "final_status": "replan_requested", "loops_used": 2, "runtime_minutes": 1,
      "same_error_repeats": 1, "no_progress_streak": 2, "archived_to": null,
      "replan": {"requested": true, "reason": "no progress", "iteration": 2, "plan_json": {"status": "ok",
        "plan_json": "error_plans/incident_1/plan.json", "force": true, "returncode": 0}},
      "commit": {"requested": true, "enabled": false, "ran": false, "skipped": false, "remote": "origin",
        "branch": "main", "scope": "incident", "commit_sha": null, "commit_message": null,
        "push": {"requested": true, "ran": false, "success": false, "error": null}, "error": null}}"#;
    let read_back: RunResultDocument = serde_json::from_slice(long).unwrap();
    assert_eq!(read_back.final_status, FinalStatus::ReplanRequested);
    assert_eq!(read_back.replan.plan_json.unwrap().returncode, 0);
    for junk in [&b""[..], b"{}", b"null", br#"{"incident_id": "..", "final_status": "resolved"}"#] {
        let is_result = serde_json::from_slice::<RunResultDocument>(junk).is_ok();
        assert!(!is_result && serde_json::from_slice::<AttemptDocument>(junk).is_err());
    }
}

#[test]
fn a_loop_goes_on_with_its_counters() {
    let print = Fingerprint::version_1(Digest::from_bytes([3; 32]));
    let last = Snapshot { passed: false, first_failure: Some(print), failures: [print].into(), reached: 4 };
    let progress = Progress { same_error_repeats: 2, no_progress_streak: 1, equal_snapshots: 2, last: Some(last) };
    let state = LoopState { replans: 1, loops: 2, began: Some(Timestamp::from_millisecond(9)), progress };
    let id = IncidentId::parse("incident_1").unwrap();
    let mut file = LoopFileDocument::new(id, 2, Timestamp::from_millisecond(5_000));
    file.counters = state.clone();
    file.phase = LoopPhase::Agent;
    let bytes = serde_json::to_vec(&file).unwrap();
    let found: LoopFileDocument = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&found, &found.counters), (&file, &state));
    for junk in [&b"{}"[..], b"null", br#"{"incident_id": "x", "loops_used": 1}"#] {
        assert!(serde_json::from_slice::<LoopFileDocument>(junk).is_err());
    }
}
