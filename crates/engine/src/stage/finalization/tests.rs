#![expect(clippy::disallowed_methods, reason = "tests read what was kept")]

use std::cell::Cell;

use referee_model::stage::life::StageState;
use referee_model::stage::log::StageVerdict;
use referee_report::stage::changes::{StageFinalizedDocument, StageOutcome};
use serde_json::json;

use super::*;
use crate::stage::sample::{StageFixture, error, id, look, question, success};
use crate::stage::{Configuration, acceptance, preparation};

/// Finalizes, with a judge who trusts handbacks.
fn end_it(ground: &StageFixture, seconds: i64, stage: &str, wishes: FinalizeOptions) -> Finalized {
    let verify = |_: &Opened| -> Result<Verdict, StageError> { panic!("the stage names no specification") };
    let service = || Ok(ground.service());
    end(&ground.workshop(seconds), &mut ground.open(stage), wishes, (verify, service), &look).unwrap()
}

fn ended(ground: &StageFixture, seconds: i64) -> StageFinalizedDocument {
    end_it(ground, seconds, "explore", FinalizeOptions::default()).document
}

fn accept(ground: &StageFixture, seconds: i64, again: bool) {
    let wishes = acceptance::AcceptOptions { again, adopt: false };
    acceptance::accept(&ground.workshop(seconds), &mut ground.open("explore"), wishes).unwrap();
}

fn names(document: &StageFinalizedDocument) -> Vec<&str> {
    document.objections.iter().map(|objection| objection.name.as_str()).collect()
}

fn state(ground: &StageFixture) -> StageState {
    ground.open("explore").history.stage(&id("explore")).state
}

fn working() -> StageFixture {
    let ground = StageFixture::new();
    accept(&ground, 2, false);
    ground.explored();
    ground
}

/// FI-01.
#[test]
fn a_success_that_holds_is_published_with_its_digests_and_parameters() {
    let ground = working();
    ground.hand_back("explore", &success());
    let document = ended(&ground, 5);
    assert_eq!((document.outcome, document.state), (StageOutcome::Published, StageState::Completed));
    assert!(document.output_params_written);
    let params = ground.json("stages/explore/run/output-data/output-params.json");
    assert_eq!(
        params,
        json!({ "stage_id": "explore", "published_at": "1970-01-01T00:00:05+00:00", "parameters": { "total": 3 } })
    );
    let run = ground.json("wf-run.json");
    assert_eq!(run["stages"][0]["status"], "completed");
    assert_eq!(run["stages"][0]["started_at"], "1970-01-01T00:00:02+00:00");
    assert_eq!(run["stages"][0]["completed_at"], "1970-01-01T00:00:05+00:00");
    assert_eq!(run["stages"][1]["status"], "pending");
    assert_eq!(ground.operations(), ["composed", "accepted", "validated", "finalized"]);
    let published = ground.open("explore").history.stage(&id("explore")).published;
    let paths: Vec<&str> = published.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        ["run/output-data/findings.json", "run/output-data/output-params.json", "run/output-files/dossier.md"]
    );
    assert_eq!(published, document.published);
}

#[test]
fn what_is_done_already_is_done_again_only_in_word_and_only_while_it_holds() {
    let ground = working();
    ground.hand_back("explore", &success());
    ended(&ground, 5);
    let before = ground.everything();
    let again = ended(&ground, 6);
    assert_eq!(again.outcome, StageOutcome::AlreadyPublished);
    assert_eq!(ground.everything(), before);
    ground.write("stages/explore/run/output-files/dossier.md", "# Another\n");
    let changed = ended(&ground, 7);
    assert_eq!((changed.outcome, names(&changed)), (StageOutcome::Refused, vec!["without_control"]));
    ground.write("stages/explore/run/output-files/dossier.md", "# IncidentView\n");
    ground.hand_back("explore", &json!({ "reason": "success", "description": "Another." }));
    assert_eq!(ended(&ground, 8).outcome, StageOutcome::Refused);
}

/// FI-02.
#[test]
fn outputs_that_fail_refuse_a_success_and_nothing_is_written_but_that() {
    let ground = working();
    ground.hand_back("explore", &success());
    ground.remove("stages/explore/run/output-files/dossier.md");
    let run = ground.read("wf-run.json");
    let document = ended(&ground, 5);
    assert_eq!(document.outcome, StageOutcome::Refused);
    assert_eq!(names(&document), ["outputs_contradict"]);
    assert_eq!(document.checks.failed().count(), 1);
    assert_eq!(document.checks.failed().next().unwrap().0.path, "run/output-files/dossier.md");
    assert!(!document.output_params_written && document.published.is_empty());
    assert_eq!(ground.read("stages/explore/run/output-data/output-params.json"), None);
    assert_eq!(ground.read("wf-run.json"), run);
    assert_eq!(ground.operations(), ["composed", "accepted", "validated"]);
    // After the fix, the same handback is accepted.
    ground.explored();
    assert_eq!(ended(&ground, 6).outcome, StageOutcome::Published);
}

#[test]
fn a_stage_is_finalized_without_a_handback_only_by_a_persons_word() {
    let ground = working();
    assert_eq!(names(&ended(&ground, 5)), ["handback_missing"]);
    ground.hand_back("explore", &json!([]));
    let wishes = FinalizeOptions { without_handback: true, ..FinalizeOptions::default() };
    let junk = end_it(&ground, 6, "explore", wishes).document;
    assert_eq!(names(&junk), ["handback_invalid"]);
    ground.remove("stages/explore/run/output-data/handback.json");
    assert_eq!(ground.operations(), ["composed", "accepted"]);
    let document = end_it(&ground, 7, "explore", wishes).document;
    assert_eq!(document.outcome, StageOutcome::Published);
}

#[test]
fn an_error_fails_the_stage_and_the_same_again_is_one_incident_seen_twice() {
    let ground = working();
    ground.hand_back("explore", &error("INPUT_INVALID"));
    let first = ended(&ground, 5);
    assert_eq!((first.outcome, first.state), (StageOutcome::Error, StageState::Failed));
    let incident = first.incident_id.unwrap();
    let stored = ground.service();
    let find = |service: &crate::incident::IncidentService| service.context("test").find(&incident).unwrap().incident;
    let found = find(&stored);
    assert_eq!(found.step, "stage/explore");
    assert_eq!(found.failure_class, "validation_failed");
    assert_eq!(found.message, "The index cannot be read");
    assert!(found.run_id.starts_with("run-1970-01-01-"));
    let context =
        std::fs::read(ground.beside("reports/error_inbox").join(incident.as_str()).join("context.json")).unwrap();
    let context: serde_json::Value = serde_json::from_slice(&context).unwrap();
    assert_eq!(context["reason"], "INPUT_INVALID: Input file exists but content is invalid or unusable");
    assert_eq!((&context["mode"], &context["stage"]), (&"handback".into(), &"explore".into()), "{context:#}");
    assert_eq!(ground.operations(), ["composed", "accepted", "failed"]);
    accept(&ground, 6, false);
    ground.hand_back("explore", &error("INPUT_INVALID"));
    let second = ended(&ground, 7);
    assert_eq!(second.incident_id.as_ref(), Some(&incident));
    assert_eq!(find(&stored).occurrences, 2);
    let history = ground.open("explore").history.stage(&id("explore"));
    assert_eq!(history.incident, Some(incident.to_string()));
}

#[test]
fn an_error_that_cannot_be_kept_ends_nothing_and_is_kept_by_the_same_again() {
    let ground = working();
    ground.hand_back("explore", &error("UNKNOWN"));
    let verify = |_: &Opened| -> Result<Verdict, StageError> { panic!("nothing is verified") };
    let service = || Err("the disk is full".to_owned());
    let finalized =
        end(&ground.workshop(5), &mut ground.open("explore"), FinalizeOptions::default(), (verify, service), &look)
            .unwrap();
    assert!(finalized.is_incident_lost);
    assert!(finalized.document.incident.unwrap().contains("the disk is full"));
    assert!(finalized.document.next.contains("stage finalize explore"), "{}", finalized.document.next);
    assert_eq!((finalized.document.state, state(&ground)), (StageState::Active, StageState::Active));
    let kept = ended(&ground, 6);
    assert!(kept.incident_id.is_some());
    assert_eq!((kept.state, state(&ground)), (StageState::Failed, StageState::Failed));
}

#[test]
fn cancelled_work_is_no_incident() {
    let ground = working();
    ground.hand_back("explore", &error("CANCELLED"));
    let document = ended(&ground, 5);
    assert_eq!((document.outcome, document.incident_id), (StageOutcome::Error, None));
    assert!(!ground.beside("reports").exists());
    assert_eq!(state(&ground), StageState::Failed);
}

#[test]
fn a_question_blocks_the_stage_and_lies_in_a_message_without_secrets() {
    let ground = working();
    ground.hand_back("explore", &question());
    let document = ended(&ground, 5);
    assert_eq!((document.outcome, document.state), (StageOutcome::Question, StageState::Blocked));
    let message = ground.json("stages/explore/run/messages/m-001.json");
    assert_eq!(message["attempt"], 1);
    assert!(!message.to_string().contains("hunter2"), "{message}");
    assert_eq!(message["answer"], serde_json::Value::Null);
    assert!(!document.description.unwrap().contains("hunter2"));
    assert_eq!(names(&ended(&ground, 6)), ["without_control"]);
}

/// FI-04.
#[test]
fn a_dry_run_says_what_would_become_of_it_and_writes_nothing() {
    for (handback, outcome) in [
        (success(), StageOutcome::Published),
        (question(), StageOutcome::Question),
        (error("TIMEOUT"), StageOutcome::Error),
        (json!({}), StageOutcome::Refused),
    ] {
        let ground = working();
        ground.hand_back("explore", &handback);
        let before = ground.everything();
        let wishes = FinalizeOptions { dry_run: true, ..FinalizeOptions::default() };
        let document = end_it(&ground, 5, "explore", wishes).document;
        assert_eq!((document.outcome, document.output_params_written), (outcome, false));
        assert!(ground.everything() == before, "{outcome:?} wrote");
    }
}

/// A stage that names a specification, with this verdict and an action that is run meanwhile.
fn verified(ground: &StageFixture, verdict: Verdict, meanwhile: impl Fn()) -> (StageFinalizedDocument, bool) {
    let mut opened = ground.open("explore");
    if let Configuration::Read(stage) = &mut opened.configuration {
        stage.specification = Some(referee_model::stage::path::PathReference::new("specification/check.yaml"));
    }
    let ran = Cell::new(false);
    let verify = |_: &Opened| -> Result<Verdict, StageError> {
        ran.set(true);
        meanwhile();
        Ok(verdict)
    };
    let service = || Ok(ground.service());
    let finalized =
        end(&ground.workshop(5), &mut opened, FinalizeOptions::default(), (verify, service), &look).unwrap().document;
    (finalized, ran.get())
}

fn known(decision: &str, exit: u8) -> Verdict {
    let reason = "2 of 3 checks passed".to_owned();
    Verdict::Known(StageVerdict { decision: decision.to_owned(), exit, reason, evidence: None, tree: None })
}

#[test]
fn a_success_over_a_verdict_that_is_no_pass_is_never_published() {
    for verdict in [known("FAIL", 1), known("BLOCKED", 3), known("PASS", 1), known("pass", 0), Verdict::Unknown] {
        let ground = working();
        ground.hand_back("explore", &success());
        let (document, ran) = verified(&ground, verdict, || {});
        assert!(ran);
        assert_eq!((document.outcome, names(&document)), (StageOutcome::Refused, vec!["verdict_contradicts"]));
        assert_eq!(state(&ground), StageState::Active);
    }
    let ground = working();
    ground.hand_back("explore", &success());
    assert_eq!(verified(&ground, known("PASS", 0), || {}).0.outcome, StageOutcome::Published);
}

#[test]
fn a_specification_is_not_run_for_what_is_no_success() {
    let ground = working();
    ground.hand_back("explore", &question());
    let (document, ran) = verified(&ground, known("PASS", 0), || {});
    assert_eq!((document.outcome, ran), (StageOutcome::Question, false));
}

#[test]
fn what_changes_while_the_specification_runs_is_not_published() {
    let ground = working();
    ground.hand_back("explore", &success());
    let meddle = || ground.write("stages/explore/run/output-files/dossier.md", "# Exchanged\n");
    let (document, _) = verified(&ground, known("PASS", 0), meddle);
    assert_eq!((document.outcome, names(&document)), (StageOutcome::Refused, vec!["outputs_contradict"]));
    let ground = working();
    ground.hand_back("explore", &success());
    let meddle = || ground.hand_back("explore", &json!({ "reason": "success", "description": "Another." }));
    assert_eq!(verified(&ground, known("PASS", 0), meddle).0.outcome, StageOutcome::Refused);
}

#[test]
fn what_changes_between_the_judgement_and_the_log_is_not_published() {
    let ground = working();
    ground.hand_back("explore", &success());
    let meddling = |opened: &Opened, verdict: Option<Verdict>| {
        let judged = look(opened, verdict);
        ground.write("stages/explore/run/output-files/dossier.md", "# Exchanged\n");
        judged
    };
    let verify = |_: &Opened| -> Result<Verdict, StageError> { panic!("nothing is verified") };
    let service = || Ok(ground.service());
    let finalized =
        end(&ground.workshop(5), &mut ground.open("explore"), FinalizeOptions::default(), (verify, service), &meddling)
            .unwrap();
    assert_eq!(finalized.document.outcome, StageOutcome::Refused);
    assert_eq!(ground.read("stages/explore/run/output-data/output-params.json"), None);
    assert_eq!(state(&ground), StageState::Active);
}

#[test]
fn a_run_without_its_log_is_finalized_by_nobody() {
    let ground = working();
    for handback in [success(), question(), error("UNKNOWN")] {
        ground.hand_back("explore", &handback);
        let log = ground.read("wf-log.jsonl").unwrap();
        ground.remove("wf-log.jsonl");
        let before = ground.everything();
        let document = ended(&ground, 5);
        assert_eq!(document.outcome, StageOutcome::Refused);
        assert!(names(&document).contains(&"log_contradicts"), "{:?}", names(&document));
        assert!(ground.everything() == before);
        ground.write("wf-log.jsonl", &log);
    }
}

#[test]
fn a_run_that_somebody_else_changes_is_left_alone() {
    let ground = working();
    let opened = ground.open("explore");
    let _held = opened.run.hold(&ground.state).unwrap().unwrap();
    let verify = |_: &Opened| -> Result<Verdict, StageError> { panic!("nothing is verified") };
    let service = || Ok(ground.service());
    let refused =
        end(&ground.workshop(5), &mut ground.open("explore"), FinalizeOptions::default(), (verify, service), &look);
    assert!(matches!(refused, Err(StageError::Busy)));
}

#[test]
fn a_crash_before_the_record_is_made_good_by_whoever_comes_next() {
    let ground = working();
    ground.hand_back("explore", &success());
    let before = ground.read("wf-run.json").unwrap();
    ended(&ground, 5);
    let after = ground.read("wf-run.json").unwrap();
    // Interrupted after the log's line: the record has its earlier content.
    ground.write("wf-run.json", &before);
    let prepared =
        preparation::prepare(&ground.workshop(6), &mut ground.open("specify"), preparation::PrepareOptions::default())
            .unwrap();
    assert!(prepared.warnings.is_empty(), "{:?}", prepared.warnings);
    assert_eq!(ground.read("wf-run.json").unwrap(), after);
    // A record that never agreed with the log is corrected, and the change is reported.
    ground.write("wf-run.json", &after.replacen("\"pending\"", "\"completed\"", 1));
    let prepared =
        preparation::prepare(&ground.workshop(7), &mut ground.open("specify"), preparation::PrepareOptions::default())
            .unwrap();
    assert!(prepared.warnings[0].contains("wf-run.json"), "{:?}", prepared.warnings);
    assert_eq!(ground.read("wf-run.json").unwrap(), after);
}

#[test]
fn parameters_that_the_log_does_not_have_are_believed_by_nobody() {
    let ground = working();
    ground.hand_back("explore", &success());
    // Interrupted before the log's line, or written by the executor itself.
    ground.write(
        "stages/explore/run/output-data/output-params.json",
        &json!({ "stage_id": "explore", "published_at": "1970-01-01T00:00:05+00:00", "parameters": { "total": 99 } })
            .to_string(),
    );
    let refused =
        preparation::prepare(&ground.workshop(5), &mut ground.open("specify"), preparation::PrepareOptions::default());
    assert!(refused.unwrap_err().to_string().contains("explore is active"));
    assert_eq!(ended(&ground, 6).outcome, StageOutcome::Published);
    let params = ground.json("stages/explore/run/output-data/output-params.json");
    assert_eq!(params["parameters"]["total"], 3);
}

#[test]
fn a_configuration_that_was_another_one_when_it_was_read_ends_nothing() {
    let ground = working();
    ground.hand_back("explore", &success());
    let configuration = ground.open("explore").configuration;
    let name = "stages/explore/stage-config.yaml";
    let composed = ground.read(name).unwrap();
    ground.write(name, "id: explore\nlenient: true\n");
    let mut opened =
        Opened::open(&ground.path(""), id("explore"), Some(&ground.state), |_, _| configuration.clone()).unwrap();
    // A later look at the file finds no change.
    ground.write(name, &composed);
    let verify = |_: &Opened| -> Result<Verdict, StageError> { panic!("nothing is verified") };
    let service = || Ok(ground.service());
    let document =
        end(&ground.workshop(5), &mut opened, FinalizeOptions::default(), (verify, service), &look).unwrap().document;
    assert_eq!((document.outcome, names(&document)), (StageOutcome::Refused, vec!["not_as_composed"]));
}
