use referee_ledger::State;
use serde_json::json;

use super::*;
use crate::stage::sample::{StageFixture, digests, id};
use crate::stage::{acceptance, file_path};

fn accept(ground: &StageFixture, seconds: i64, stage: &str, again: bool) -> Result<(), StageError> {
    let wishes = acceptance::AcceptOptions { again, adopt: false };
    acceptance::accept(&ground.workshop(seconds), &mut ground.open(stage), wishes).map(drop)
}

fn prepared(ground: &StageFixture, seconds: i64, wishes: PrepareOptions) -> Result<StagePreparedDocument, StageError> {
    prepare(&ground.workshop(seconds), &mut ground.open("specify"), wishes)
}

fn refusals(result: Result<StagePreparedDocument, StageError>) -> Vec<String> {
    match result.unwrap_err() {
        StageError::Refused(problems) => problems,
        other => panic!("{other}"),
    }
}

/// Publishes the outputs of `explore`, as `finalize` does it.
fn publish(ground: &StageFixture, seconds: i64) {
    let params =
        json!({ "stage_id": "explore", "published_at": "1970-01-01T00:00:05+00:00", "parameters": { "total": 3 } });
    ground.write("stages/explore/run/output-data/output-params.json", &params.to_string());
    let opened = ground.open("explore");
    let paths = [
        "run/output-data/output-params.json",
        "run/output-data/findings.json",
        "run/output-data/extra.json",
        "run/output-files/dossier.md",
    ]
    .map(|text| file_path::path(text).unwrap());
    let outputs = digests(&opened, &paths);
    let held = opened.run.hold(&ground.state).unwrap().unwrap();
    let attempt = opened.history.stage(&id("explore")).attempt;
    let operation = StageChange::Finalized { handback: None, outputs };
    held.append(ground.workshop(seconds).now, Some(&id("explore")), attempt, "ada", operation).unwrap();
}

fn done() -> StageFixture {
    let ground = StageFixture::new();
    accept(&ground, 2, "explore", false).unwrap();
    ground.explored();
    publish(&ground, 3);
    ground
}

const AGAIN: PrepareOptions = PrepareOptions { again: true, dry_run: false, adopt: false };

/// FI-03.
#[test]
fn files_and_parameters_that_were_published_are_put_into_the_next_stage() {
    let ground = done();
    let document = prepared(&ground, 5, PrepareOptions::default()).unwrap();
    assert_eq!(ground.read("stages/specify/inputs/dossier.md").as_deref(), Some("# IncidentView\n"));
    assert_eq!(ground.json("stages/specify/inputs/params.json"), json!({ "total": 3, "first": "gate" }));
    assert_eq!(document.sources, BTreeMap::from([(id("explore"), 1)]));
    assert_eq!(document.left_out, ["extra"]);
    assert_eq!(document.copied.len(), 1);
    assert_eq!(document.state, StageState::Prepared);
    // The same request gives the same result.
    let inputs = ground.read("stages/specify/inputs/params.json");
    assert_eq!(prepared(&ground, 6, PrepareOptions::default()).unwrap(), document);
    assert_eq!(ground.read("stages/specify/inputs/params.json"), inputs);
    accept(&ground, 7, "specify", false).unwrap();
    let recorded = ground.open("specify").history.stage(&id("specify")).inputs;
    assert_eq!(recorded.keys().collect::<Vec<_>>(), ["inputs/dossier.md", "inputs/params.json"]);
}

/// FI-04.
#[test]
fn a_dry_run_lists_what_would_be_copied_and_writes_nothing() {
    let ground = done();
    let before = ground.everything();
    let document = prepared(&ground, 5, PrepareOptions { dry_run: true, ..PrepareOptions::default() }).unwrap();
    assert_eq!((document.copied.len(), document.parameters.len()), (1, 2));
    assert_eq!(document.state, StageState::Pending);
    assert!(ground.everything() == before);
}

/// PF-06.
#[test]
fn nothing_is_taken_from_a_stage_that_is_not_done() {
    let ground = StageFixture::new();
    ground.explored();
    let told = refusals(prepared(&ground, 2, PrepareOptions::default()));
    assert!(
        told.len() == 1 && told[0].contains("explore is pending") && told[0].contains("stage finalize explore"),
        "{told:?}"
    );
    accept(&ground, 3, "explore", false).unwrap();
    assert!(refusals(prepared(&ground, 4, PrepareOptions::default()))[0].contains("explore is active"));
    assert_eq!(ground.read("stages/specify/inputs/dossier.md"), None);
    assert_eq!(ground.operations(), ["composed", "accepted"]);
}

/// PF-07.
#[test]
fn whatever_is_not_as_it_was_published_is_refused_by_name_all_at_once() {
    let ground = done();
    ground.write("stages/explore/run/output-files/dossier.md", "# Exchanged\n");
    ground.remove("stages/explore/run/output-data/findings.json");
    ground.write("stages/explore/run/output-data/output-params.json", "{}");
    let told = refusals(prepared(&ground, 5, PrepareOptions::default()));
    assert_eq!(told.len(), 3);
    for (problem, name) in told.iter().zip(["findings.json", "output-params.json", "dossier.md"]) {
        assert!(problem.contains(name) && problem.contains("--again"), "{problem}");
    }
    assert_eq!(ground.read("stages/specify/inputs/dossier.md"), None);
}

#[test]
fn values_that_nobody_published_are_missed_by_name() {
    let ground = StageFixture::new();
    accept(&ground, 2, "explore", false).unwrap();
    ground.explored();
    ground.write("stages/explore/run/output-data/findings.json", r#"{ "items": [] }"#);
    ground.remove("stages/explore/run/output-files/dossier.md");
    publish(&ground, 3);
    let told = refusals(prepared(&ground, 5, PrepareOptions::default()));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("input dossier") && told[1].contains("parameter first"), "{told:?}");
}

#[test]
fn an_optional_input_that_is_not_published_any_more_is_taken_away() {
    let ground = StageFixture::new();
    accept(&ground, 2, "explore", false).unwrap();
    ground.explored();
    ground.write("stages/explore/run/output-data/extra.json", "{}");
    publish(&ground, 3);
    assert_eq!(prepared(&ground, 4, PrepareOptions::default()).unwrap().copied.len(), 2);
    accept(&ground, 5, "explore", true).unwrap();
    ground.remove("stages/explore/run/output-data/extra.json");
    publish(&ground, 6);
    assert_eq!(prepared(&ground, 7, PrepareOptions::default()).unwrap().left_out, ["extra"]);
    assert_eq!(ground.read("stages/specify/inputs/extra.json"), None);
}

#[test]
fn a_stage_whose_source_was_done_again_is_prepared_again_where_that_is_said() {
    let ground = done();
    prepared(&ground, 4, PrepareOptions::default()).unwrap();
    accept(&ground, 5, "specify", false).unwrap();
    accept(&ground, 6, "explore", true).unwrap();
    publish(&ground, 7);
    let refused = accept(&ground, 8, "specify", true).unwrap_err().to_string();
    assert!(
        refused.contains("explore was done again") && refused.contains("stage prepare specify --again"),
        "{refused}"
    );
    let told = refusals(prepared(&ground, 9, PrepareOptions::default()));
    assert!(told[0].contains("is active") && told[0].contains("--again"), "{told:?}");
    let document = prepared(&ground, 10, AGAIN).unwrap();
    assert_eq!(document.sources, BTreeMap::from([(id("explore"), 2)]));
    accept(&ground, 11, "specify", false).unwrap();
    assert_eq!(ground.open("specify").history.stage(&id("specify")).attempt, 2);
}

#[test]
fn a_run_of_another_machine_is_changed_only_where_it_is_taken_on() {
    let ground = done();
    let state = State::open(&ground.beside("another")).unwrap();
    let workshop = super::super::Workshop { state: Some(&state), ..ground.workshop(5) };
    let refused = refusals(prepare(&workshop, &mut ground.open("specify"), PrepareOptions::default()));
    assert!(refused[0].contains("log_contradicts") && refused[0].contains("--adopt"), "{refused:?}");
    let wishes = PrepareOptions { adopt: true, ..PrepareOptions::default() };
    assert!(prepare(&workshop, &mut ground.open("specify"), wishes).is_ok());
    let nowhere = super::super::Workshop { state: None, ..ground.workshop(5) };
    assert!(refusals(prepare(&nowhere, &mut ground.open("specify"), wishes))[0].contains("REFEREE_STATE_DIR"));
}
