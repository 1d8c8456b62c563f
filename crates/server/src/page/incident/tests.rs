//! Tests of the incident page in every status, without a server.

use referee_engine::incident::detail::Detail;
use referee_engine::incident::{IncidentDir, Part as Directory, Stored};
use referee_model::id::Digest;
use referee_model::incident::approval::{Approval, ApprovalStanding, ApprovalTerms};
use referee_model::incident::status::{Closing, IncidentStatus};
use referee_model::time::Timestamp;
use serde_json::{Value, json};

use super::*;

fn stored(status: IncidentStatus, message: &str) -> Stored {
    let text = json!({
        "incident_id": "incident_1", "status": status.as_str(), "step": "lint", "failure_class": "validation",
        "created_at": "2026-02-17T03:00:00+00:00", "updated_at": "2026-02-17T03:15:00+00:00", "message": message,
        "occurrences": 3, "last_seen_at": "2026-02-17T03:10:00+00:00", "regression_of": "incident_0",
    });
    let shelf = if status.is_closed() { IncidentDir::Archive(Closing::Escalated) } else { IncidentDir::Inbox };
    Stored { incident: referee_model::incident::read(text.to_string().as_bytes()).unwrap(), shelf }
}

fn plan() -> Value {
    json!({
        "incident_id": "incident_1", "generated_at": "2026-02-17T03:15:00+00:00", "revision": 2, "summary": "Fix the selector",
        "evidence": [{"id": "E1", "source": "log_tail", "path": "log_tail.txt", "kind": "log_signal", "excerpt": "Error: <b>gone</b>"}],
        "evidence_quality": {"total_count": 1, "signal_count": 1, "strong_signal_count": 1, "weak_signal_count": 0,
            "has_failure_signal": true, "score": 1.0, "assessment": "strong", "strongest_evidence_ids": ["E1"]},
        "root_cause_hypotheses": [], "hypothesis_evidence_map": [],
        "cause_analysis": [{"hypothesis_id": "H1", "reason": "Selector changed", "confidence": "medium", "support_strength": "medium",
            "evidence_ids": ["E1"], "supporting_evidence": [], "gaps": ["Full output"]}],
        "unknowns": ["Who did it"],
        "actions": [{"id": "A1", "title": "Adjust selector", "priority": "P0", "risk": "low", "target_paths": ["src/a.ts"], "verification": []}],
        "verification_commands": ["npx eslint .", "rm -rf build"],
        "verification": [{"origin": "check", "command": "npx eslint .", "action": "STEP.1"}],
        "done_criteria": ["It passes"], "rollback": ["Undo it"],
    })
}

fn page_of(
    status: IncidentStatus,
    message: &str,
    files: Vec<(Directory, String, Vec<u8>)>,
    word: Option<Approval>,
) -> String {
    let detail = Detail { stored: stored(status, message), files };
    let standing = word.ok_or_else(|| "nobody approved it".to_owned());
    let dossier = incident_view::of(&detail, standing, None, Vec::new(), (false, None)).unwrap();
    let frame = Frame::new(dossier.incident.message.clone(), Part::Incidents);
    let (form, agent) = (Kept::default(), Some("fix-it --fast".to_owned()));
    IncidentPage { frame, dossier, said: None, refusal: None, form, agent, limits: LoopOptions::default() }
        .render()
        .unwrap()
}

fn file(part: Directory, name: &str, content: &impl ToString) -> (Directory, String, Vec<u8>) {
    (part, name.to_owned(), content.to_string().into_bytes())
}

fn planned() -> Vec<(Directory, String, Vec<u8>)> {
    let log = "start\nError: <b>gone</b>\n\u{1b}[31mred\u{202e}\0\n";
    vec![file(Directory::Incident, "log_tail.txt", &log), file(Directory::Plan, "plan.json", &plan())]
}

/// Returns the operations whose forms a page contains.
fn operations(page: &str) -> Vec<&str> {
    page.split("action=\"/incidents/incident_1/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_state_offers_what_can_be_done_and_nothing_else() {
    let rows: [(IncidentStatus, &[&str]); 7] = [
        (IncidentStatus::New, &["plan", "archive"]),
        (IncidentStatus::PlanProposed, &["approve", "plan", "reject", "archive"]),
        (IncidentStatus::Approved, &["approve", "plan", "archive"]),
        (IncidentStatus::HandedOff, &["recall", "archive"]),
        (IncidentStatus::Running, &["run", "archive"]),
        (IncidentStatus::Resolved, &[]),
        (IncidentStatus::Escalated, &["reopen"]),
    ];
    for (status, offered) in rows {
        let page = page_of(status, "It broke", planned(), None);
        assert_eq!(operations(&page), offered, "{status:?}");
        assert!(page.contains(&format!("class=\"state {}\"", status.as_str())), "{status:?}");
    }
}

#[test]
fn a_plan_is_shown_whole_and_rows_lead_to_the_log() {
    let page = page_of(IncidentStatus::PlanProposed, "It broke", planned(), None);
    for piece in [
        "3 times",
        "<a href=\"/incidents/incident_0\">",
        "strong evidence, 1.00 of 1",
        "<a href=\"#log-2\">log_tail.txt, line 2</a>",
        "<li id=\"log-2\" class=\"marked\">",
        "Selector changed",
        "Full output",
        "Adjust selector",
        "<code>src/a.ts</code>",
        "check STEP.1 of the specification",
        "It passes",
        "Undo it",
        "Who did it",
        "This plan is not approved.",
        "name=\"plan\" value=\"",
    ] {
        assert!(page.contains(piece), "{piece}\n{page}");
    }
    // The planner's own command is offered by its index; the specification's command is not.
    assert!(page.contains("name=\"command\" value=\"1\"") && !page.contains("name=\"command\" value=\"0\""));
}

#[test]
fn what_others_wrote_is_never_obeyed() {
    let hostile = "<script>alert(1)</script>\" onload='x' \u{202e}\0\u{1b}[2J";
    let mut files = planned();
    files.push(file(Directory::Incident, "context.json", &json!({"reason": hostile})));
    files.push(file(
        Directory::Incident,
        "diagnostics.json",
        &json!([{"severity": hostile, "message": hostile, "file": hostile}]),
    ));
    files.push(file(
        Directory::Run,
        "attempt_01.json",
        &json!({"iteration": 1, "result": hostile, "error_signature": hostile}),
    ));
    files.push(file(Directory::Handoff, "handoff.json", &json!({"executor": hostile})));
    let page = page_of(IncidentStatus::Running, hostile, files, None);
    assert!(!page.contains("<script>alert") && !page.contains("onload='x'") && !page.contains("<b>gone"));
    assert!(!page.chars().any(|found| (found.is_control() && found != '\n') || found == '\u{202e}'));
    assert!(page.contains("\\u{202e}") && page.contains("\\u{0}"));
    assert!(!page.contains(" style=") && !page.contains("<style") && !page.contains("javascript:"));
}

#[test]
fn junk_is_told_and_hides_nothing_else() {
    let files = vec![
        file(Directory::Plan, "plan.json", &"{"),
        file(Directory::Run, "attempt_01.json", &"7"),
        file(Directory::Run, "run_result.json", &json!({"final_status": "replan_requested", "loops_used": 1})),
    ];
    let page = page_of(IncidentStatus::Running, "", files, None);
    assert!(page.contains("The plan cannot be read") && page.contains("attempt_01.json cannot be read"));
    // IN-36: neither replan nor commit.
    assert!(page.contains("Another plan is needed</b> after 1 turn."));
    assert!(page.contains("<h1>incident_1</h1>"));
}

#[test]
fn whose_word_a_plan_has_is_said_aloud() {
    let approval = |standing| Approval {
        terms: ApprovalTerms {
            incident: IncidentId::parse("incident_1").unwrap(),
            plan: Digest::from_bytes([7; 32]),
            revision: 2,
            person: "Ada <ada>".to_owned(),
            approved_at: Timestamp::from_millisecond(0),
            commands: vec!["rm -rf build".to_owned()],
            note: "carefully".to_owned(),
        },
        standing,
    };
    let key = Digest::from_bytes([1; 32]);
    let signed = approval(ApprovalStanding::Signed { key, approver: "Ada".to_owned() });
    let page = page_of(IncidentStatus::Approved, "x", planned(), Some(signed));
    assert!(
        page.contains("Ada &#60;ada&#62;") && page.contains("signed with the key of Ada") && page.contains("carefully")
    );
    let page = page_of(IncidentStatus::Approved, "x", planned(), Some(approval(ApprovalStanding::SelfAsserted)));
    assert_eq!(operations(&page), ["run", "plan", "handoff", "archive"]);
    assert!(page.contains("self-asserted: typed at a terminal, without a key"));
}

#[test]
fn what_was_typed_is_shown_again() {
    let form = Form::read(b"person=Ada+%22&note=careful&command=1&reason=no").unwrap();
    let detail = Detail { stored: stored(IncidentStatus::PlanProposed, "x"), files: planned() };
    let dossier =
        incident_view::of(&detail, Err(String::new()), None, Vec::new(), (false, Some(Mutation::Approve))).unwrap();
    let refusal = Some(Refusal { message: "the key is not trusted".to_owned(), advice: "" });
    let form = Kept::new(Mutation::Approve, form);
    let frame = Frame::new("x", Part::Incidents);
    let page = IncidentPage { frame, dossier, said: None, refusal, form, agent: None, limits: LoopOptions::default() };
    let page = page.render().unwrap();
    for piece in
        ["Not done: the key is not trusted", "value=\"Ada &#34;\"", ">careful</textarea>", "value=\"1\" checked"]
    {
        assert!(page.contains(piece), "{piece}");
    }
    // The reason of another form stays with that form.
    assert!(!page.contains(">no</textarea>"));
    assert!(page.contains("type=\"password\" autocomplete=\"off\""));
}
