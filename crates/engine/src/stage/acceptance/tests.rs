use serde_json::json;

use super::*;
use crate::stage::sample::{StageFixture, id, success};

fn accepted(
    ground: &StageFixture,
    seconds: i64,
    stage: &str,
    again: bool,
) -> Result<StageAcceptedDocument, StageError> {
    accept(&ground.workshop(seconds), &mut ground.open(stage), AcceptOptions { again, adopt: false })
}

#[test]
fn whoever_accepts_gets_control_and_is_told_what_to_read() {
    let ground = StageFixture::new();
    let document = accepted(&ground, 2, "explore", false).unwrap();
    assert_eq!((document.attempt, document.state), (1, StageState::Active));
    assert_eq!(document.prompts, ["prompt/wf.md", "prompt/main.md"]);
    assert_eq!((document.kept, document.messages.len()), (None, 0));
    assert!(document.warnings[0].contains("inputs/topic.md"), "{:?}", document.warnings);
    assert_eq!(
        ground.json("stages/explore/run/output-data/accept.json"),
        json!({ "state": "agent", "timestamp": "1970-01-01T00:00:02+00:00" })
    );
    assert_eq!(ground.json("wf-run.json")["stages"][0]["started_at"], "1970-01-01T00:00:02+00:00");
    let history = ground.open("explore").history.stage(&id("explore"));
    assert_eq!((history.attempt, history.state), (1, StageState::Active));
}

#[test]
fn a_stage_comes_after_those_that_it_takes_something_from() {
    let ground = StageFixture::new();
    let before = ground.everything();
    let StageError::Refused(told) = accepted(&ground, 2, "specify", false).unwrap_err() else { panic!() };
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("explore") && told[0].contains("is pending"), "{told:?}");
    assert!(told[1].contains("stage prepare specify"), "{told:?}");
    assert!(ground.everything() == before);
}

#[test]
fn another_attempt_begins_only_where_it_is_said_and_keeps_the_one_before() {
    let ground = StageFixture::new();
    accepted(&ground, 2, "explore", false).unwrap();
    ground.explored();
    ground.hand_back("explore", &success());
    ground.write("stages/explore/run/output-data/output-params.json", "{}");
    let StageError::Illegal(illegal, advice) = accepted(&ground, 3, "explore", false).unwrap_err() else { panic!() };
    assert_eq!(illegal.from, StageState::Active);
    assert!(advice.contains("--again"), "{advice}");
    let document = accepted(&ground, 4, "explore", true).unwrap();
    assert_eq!((document.attempt, document.kept.as_deref()), (2, Some("attempts/001")));
    assert_eq!(document.inputs.keys().collect::<Vec<_>>(), ["inputs/topic.md"]);
    let stage = "stages/explore";
    for passed_on in ["handback.json", "accept.json", "output-params.json"] {
        assert!(ground.read(&format!("{stage}/attempts/001/run/output-data/{passed_on}")).is_some(), "{passed_on}");
    }
    assert_eq!(ground.read(&format!("{stage}/run/output-data/handback.json")), None);
    assert_eq!(ground.read(&format!("{stage}/run/output-data/output-params.json")), None);
    // Outputs stay for the next executor, and a copy of them is kept.
    for output in ["run/output-files/dossier.md", "run/output-data/findings.json"] {
        assert_eq!(ground.read(&format!("{stage}/{output}")), ground.read(&format!("{stage}/attempts/001/{output}")));
    }
    assert_eq!(ground.operations(), ["composed", "accepted", "accepted"]);
}

#[test]
fn what_lies_there_before_anybody_had_control_is_put_aside() {
    let ground = StageFixture::new();
    ground.hand_back("explore", &success());
    let document = accepted(&ground, 2, "explore", false).unwrap();
    assert_eq!((document.attempt, document.kept.as_deref()), (1, Some("attempts/000")));
    assert_eq!(ground.read("stages/explore/run/output-data/handback.json"), None);
    assert!(ground.read("stages/explore/attempts/000/run/output-data/handback.json").is_some());
}

#[test]
fn a_log_that_was_cut_gives_nobody_control() {
    let ground = StageFixture::new();
    accepted(&ground, 2, "explore", false).unwrap();
    let log = ground.read("wf-log.jsonl").unwrap();
    ground.write("wf-log.jsonl", &log[..=log.find('\n').unwrap()]);
    let before = ground.everything();
    let StageError::Refused(told) = accepted(&ground, 3, "explore", true).unwrap_err() else { panic!() };
    assert!(told[0].starts_with("log_contradicts: "), "{told:?}");
    assert!(ground.everything() == before);
}

#[test]
fn a_stage_whose_configuration_cannot_be_read_is_accepted_by_nobody() {
    let ground = StageFixture::new();
    let mut opened = ground.open("explore");
    for configuration in
        [super::super::Configuration::Absent, super::super::Configuration::Broken(vec!["line 1: junk".to_owned()])]
    {
        opened.configuration = configuration;
        let refused = accept(&ground.workshop(2), &mut opened, AcceptOptions::default());
        assert!(refused.unwrap_err().to_string().contains("stages/explore/stage-config.yaml"));
    }
    assert_eq!(ground.operations(), ["composed"]);
}

#[test]
fn what_was_prepared_is_what_an_executor_is_held_to() {
    let ground = StageFixture::new();
    let stage = ground.open("specify");
    let declared = change::declared(&stage).unwrap();
    let put = BTreeMap::from([("inputs/dossier.md".to_owned(), Digest::of(b"# IncidentView"))]);
    let held = stage.run.hold(&ground.state).unwrap().unwrap();
    let operation = StageChange::Prepared { sources: BTreeMap::new(), inputs: put.clone() };
    held.append(ground.workshop(2).now, Some(&id("specify")), 0, "cli", operation).unwrap();
    let log = held.log().unwrap();
    assert!(refuse_exchanged(&stage, declared, &put, &log).is_ok());
    for exchanged in [BTreeMap::new(), BTreeMap::from([("inputs/dossier.md".to_owned(), Digest::of(b"other"))])] {
        let StageError::Refused(told) = refuse_exchanged(&stage, declared, &exchanged, &log).unwrap_err() else {
            panic!()
        };
        assert!(told[0].contains("inputs/dossier.md changed"), "{told:?}");
    }
}
