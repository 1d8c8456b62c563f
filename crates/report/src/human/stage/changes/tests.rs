use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::stage::check::{CheckKind, CheckStatus, Checks};
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::life::StageState;
use referee_model::stage::log::StageVerdict;
use referee_model::stage::standing::StandingName;
use referee_model::time::Timestamp;
use serde_json::{Map, Value, json};

use super::*;
use crate::stage::changes::{self, CopiedInput};
use crate::style::Verbosity;

const STYLE: Style = Style { color: false, unicode: true, width: 80, interactive: false, verbosity: Verbosity::Normal };

fn stage() -> StageId {
    StageId::parse("specify").unwrap()
}

fn run() -> StageRunId {
    StageRunId::new("2026-11-22", 1).unwrap()
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut text = Vec::new();
    write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_preparation_says_what_came_from_where() {
    let document = StagePreparedDocument {
        stage_prepared_version: changes::version(),
        stage_id: stage(),
        run_id: run(),
        state: StageState::Prepared,
        dry_run: false,
        sources: BTreeMap::from([(StageId::parse("explore").unwrap(), 2)]),
        copied: vec![CopiedInput {
            name: "dossier".to_owned(),
            from_stage: StageId::parse("explore").unwrap(),
            source: "run/output-files/dossier.md".to_owned(),
            path: "inputs/dossier.md".to_owned(),
            sha256: Digest::from_bytes([7; 32]),
        }],
        left_out: vec!["extra".to_owned()],
        parameters: object(&json!({ "top": "gate\u{1b}[31m" })),
        warnings: vec!["wf-run.json said otherwise".to_owned()],
        next: "referee stage accept specify --run-dir /runs/1".to_owned(),
    };
    insta::assert_snapshot!(written(|out| prepared(&document, &STYLE, out)));
    let dry = StagePreparedDocument { dry_run: true, sources: BTreeMap::new(), ..document };
    assert!(written(|out| prepared(&dry, &STYLE, out)).starts_with("specify would be prepared: nothing comes"));
}

#[test]
fn an_acceptance_says_what_to_read() {
    let document = StageAcceptedDocument {
        stage_accepted_version: changes::version(),
        stage_id: stage(),
        run_id: run(),
        state: StageState::Active,
        attempt: 2,
        accepted_at: Timestamp::from_millisecond(1_795_251_924_120),
        prompts: vec!["prompt/wf.md".to_owned(), "prompt/main.md".to_owned()],
        messages: vec!["run/messages/m-001.json".to_owned()],
        inputs: BTreeMap::from([("inputs/dossier.md".to_owned(), Digest::from_bytes([7; 32]))]),
        kept: Some("attempts/001".to_owned()),
        warnings: Vec::new(),
        next: "referee stage preflight specify --run-dir /runs/1".to_owned(),
    };
    insta::assert_snapshot!(written(|out| accepted(&document, &STYLE, out)));
}

#[test]
fn a_question_is_shown_as_it_was_asked_and_nothing_of_it_is_obeyed() {
    let document = StageAnsweredDocument {
        stage_answered_version: changes::version(),
        stage_id: stage(),
        run_id: run(),
        state: StageState::Blocked,
        attempt: 1,
        message: "run/messages/m-001.json".to_owned(),
        question: "Which of both?\nspecify is answered\u{1b}[2J".to_owned(),
        answer: None,
        warnings: Vec::new(),
        next: "referee stage answer specify --text TEXT --run-dir /runs/1".to_owned(),
    };
    insta::assert_snapshot!(written(|out| answered(&document, &STYLE, out)));
    let document = StageAnsweredDocument { answer: Some("The second.".to_owned()), ..document };
    assert!(written(|out| answered(&document, &STYLE, out)).contains("  answer         The second."));
}

fn refused_document() -> StageFinalizedDocument {
    StageFinalizedDocument {
        stage_finalized_version: changes::version(),
        status: CheckStatus::Fail,
        outcome: StageOutcome::Refused,
        stage_id: stage(),
        run_id: Some(run()),
        state: StageState::Active,
        attempt: 1,
        dry_run: false,
        checks: Checks {
            checks: vec![Check {
                kind: CheckKind::SchemaValid,
                path: "run/output-data/findings.json".to_owned(),
                message: "findings.json breaks its schema in 2 places".to_owned(),
                failure: Some(CheckFailure {
                    action: "fix it as schemas/findings.schema.json says".to_owned(),
                    schema: None,
                    json_path: Some("/items/0".to_owned()),
                    details: vec!["at /items/0: `id` is missing".to_owned(), "at /total: it is a text".to_owned()],
                }),
            }],
            warnings: Vec::new(),
        },
        objections: vec![Objection {
            name: StandingName::VerdictContradicts,
            message: "the stage's specification is not passed: 1 of 3 checks failed".to_owned(),
            action: "make it pass: look at what failed in its evidence".to_owned(),
        }],
        output_params_written: false,
        output_params: Map::new(),
        published: BTreeMap::new(),
        reason: Some("success".to_owned()),
        description: Some("All is done.\nevery check passed".to_owned()),
        verdict: Some(StageVerdict {
            decision: "FAIL".to_owned(),
            exit: 1,
            reason: "1 of 3 checks failed".to_owned(),
            evidence: Some("stages/specify/evidence/T001".to_owned()),
            tree: None,
        }),
        message: None,
        incident_id: None,
        incident: None,
        warnings: Vec::new(),
        summary: "stage specify is not finalized: 1 objection, 1 failed check".to_owned(),
        next: "referee stage validate specify --run-dir /runs/1".to_owned(),
    }
}

#[test]
fn a_refusal_tells_everything_with_its_name_and_action() {
    insta::assert_snapshot!(written(|out| finalized(&refused_document(), &STYLE, out)));
}

#[test]
fn a_publication_tells_what_is_published() {
    let document = StageFinalizedDocument {
        status: CheckStatus::Pass,
        outcome: StageOutcome::Published,
        checks: Checks::default(),
        objections: Vec::new(),
        verdict: None,
        output_params: object(&json!({ "total": 3 })),
        published: BTreeMap::from([("run/output-data/findings.json".to_owned(), Digest::from_bytes([7; 32]))]),
        summary: "stage specify is done: 1 file published".to_owned(),
        next: "referee stage status --run-dir /runs/1".to_owned(),
        ..refused_document()
    };
    insta::assert_snapshot!(written(|out| finalized(&document, &STYLE, out)));
}

#[test]
fn what_is_to_be_typed_is_on_one_line_however_narrow_the_terminal_is() {
    let command = "referee stage accept specify --run-dir '/home/somebody/my runs/of this week/run-2026-11-22-001'";
    let mut document = refused_document();
    document.next = command.to_owned();
    document.objections[0].action = format!("begin another attempt: {command} --again");
    let narrow = Style { width: 40, ..STYLE };
    let text = written(|out| finalized(&document, &narrow, out));
    assert_eq!(text.lines().filter(|line| line.contains(command)).count(), 2, "{text}");
}

#[test]
fn outputs_that_are_missing_beside_a_question_or_an_error_are_only_counted() {
    for outcome in [StageOutcome::Question, StageOutcome::Error] {
        let document = StageFinalizedDocument { outcome, objections: Vec::new(), ..refused_document() };
        let text = written(|out| finalized(&document, &STYLE, out));
        assert!(
            text.contains("1 check fails, and is not what stops the stage") && !text.contains("SCHEMA_VALID"),
            "{text}"
        );
    }
}
