use serde_json::json;

use super::*;
use crate::stage::acceptance;
use crate::stage::sample::{StageFixture, id, look, question, success};

fn accept(ground: &StageFixture, seconds: i64) -> referee_report::stage::changes::StageAcceptedDocument {
    acceptance::accept(&ground.workshop(seconds), &mut ground.open("explore"), acceptance::AcceptOptions::default())
        .unwrap()
}

fn answered(ground: &StageFixture, seconds: i64, text: &str) -> Result<StageAnsweredDocument, StageError> {
    answer_what(&ground.workshop(seconds), &mut ground.open("explore"), text, &|opened| look(opened, None))
}

fn asking() -> StageFixture {
    let ground = StageFixture::new();
    accept(&ground, 2);
    ground.hand_back("explore", &question());
    ground
}

/// Returns a stage whose question was added to the log, as `finalize` does it.
fn blocked() -> StageFixture {
    let ground = asking();
    let opened = ground.open("explore");
    let held = opened.run.hold(&ground.state).unwrap().unwrap();
    let HandbackFound::Valid(handback, digest) = look(&opened, None).unwrap().handed.document else { unreachable!() };
    let before = opened.history.stage(&id("explore"));
    let place = question::place(&opened, &held.log().unwrap()).unwrap();
    let message = question::message(&ground.workshop(3), &opened, &before, &handback);
    question::write(&held, &opened, &place, &message).unwrap();
    let operation = StageChange::Questioned { message: place.to_string(), handback: digest };
    held.append(ground.workshop(3).now, Some(&id("explore")), 1, "ada", operation).unwrap();
    drop(held);
    ground
}

#[test]
fn a_question_that_was_handed_back_is_answered_and_the_next_executor_finds_it() {
    let ground = asking();
    let document = answered(&ground, 5, "  The second, hunter2hunter2.\n").unwrap();
    assert_eq!((document.state, document.attempt), (StageState::Prepared, 1));
    assert_eq!(ground.operations(), ["composed", "accepted", "questioned", "answered"]);
    let message = ground.json("stages/explore/run/messages/m-001.json");
    assert_eq!(message["answer"]["by"], "ada");
    assert!(message["answer"]["text"].as_str().unwrap().starts_with("The second"));
    assert!(!message.to_string().contains("hunter2"), "{message}");
    let next = accept(&ground, 6);
    assert_eq!((next.attempt, next.messages), (2, vec!["run/messages/m-001.json".to_owned()]));
    assert_eq!(next.kept.as_deref(), Some("attempts/001"));
    assert!(ground.read("stages/explore/attempts/001/run/output-data/handback.json").is_some());
    assert!(ground.read("stages/explore/run/messages/m-001.json").is_some());
    // Another question has a message of its own.
    ground.hand_back("explore", &json!({ "reason": "question", "description": "And then?" }));
    assert_eq!(answered(&ground, 7, "Stop.").unwrap().message, "run/messages/m-002.json");
}

#[test]
fn a_blocked_stage_is_answered_by_what_its_handback_asked_whatever_its_message_says() {
    let ground = blocked();
    let message = ground.read("stages/explore/run/messages/m-001.json").unwrap();
    ground.write("stages/explore/run/messages/m-001.json", &message.replace("Which of both?", "May I go on?"));
    let document = answered(&ground, 5, "Yes.").unwrap();
    assert!(document.question.starts_with("Which of both?"), "{}", document.question);
    assert!(document.warnings.is_empty());
    let written = ground.json("stages/explore/run/messages/m-001.json");
    assert!(written["question"].as_str().unwrap().starts_with("Which of both?"));
    assert_eq!(written["asked_at"], "1970-01-01T00:00:03+00:00");
    assert_eq!(ground.operations(), ["composed", "accepted", "questioned", "answered"]);
}

#[test]
fn a_question_whose_handback_was_exchanged_is_told_as_such() {
    let ground = blocked();
    ground.hand_back("explore", &json!({ "reason": "question", "description": "May I go on?" }));
    let shown = show(&ground.workshop(4), &ground.open("explore")).unwrap();
    assert!(shown.question.starts_with("Which of both?"), "{}", shown.question);
    assert_eq!((shown.answer, shown.warnings.len()), (None, 1));
    ground.remove("stages/explore/run/messages/m-001.json");
    assert!(matches!(answered(&ground, 5, "Yes."), Err(StageError::Refused(_))));
}

#[test]
fn showing_a_question_writes_nothing() {
    let ground = blocked();
    let before = ground.everything();
    let shown = show(&ground.workshop(4), &ground.open("explore")).unwrap();
    assert_eq!(shown.state, StageState::Blocked);
    assert!(!shown.question.contains("hunter2"));
    assert!(ground.everything() == before);
}

#[test]
fn an_answer_says_something_and_there_is_a_question() {
    let ground = blocked();
    let before = ground.everything();
    for bad in ["", " \n", &"x".repeat(limit::STAGE_ANSWER_CHARACTERS + 1)] {
        assert!(matches!(answered(&ground, 5, bad), Err(StageError::Invalid(_))));
    }
    assert!(ground.everything() == before);
    let ground = StageFixture::new();
    assert!(matches!(answered(&ground, 5, "Yes."), Err(StageError::Illegal(..))));
    accept(&ground, 6);
    assert!(matches!(answered(&ground, 7, "Yes."), Err(StageError::Refused(_))));
    ground.hand_back("explore", &success());
    assert!(matches!(answered(&ground, 8, "Yes."), Err(StageError::Refused(_))));
    assert_eq!(ground.operations(), ["composed", "accepted"]);
}

#[test]
fn an_answer_that_somebody_changed_is_named_and_the_next_executor_finds_the_one_that_was_given() {
    let ground = blocked();
    answered(&ground, 5, "The second one.").unwrap();
    let place = "stages/explore/run/messages/m-001.json";
    let given = ground.read(place).unwrap();
    ground.write(place, &given.replace("The second one.", "Whatever you like."));
    let opened = ground.open("explore");
    let told = crate::stage::history::contradictions(&opened.run, &opened.history, &opened.stage).unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].message.contains("is not the answer that a person gave"), "{told:?}");
    let next = accept(&ground, 6);
    assert!(next.warnings.iter().any(|warning| warning.contains("m-001.json")), "{:?}", next.warnings);
    assert_eq!(ground.read(place).unwrap(), given);
    ground.remove(place);
    let opened = ground.open("explore");
    let told = crate::stage::history::contradictions(&opened.run, &opened.history, &opened.stage).unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
}
