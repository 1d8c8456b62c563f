use referee_ledger::trust::TrustStore;
use referee_model::incident::approval::ApprovalStanding;
use referee_model::incident::status::Closing;
use serde_json::json;

use super::super::archive::{self, ArchiveRequest};
use super::super::sample::{IncidentFixture, id, plan, signer};
use super::*;

const PLAN_FILE: &str = "error_plans/incident_1/plan.json";
const APPROVAL_FILE: &str = "error_plans/incident_1/approval.json";

fn asked<'request>(credential: Credential<'request>, commands: &'request [String]) -> ApprovalRequest<'request> {
    ApprovalRequest { person: "Ada", note: "looks right", commands, credential, expected: None }
}

fn approve_at(place: &IncidentFixture, seconds: i64, credential: Credential<'_>) -> Result<Approval, IncidentError> {
    approve(place.service(seconds).context("Ada"), &id(), &asked(credential, &[]))
}

fn stands(place: &IncidentFixture, seconds: i64) -> Result<Approval, String> {
    standing(place.service(seconds).context("Ada"), &id()).unwrap()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, IncidentError>, part: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, IncidentError::Refused(_) | IncidentError::Forbidden(_)), "{error:?}");
    assert!(error.to_string().contains(part), "{part}: {error}");
}

/// IN-32, in the library: an approver's signature over the plan's bytes.
#[test]
fn a_plan_is_approved_by_an_approvers_key_and_everything_says_so() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let ada = signer();
    place.trust(&ada, "ada@example.org");
    let approval = approve_at(&place, 10, Credential::Key(&ada)).unwrap();
    assert!(matches!(&approval.standing, ApprovalStanding::Signed { approver, .. } if approver == "ada@example.org"));
    assert_eq!(stands(&place, 20).unwrap(), approval);
    let stored = place.service(20).context("x").find(&id()).unwrap().incident;
    assert_eq!((stored.status, stored.plan_state), (IncidentStatus::Approved, Some(PlanState::Approved)));
    assert_eq!(stored.approved_by.as_deref(), Some("Ada"));
    let text = place.read("error_plans/incident_1/plan.md").unwrap();
    assert!(text.starts_with("# Plan\n") && text.contains("## Approval") && text.contains("looks right"), "{text}");
    assert!(!text.contains("Self-asserted"));
    assert_eq!(place.read("error_plans/incident_1/approved_plan.json"), place.read(PLAN_FILE));
    let again = approve_at(&place, 30, Credential::Key(&ada)).unwrap_err();
    assert!(matches!(again, IncidentError::Illegal(_)), "{again}");
}

/// Anything that works at an incident can keep a copy of the approval and put it back.
#[test]
fn an_approval_of_an_earlier_life_counts_no_more_once_the_incident_is_opened_again() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let ada = signer();
    place.trust(&ada, "Ada");
    approve_at(&place, 10, Credential::Key(&ada)).unwrap();
    let copy = place.read(APPROVAL_FILE).unwrap();
    let (service, later) = (place.service(20), place.service(30));
    // A refused request voids nothing.
    refused(archive::reopen(service.context("x"), &id(), "again"), "is open");
    assert!(stands(&place, 20).is_ok());
    let request = ArchiveRequest { result: Closing::Escalated, reason: "the vendor is down", note: None };
    archive::archive(service.context("x"), &id(), request).unwrap();
    archive::reopen(later.context("x"), &id(), "the vendor answered").unwrap();
    place.meddle(APPROVAL_FILE, copy.as_bytes());
    assert!(stands(&place, 40).unwrap_err().contains("opened again"));
}

#[test]
fn only_the_plan_that_was_looked_at_is_approved_and_signed() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let ada = signer();
    place.trust(&ada, "Ada");
    let seen = Digest::of(place.read(PLAN_FILE).unwrap().as_bytes());
    let request =
        |bytes: &[u8]| ApprovalRequest { expected: Some(Digest::of(bytes)), ..asked(Credential::Key(&ada), &[]) };
    refused(
        approve(place.service(10).context("Ada"), &id(), &request(b"another plan")),
        "not the one that you looked at",
    );
    refused(sign(place.service(10).context("Ada"), &id(), &request(b"another plan")), "not the one that you looked at");
    assert_eq!((place.status(), place.read(APPROVAL_FILE)), (IncidentStatus::PlanProposed, None));
    let request = ApprovalRequest { expected: Some(seen), ..asked(Credential::Key(&ada), &[]) };
    assert_eq!(approve(place.service(10).context("Ada"), &id(), &request).unwrap().terms.plan, seen);
}

#[test]
fn a_key_that_nobody_trusts_to_approve_and_a_pasted_text_that_is_none_change_nothing() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let (ada, agent) = (signer(), signer());
    refused(approve_at(&place, 10, Credential::Key(&agent)), "referee key trust");
    place.trust(&ada, "Ada");
    refused(approve_at(&place, 10, Credential::Key(&agent)), "not that of a key that is trusted to approve");
    refused(approve_at(&place, 10, Credential::Secret("hunter2")), "key");
    assert_eq!(place.status(), IncidentStatus::PlanProposed);
    assert_eq!(place.read(APPROVAL_FILE), None);
}

#[test]
fn a_bare_word_counts_only_where_nobody_is_trusted_to_approve_and_not_as_a_file() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let approval = approve_at(&place, 10, Credential::Terminal).unwrap();
    assert_eq!(approval.standing, ApprovalStanding::SelfAsserted);
    assert_eq!(stands(&place, 20).unwrap(), approval);
    assert!(place.read("error_plans/incident_1/plan.md").unwrap().contains("**Self-asserted"));
    // An agent's forgery: the same form, with a digest that the state directory does not know.
    let terms = ApprovalTerms { person: "Grace".to_owned(), ..approval.terms };
    place.meddle(APPROVAL_FILE, &approvals::unsigned(&terms).unwrap());
    assert!(stands(&place, 20).unwrap_err().contains("not given at a terminal"));
    assert_eq!(place.status(), IncidentStatus::Approved, "that is not a change of the plan");
    // It is approved again, since the existing approval does not count.
    approve_at(&place, 30, Credential::Terminal).unwrap();
    place.trust(&signer(), "Ada");
    assert!(stands(&place, 40).unwrap_err().contains("a key is trusted to approve"));
    refused(approve_at(&place, 40, Credential::Terminal), "approve by that key");
}

/// A changed plan voids the approval, which every caller detects (ruling 27).
#[test]
fn a_changed_plan_is_not_approved_and_lies_before_a_person_again() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let ada = signer();
    place.trust(&ada, "Ada");
    approve_at(&place, 10, Credential::Key(&ada)).unwrap();
    assert_eq!(difference(place.service(11).context("x"), &id()).unwrap(), None);
    place.meddle(PLAN_FILE, plan("Fix it otherwise", &["true"]).to_string().as_bytes());
    assert!(stands(&place, 20).unwrap_err().contains("the plan was changed after Ada approved it"));
    assert_eq!(place.status(), IncidentStatus::PlanProposed);
    let stored = place.service(20).context("x").find(&id()).unwrap().incident;
    assert_eq!((stored.plan_state, stored.approved_by), (Some(PlanState::Proposed), None));
    assert_eq!(place.read("error_plans/incident_1/plan.md").unwrap(), "# Plan\n", "nothing is said to be approved");
    let shown = difference(place.service(21).context("x"), &id()).unwrap().unwrap();
    assert!(shown.starts_with("--- the plan approved by Ada at ") && shown.contains("otherwise"), "{shown}");
    approve_at(&place, 30, Credential::Key(&ada)).unwrap();
    assert!(stands(&place, 40).is_ok());
}

#[test]
fn trust_is_looked_at_now() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let (ada, grace) = (signer(), signer());
    place.trust(&ada, "Ada");
    place.trust(&grace, "Grace");
    approve_at(&place, 10, Credential::Key(&ada)).unwrap();
    TrustStore::distrust(&place.state(), ada.public().id()).unwrap();
    assert!(stands(&place, 20).unwrap_err().contains("not that of a key that is trusted"));
    approve_at(&place, 30, Credential::Key(&grace)).unwrap();
    assert!(stands(&place, 40).is_ok());
}

#[test]
fn a_planners_own_commands_are_approved_one_by_one() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let ada = signer();
    place.trust(&ada, "Ada");
    place.meddle(PLAN_FILE, plan("Fix it", &["npx tsc", "planner: make check"]).to_string().as_bytes());
    refused(approve_at(&place, 10, Credential::Key(&ada)), "planner: make check");
    let service = place.service(10);
    let unknown = approve(service.context("Ada"), &id(), &asked(Credential::Key(&ada), &["npx tsc".to_owned()]));
    assert!(matches!(unknown, Err(IncidentError::Invalid(_))), "a check is none of a planner's own: {unknown:?}");
    let commands = ["planner: make check".to_owned()];
    let approval = approve(service.context("Ada"), &id(), &asked(Credential::Key(&ada), &commands)).unwrap();
    assert_eq!(approval.terms.commands, commands);
    assert!(stands(&place, 20).is_ok());
    // A command that claims no origin is a planner's own.
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let mut silent = plan("Fix it", &["rm -rf build"]);
    silent["verification"] = json!([]);
    place.meddle(PLAN_FILE, silent.to_string().as_bytes());
    refused(approve_at(&place, 10, Credential::Terminal), "rm -rf build");
}

#[test]
fn an_approval_that_was_signed_elsewhere_is_of_this_plan_and_of_this_hour() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let ada = signer();
    place.trust(&ada, "Ada");
    let signed = |seconds: i64| {
        let service = place.service(seconds);
        sign(service.context("Ada"), &id(), &asked(Credential::Key(&ada), &[])).unwrap()
    };
    let envelope = signed(10_000);
    for (at, part) in [(10_000 + 3_700, "more than an hour ago"), (10_000 - 120, "still to come")] {
        refused(approve_at(&place, at, Credential::Envelope(&envelope)), part);
    }
    refused(approve_at(&place, 10_000, Credential::Envelope(b"{}")), "not a");
    let before = place.read(PLAN_FILE).unwrap();
    place.meddle(PLAN_FILE, plan("Another", &[]).to_string().as_bytes());
    refused(approve_at(&place, 10_010, Credential::Envelope(&envelope)), "another plan");
    place.meddle(PLAN_FILE, before.as_bytes());
    assert_eq!(place.status(), IncidentStatus::PlanProposed);
    let approval = approve_at(&place, 10_010, Credential::Envelope(&envelope)).unwrap();
    assert_eq!(approval.terms.approved_at.as_millisecond() / 1_000, 10_000);
    assert!(stands(&place, 90_000).is_ok(), "once it is in it stays");
}

#[test]
fn a_refused_plan_goes_back_and_an_approval_from_before_counts_no_more() {
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    let ada = signer();
    place.trust(&ada, "Ada");
    let service = place.service(100);
    let envelope = sign(service.context("Ada"), &id(), &asked(Credential::Key(&ada), &[])).unwrap();
    assert!(matches!(reject(place.service(200).context("Ada"), &id(), "  "), Err(IncidentError::Invalid(_))));
    reject(place.service(200).context("Ada"), &id(), "it fixes the symptom").unwrap();
    let stored = place.service(201).context("x").find(&id()).unwrap().incident;
    assert_eq!((stored.status, stored.plan_state), (IncidentStatus::New, Some(PlanState::Rejected)));
    assert!(matches!(approve_at(&place, 210, Credential::Key(&ada)), Err(IncidentError::Illegal(_))));
    // The files are put back as they were before the refusal.
    place.meddle("error_inbox/incident_1/status.txt", b"plan_proposed");
    refused(approve_at(&place, 210, Credential::Envelope(&envelope)), "refused after it was given");
    place.meddle("error_inbox/incident_1/status.txt", b"approved");
    place.meddle(APPROVAL_FILE, &envelope);
    assert!(stands(&place, 210).unwrap_err().contains("refused after it was given"));
}

#[test]
fn what_cannot_be_approved_is_refused_with_what_to_do() {
    for status in IncidentStatus::ALL {
        let place = IncidentFixture::with(status);
        let result = approve_at(&place, 10, Credential::Terminal);
        let may = matches!(status, IncidentStatus::PlanProposed | IncidentStatus::Approved);
        assert_eq!(result.is_ok(), may, "{}: {result:?}", status.as_str());
        let rejected = reject(place.service(20).context("Ada"), &id(), "no");
        assert!(rejected.is_err(), "{}: an approved one is not refused", status.as_str());
    }
    let place = IncidentFixture::with(IncidentStatus::PlanProposed);
    for (bytes, part) in [
        (&b"{}"[..], "this plan cannot be approved"),
        (&plan("x", &[]).to_string().replace("incident_1", "other").into_bytes(), "is about other"),
    ] {
        place.meddle(PLAN_FILE, bytes);
        refused(approve_at(&place, 10, Credential::Terminal), part);
    }
    let unknown =
        approve(place.service(1).context("x"), &IncidentId::parse("other").unwrap(), &asked(Credential::Terminal, &[]));
    assert!(matches!(unknown, Err(IncidentError::Unknown(_))));
    let service = place.service(10);
    let nobody = ApprovalRequest { person: " ", ..asked(Credential::Terminal, &[]) };
    place.meddle(PLAN_FILE, plan("x", &[]).to_string().as_bytes());
    assert!(matches!(approve(service.context("x"), &id(), &nobody), Err(IncidentError::Invalid(_))));
}
