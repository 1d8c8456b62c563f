//! Interactions with a database or a browser.

use referee_model::plan::interaction::RowExpectation;
use referee_model::plan::{Expectation, SchemaSource};
use referee_model::record::http::AssertionObservation;
use referee_model::record::{InteractionEnding, InteractionFacts, SchemaObservation};

use super::*;
use crate::fixture::{browser, interacted, interaction_facts};

fn judged(action: &Action, facts: InteractionFacts) -> String {
    told(&judge(&plan(vec![action.clone()]), action, &interacted(action, facts), &nothing()))
}

fn holding(holds: Option<bool>, schema: Option<SchemaObservation>) -> AssertionObservation {
    AssertionObservation { holds, found: "1 row".to_owned(), schema }
}

#[test]
fn each_ending_has_its_row_whatever_is_expected() {
    let expectations = [Vec::new(), vec![RowExpectation::Count(1)], vec![RowExpectation::Contains("7".to_owned())]];
    let queries = expectations.into_iter().map(|wanted| query("STEP.1", wanted));
    for action in queries.chain([browser("STEP.1")]) {
        for (ending, expected) in [
            (
                InteractionEnding::Unavailable { message: "connection refused".to_owned() },
                "EXECUTION_ERROR interaction/unavailable blocks High",
            ),
            (InteractionEnding::Interrupted, "EXECUTION_ERROR execution/interrupted blocks High"),
            (
                InteractionEnding::DeadlineExceeded {
                    timeout_ms: 10_000,
                    of_task: false,
                    waiting_for: "answer".to_owned(),
                },
                "TIMEOUT timeout/deadline blocks Medium",
            ),
            (
                InteractionEnding::Refused { request: 0, message: "no such table".to_owned() },
                "TEST_FAILURE interaction/refused blocks High",
            ),
            (
                InteractionEnding::Refused { request: 9, message: "no such table".to_owned() },
                "EXECUTION_ERROR execution/facts-unusable blocks High",
            ),
        ] {
            let facts = interaction_facts(&action, ending.clone());
            assert_eq!(judged(&action, facts), expected, "{ending:?} of {:?}", action.work);
            // What is observed of an answer does not count where there is none.
            let mut facts = interaction_facts(&action, ending.clone());
            facts.observations = vec![holding(Some(true), None)];
            assert_eq!(judged(&action, facts), expected, "{ending:?} of {:?}, observed", action.work);
        }
    }
}

#[test]
fn rows_are_as_expected_or_not() {
    let success = "SUCCESS interaction/as-expected passes None";
    let differs = "TEST_FAILURE interaction/differs blocks High";
    let unusable = "EXECUTION_ERROR execution/facts-unusable blocks High";
    let specification = "SPECIFICATION_ERROR specification/schema-unusable blocks High";
    let rows = || RowExpectation::Count(2);
    let cell = || RowExpectation::Contains("7".to_owned());
    let schema = || RowExpectation::Schema(SchemaSource::Inline("{}".to_owned()));
    let plain = |holds| holding(holds, None);
    let invalid = SchemaObservation::Invalid { errors: vec!["at /0/id: too short".to_owned()], error_count: 1 };
    let unfit = SchemaObservation::Unusable { message: "no such file".to_owned() };
    let cases = [
        (Vec::new(), Vec::new(), success),
        (vec![rows()], vec![plain(Some(true))], success),
        (vec![rows(), cell()], vec![plain(Some(true)), plain(Some(true))], success),
        (vec![schema()], vec![holding(Some(true), Some(SchemaObservation::Valid))], success),
        (vec![rows()], vec![plain(Some(false))], differs),
        (vec![rows(), cell()], vec![plain(Some(true)), plain(Some(false))], differs),
        // A difference is a difference, also beside what is not known.
        (vec![rows(), cell()], vec![plain(None), plain(Some(false))], differs),
        (vec![schema()], vec![holding(Some(false), Some(invalid.clone()))], differs),
        (vec![rows()], vec![plain(None)], unusable),
        (vec![schema()], vec![plain(Some(true))], unusable),
        (vec![schema()], vec![holding(Some(true), Some(invalid))], unusable),
        (vec![rows()], vec![holding(Some(true), Some(SchemaObservation::Valid))], unusable),
        (vec![schema()], vec![holding(None, Some(unfit))], specification),
        (vec![schema()], vec![holding(None, Some(SchemaObservation::TooLarge))], unusable),
        // As many observations as expectations, or it cannot be judged.
        (vec![rows()], Vec::new(), unusable),
        (Vec::new(), vec![plain(Some(true))], unusable),
        (vec![rows()], vec![plain(Some(true)), plain(Some(true))], unusable),
    ];
    for (expected, observations, outcome) in cases {
        let action = query("STEP.1", expected.clone());
        let mut facts = interaction_facts(&action, InteractionEnding::Completed);
        facts.observations = observations.clone();
        assert_eq!(judged(&action, facts), outcome, "{expected:?}: {observations:?}");
    }
}

#[test]
fn a_browser_that_did_not_get_every_command_has_not_done_what_was_asked() {
    let action = browser("STEP.1");
    let mut facts = interaction_facts(&action, InteractionEnding::Completed);
    assert_eq!(judged(&action, facts.clone()), "SUCCESS interaction/as-expected passes None");
    facts.requests.pop();
    assert_eq!(judged(&action, facts), "EXECUTION_ERROR execution/facts-unusable blocks High");
}

#[test]
fn what_could_not_be_asked_is_never_the_failure_that_is_expected() {
    for action in [query("STEP.1", vec![RowExpectation::Count(2)]), browser("STEP.1")] {
        let outcome = Some(Outcome::ExecutionError);
        let action = Action { expect: Some(Expectation { outcome, ..Expectation::default() }), ..action };
        let ending = InteractionEnding::Unavailable { message: "no such program".to_owned() };
        let facts = interaction_facts(&action, ending);
        assert_eq!(judged(&action, facts), "EXECUTION_ERROR interaction/unavailable blocks High");
    }
}
