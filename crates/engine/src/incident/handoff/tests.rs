use referee_ledger::handoff_queue::HandoffQueue;
use serde_json::json;

use super::super::approval::{ApprovalRequest, Credential, approve};
use super::super::sample::{IncidentFixture, id, plan};
use super::*;

const HANDOFF_FILE: &str = "error_handoffs/incident_1/handoff.json";

/// A fixture with an approved incident.
fn approved() -> IncidentFixture {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let request =
        ApprovalRequest { person: "Ada", note: "", commands: &[], credential: Credential::Terminal, expected: None };
    approve(place.service(10).context("Ada"), &id(), &request).unwrap();
    place
}

fn request(place: &IncidentFixture, executor: &str) -> HandoffRequest {
    HandoffRequest { executor: executor.to_owned(), queue: Some(place.path("queue")), force: false }
}

fn hand(place: &IncidentFixture, seconds: i64, request: &HandoffRequest) -> Result<Value, IncidentError> {
    hand_off(place.service(seconds).context("Ada"), &id(), request)
}

fn queued(place: &IncidentFixture) -> Option<Vec<u8>> {
    HandoffQueue::find(&place.path("queue")).unwrap().and_then(|queue| queue.read(&id()).unwrap())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, IncidentError>, part: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, IncidentError::Refused(_)), "{error:?}");
    assert!(error.to_string().contains(part), "{part}: {error}");
}

/// IN-04.
#[test]
fn an_approved_incident_is_handed_off_with_both_files_and_the_same_file_in_the_queue() {
    let place = approved();
    let package = hand(&place, 20, &request(&place, "antigravity")).unwrap();
    assert_eq!((&package["status"], &package["handoff_status"]), (&json!("ok"), &json!("handed_off")));
    assert_eq!(package["incident"]["status"], "approved");
    assert_eq!(package["incident"]["message"], "token=******* is wrong", "a secret that another program captured");
    assert_eq!(package["plan"]["summary"], "Fix it");
    assert_eq!(package["approval"]["standing"], "self_asserted");
    assert_eq!(package["paths"]["handoff_json"], HANDOFF_FILE);
    let file = place.read(HANDOFF_FILE).unwrap();
    assert_eq!(queued(&place).unwrap(), file.as_bytes());
    assert_eq!(serde_json::from_str::<Value>(&file).unwrap(), package);
    let text = place.read("error_handoffs/incident_1/handoff.md").unwrap();
    assert!(text.contains("Fix it") && text.contains("Self-asserted") && !text.contains("hunter2"), "{text}");
    let stored = place.service(20).context("x").find(&id()).unwrap().incident;
    assert_eq!(stored.status, IncidentStatus::HandedOff);
    assert_eq!(stored.handoff_executor.as_deref(), Some("antigravity"));
    assert_eq!(stored.handoff_path.as_deref(), Some(HANDOFF_FILE));
    assert!(stored.handoff_queue_path.unwrap().ends_with("queue/incident_1.json"));
}

/// IN-05: without an override.
#[test]
fn what_is_not_approved_is_not_handed_off_and_nothing_is_written() {
    for status in IncidentStatus::ALL {
        let place = IncidentFixture::with(status);
        let forced = HandoffRequest { force: true, ..request(&place, "antigravity") };
        assert!(hand(&place, 20, &forced).is_err(), "{}", status.as_str());
        assert_eq!((queued(&place), place.read(HANDOFF_FILE)), (None, None), "{}", status.as_str());
    }
    let place = approved();
    place.meddle("error_plans/incident_1/plan.json", plan("Another", &[]).to_string().as_bytes());
    refused(hand(&place, 20, &request(&place, "antigravity")), "the plan was changed after Ada approved");
    assert_eq!(queued(&place), None);
    assert_eq!(place.status(), IncidentStatus::PlanProposed);
}

/// IN-06: an existing file is neither replaced nor followed, and nothing else is changed.
#[test]
fn another_package_in_the_queue_is_replaced_only_by_force() {
    let place = approved();
    HandoffQueue::open(&place.path("queue")).unwrap().put(&id(), b"theirs").unwrap();
    let asked = request(&place, "antigravity");
    refused(hand(&place, 20, &asked), "holds another package");
    assert_eq!(queued(&place).unwrap(), b"theirs");
    assert_eq!((place.read(HANDOFF_FILE), place.status()), (None, IncidentStatus::Approved));
    hand(&place, 20, &HandoffRequest { force: true, ..asked }).unwrap();
    assert_eq!(queued(&place).unwrap(), place.read(HANDOFF_FILE).unwrap().as_bytes());
}

#[test]
fn a_handoff_that_was_cut_off_between_queue_and_store_ends_the_same() {
    let place = approved();
    let asked = request(&place, "antigravity");
    let first = hand(&place, 20, &asked).unwrap();
    // As after a crash before the store was written: only the queue has the package.
    let bytes = queued(&place).unwrap();
    recall(place.service(21).context("Ada"), &id()).unwrap();
    assert!(HandoffQueue::open(&place.path("queue")).unwrap().put(&id(), &bytes).unwrap());
    assert_eq!(hand(&place, 99, &asked).unwrap(), first, "also when it was prepared");
    assert_eq!(hand(&place, 200, &asked).unwrap(), first, "asked again");
    let other = hand(&place, 200, &request(&place, "somebody else")).unwrap_err();
    assert!(matches!(other, IncidentError::Illegal(_)), "{other}");
}

#[test]
fn an_incident_is_recalled_with_its_package_unless_somebody_changed_that() {
    let place = approved();
    let asked = request(&place, "antigravity");
    hand(&place, 20, &asked).unwrap();
    recall(place.service(30).context("Ada"), &id()).unwrap();
    assert_eq!((place.status(), queued(&place)), (IncidentStatus::Approved, None));
    hand(&place, 40, &asked).unwrap();
    HandoffQueue::open(&place.path("queue")).unwrap().replace(&id(), b"theirs now").unwrap();
    recall(place.service(50).context("Ada"), &id()).unwrap();
    assert_eq!(queued(&place).unwrap(), b"theirs now");
    assert!(matches!(recall(place.service(60).context("Ada"), &id()), Err(IncidentError::Illegal(_))));
}

#[test]
fn only_the_executor_that_it_was_handed_to_takes_it_and_only_while_the_plan_stands() {
    let place = approved();
    hand(&place, 20, &request(&place, "antigravity")).unwrap();
    let take = |executor: &str| acknowledge(place.service(30).context("x"), &id(), executor, "on it, token=abc");
    refused(take("another"), "was handed to \"antigravity\"");
    assert!(matches!(take(" "), Err(IncidentError::Invalid(_))));
    let plan_file = "error_plans/incident_1/plan.json";
    let before = place.read(plan_file).unwrap();
    place.meddle(plan_file, b"{}");
    refused(take("antigravity"), "referee incident recall incident_1");
    place.meddle(plan_file, before.as_bytes());
    take("antigravity").unwrap();
    assert_eq!(place.status(), IncidentStatus::Running);
    let accept: Value = serde_json::from_str(&place.read("error_handoffs/incident_1/accept.json").unwrap()).unwrap();
    assert_eq!(accept["state"], "agent");
    assert!(matches!(take("antigravity"), Err(IncidentError::Illegal(_))), "two of one name do not both have it");
}

#[test]
fn a_handback_is_kept_and_only_an_error_moves_the_incident() {
    let place = approved();
    let back = |text: &str| hand_back(place.service(40).context("antigravity"), &id(), text.as_bytes());
    let success = r#"{"reason":"success","description":"done, password=hunter2"}"#;
    refused(back(success), "nobody has taken incident incident_1, which is approved");
    hand(&place, 20, &request(&place, "antigravity")).unwrap();
    acknowledge(place.service(30).context("x"), &id(), "antigravity", "").unwrap();
    let junk = back(r#"{"reason":"done"}"#).unwrap_err().to_string();
    assert!(junk.contains("/reason") && junk.contains("`description` is missing"), "{junk}");
    let claimed = back(success).unwrap();
    assert_eq!((&claimed["status"], &claimed["reason"]), (&json!("running"), &json!("success")));
    assert_eq!(claimed["next"], "referee incident run incident_1 --single-iteration");
    assert_eq!(place.status(), IncidentStatus::Running, "a claim resolves nothing");
    assert!(!place.read("error_handoffs/incident_1/handback.json").unwrap().contains("hunter2"));
    back(r#"{"reason":"question","description":"which API?"}"#).unwrap();
    assert_eq!(place.status(), IncidentStatus::Running);
    let failed = back(
        r#"{"reason":"error","description":"no","error":{"code":"TIMEOUT","message":"after 3 tries",
            "context":{"api_key":"k1","n":[{"url":"https://x/?token=abc"}]}}}"#,
    );
    let failed = failed.unwrap();
    assert_eq!((&failed["error_code"], &failed["status"]), (&json!("TIMEOUT"), &json!("escalated")));
    assert_eq!(place.status(), IncidentStatus::Escalated);
    let kept = place.read("error_handoffs/incident_1/handback_03.json").unwrap();
    assert!(!kept.contains("k1") && !kept.contains("abc") && kept.contains("TIMEOUT"), "{kept}");
    assert!(place.read("error_handoffs/incident_1/handback_01.json").unwrap().contains("success"));
    refused(back(success), "which is escalated");
}
