//! One whole judgement an outcome, with the keys of seed 1's detailed structures (ruling 7).

use referee_model::plan::service::Port;
use referee_model::record::ServiceFacts;
use referee_model::record::http::NoAnswerCause;
use referee_model::record::service::{PortCheck, PortHolder};

use super::*;

fn seen(action: &Action, record: &Record, reading: &Reading) -> String {
    let mut plan = plan(vec![action.clone()]);
    if matches!(record.facts, Facts::NotExecuted) {
        plan.problems =
            vec![problem(Some(action), "`CONTENT_REGEX` is not a validation type; did you mean `CONTENT_MATCH`?")];
    }
    format!("{:#?}", judge(&plan, action, record, reading))
}

#[test]
fn success() {
    let action = line("STEP.4", "npx jest --ci");
    let judgement = seen(&action, &exited(&action, 0), &tests("jest", 5, 0, 1));
    insta::assert_snapshot!(judgement);
}

#[test]
fn test_failure_of_an_endpoint() {
    let action = http("STEP.4", request("http://localhost:3000/api/v1/quotes"));
    let judgement = seen(&action, &answered(&action, answer(404)), &nothing());
    insta::assert_snapshot!(judgement);
}

#[test]
fn execution_error_without_a_server() {
    let action = http("STEP.9", request("http://localhost:3000/api/v1/quotes"));
    let mut record = unanswered(&action, NoAnswerCause::Refused);
    if let Facts::Http(facts) = &mut record.facts {
        facts.diagnostics.port_check = Some(PortCheck { port: 3_000, in_use: false, holders: Vec::new() });
    }
    let judgement = seen(&action, &record, &nothing());
    insta::assert_snapshot!(judgement);
}

#[test]
fn validation_failure_of_types() {
    let action = line("STEP.3", "npx tsc --noEmit");
    let judgement = seen(&action, &exited(&action, 2), &findings("tsc", 1, 0, 0));
    insta::assert_snapshot!(judgement);
}

#[test]
fn timeout() {
    let action = line("STEP.10", "./long");
    let deadline = Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: true };
    let judgement = seen(&action, &ended(&action, deadline), &words("Processing 1000 items...\n"));
    insta::assert_snapshot!(judgement);
}

#[test]
fn prerequisite_failure_for_a_port_in_use() {
    let server = referee_model::plan::Service { port: Some(Port::Fixed(3_000)), ..dev_server() };
    let action = service("PREREQ.3", server);
    let holder = PortHolder { pid: 9_876, name: "node".to_owned(), command: "npm run dev".to_owned(), own: false };
    let facts = ServiceFacts {
        started: None,
        port: Some(3_000),
        port_check: Some(PortCheck { port: 3_000, in_use: true, holders: vec![holder] }),
        ..service_facts(Readiness::PortTaken)
    };
    let judgement = seen(&action, &serviced(&action, facts), &nothing());
    insta::assert_snapshot!(judgement);
}

#[test]
fn specification_error() {
    let action = file("STEP.12", FileExpectation::Absent);
    let judgement = seen(&action, &not_executed(&action), &nothing());
    insta::assert_snapshot!(judgement);
}
