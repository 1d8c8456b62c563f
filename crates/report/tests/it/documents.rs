//! Documents that are written but not read back, and the journal.

use referee_model::event::journal;
use referee_model::event::{Event, EventKind};
use referee_model::id::TaskId;
use referee_model::outcome::Outcome;
use referee_model::plan::plan_document as plan;
use referee_model::reading::{TestFailure, TestResults};
use referee_model::record::SkipReason;
use referee_model::record::attempt_record as record;
use referee_model::record::header as run;
use referee_model::report::{ActionReport, Ran, Report};
use referee_model::selection::LeftOut;
use referee_model::verdict::Decision;
use referee_report::diagnostics;
use referee_report::formats::rdjson;
use referee_report::formats::sarif;
use referee_report::parse;
use referee_report::test_results;
use serde_json::Value;

use crate::fixture::{self, at, id, run_context};
use crate::schemas::assert_fits;

/// Returns all executed actions of the runs of all outcomes.
fn all_ran() -> Vec<(referee_model::plan::Action, Ran)> {
    let reports = fixture::of_each_outcome().into_iter();
    let actions = reports.flat_map(|(_, report)| report.actions);
    actions.filter_map(|report| Some((report.action.clone(), report.ran()?.clone()))).collect()
}

#[test]
fn documents_of_readings_fit_their_schemas() {
    for (action, ran) in all_ran() {
        assert_fits("diagnostics", &diagnostics::document(&action, &ran.reading));
        if let Some(tests) = &ran.reading.tests {
            assert_fits("test-results", &test_results::document(&action, &ran.record, tests));
        }
    }
}

#[test]
fn readings_of_several_inputs_and_their_lines_fit_their_schemas() {
    let ran = all_ran();
    let mut kinds = std::collections::BTreeSet::new();
    for (_, ran) in &ran {
        let lines = String::from_utf8(parse::lines("-", &ran.reading).unwrap()).unwrap();
        for line in lines.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            kinds.insert(line["kind"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["diagnostic", "failed-test", "summary"]);
}

#[test]
fn findings_and_failed_tests_are_told_in_the_formats_of_others() {
    let ran = all_ran();
    insta::assert_snapshot!("sarif", pretty(&sarif::document(ran.iter().map(|(_, ran)| &ran.reading))));
    let lines: Vec<u8> = ran.iter().flat_map(|(_, ran)| rdjson::lines("-", &ran.reading).unwrap()).collect();
    insta::assert_snapshot!("rdjsonl", String::from_utf8(lines).unwrap());
}

#[test]
fn documents_of_failures_fit_their_schemas() {
    for (_, report) in fixture::of_each_outcome() {
        if let Some(error) = &report.verdict.build_error {
            assert_fits("build-error", error);
        }
    }
}

#[test]
fn documents_of_a_type_error_and_of_a_failed_test() {
    let reports = fixture::of_each_outcome();
    let of = |outcome| {
        let (_, report) = reports.iter().find(|(of, _)| *of == outcome).unwrap();
        (report.actions[0].action.clone(), report.actions[0].ran().unwrap().clone())
    };
    let (action, typed) = of(Outcome::ValidationFailure);
    insta::assert_snapshot!("diagnostics", pretty(&diagnostics::document(&action, &typed.reading)));
    insta::assert_snapshot!("record", pretty(&record::document(&action, &typed.record)));
    let (action, tested) = of(Outcome::TestFailure);
    let tests = tested.reading.tests.as_ref().unwrap();
    insta::assert_snapshot!("test_results", pretty(&test_results::document(&action, &tested.record, tests)));
    insta::assert_snapshot!("parse", pretty(&parse::document(&tested.reading)));
}

#[test]
fn documents_of_requests_services_and_files() {
    let recorded = |report: &Report, number: usize| {
        let report = &report.actions[number];
        pretty(&record::document(&report.action, &report.ran().unwrap().record))
    };
    let requests = run_context::requests();
    insta::assert_snapshot!("record_of_an_answer", recorded(&requests, 1));
    insta::assert_snapshot!("record_of_no_answer", recorded(&requests, 2));
    let services = run_context::services();
    insta::assert_snapshot!("record_of_a_service", recorded(&services, 1));
    insta::assert_snapshot!("run_with_services", pretty(&run::KIND.versioned(&services.run)));
    insta::assert_snapshot!("plan_of_services", pretty(&plan::KIND.versioned(&services.plan)));
    insta::assert_snapshot!("record_of_a_pattern", recorded(&run_context::files(), 0));
    insta::assert_snapshot!("record_of_nothing", recorded(&run_context::misspecified(), 1));
}

fn pretty(document: &impl serde::Serialize) -> String {
    String::from_utf8(referee_model::document::to_bytes(document).unwrap()).unwrap()
}

fn listed(tests: &TestResults) -> Vec<Value> {
    let (action, mut ran) = all_ran().swap_remove(0);
    fixture::tested(&mut ran, tests.clone());
    let document = serde_json::to_value(test_results::document(&action, &ran.record, tests)).unwrap();
    document["results"]["testResults"].as_array().unwrap().clone()
}

#[test]
fn a_failure_explains_its_own_case_however_the_runner_joins_names() {
    let mut tests = fixture::jest(1, 2, 0);
    tests.failures[0].name = "GET /quotes › answers 1".to_owned();
    tests.failures[1].name = "GET /quotes > answers 0".to_owned();
    "the first".clone_into(&mut tests.failures[0].message);
    tests.failures[0].stack = None;
    let listed = listed(&tests);
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[1]["fullName"], "GET /quotes answers 1");
    assert_eq!(listed[1]["failureMessages"], serde_json::json!(["the first"]));
    assert_eq!(listed[2]["status"], "passed");
}

#[test]
fn a_failure_without_a_case_stands_for_itself() {
    let mut tests = fixture::jest(1, 1, 0);
    let suite = TestFailure {
        name: "tests/broken.test.ts".to_owned(),
        suite: true,
        message: "Cannot find module".to_owned(),
        ..TestFailure::default()
    };
    tests.failures.push(suite);
    tests.failures.push(TestFailure { name: "other".to_owned(), ..TestFailure::default() });
    let listed = listed(&tests);
    assert_eq!(listed.len(), 4);
    assert_eq!((&listed[2]["title"], &listed[2]["suite"]), (&"tests/broken.test.ts".into(), &true.into()));
    assert_eq!((&listed[3]["title"], &listed[3]["status"]), (&"other".into(), &"failed".into()));
}

fn events() -> Vec<Event> {
    let (_, report) = fixture::of_each_outcome().swap_remove(5);
    let mut happenings = vec![EventKind::RunStarted {
        execution: report.run.execution.clone(),
        task: report.plan.task.clone(),
        title: "Quotes,\n\"all\" of them".to_owned(),
        actions: report.actions.len(),
    }];
    for (action, ran) in all_ran() {
        happenings.push(EventKind::ActionStarted {
            action: action.id.clone(),
            phase: action.phase,
            name: action.name.clone(),
            attempt: 1,
        });
        happenings.push(EventKind::ActionFinished(Box::new(ran.record)));
        happenings.push(EventKind::ActionJudged(Box::new(ran.judgement)));
    }
    for reason in [
        SkipReason::PrerequisiteFailed(id("PREREQ.1")),
        SkipReason::NeedNotMet(id("STEP.1")),
        SkipReason::EarlierFailure(id("STEP.1")),
        SkipReason::DeadlinePassed,
        SkipReason::Interrupted,
        SkipReason::EngineFailed,
        SkipReason::Superseded(id("STEP.1")),
        SkipReason::LeftOut(LeftOut::Profile),
        SkipReason::LeftOut(LeftOut::NotNamed),
        SkipReason::LeftOut(LeftOut::Named),
        SkipReason::LeftOut(LeftOut::NeedLeftOut),
        SkipReason::LeftOut(LeftOut::PassedBefore),
        SkipReason::SpecificationError,
        SkipReason::DependencyNotPassed(TaskId::parse("T029").unwrap()),
    ] {
        happenings.push(EventKind::ActionSkipped { action: id("STEP.9"), reason });
    }
    let others = [run_context::requests(), run_context::services(), run_context::misspecified(), run_context::files()];
    for ran in others.iter().flat_map(|report| &report.actions).filter_map(ActionReport::ran) {
        happenings.push(EventKind::ActionFinished(Box::new(ran.record.clone())));
    }
    let services = others.iter().flat_map(|report| report.run.services.clone());
    happenings.extend(services.map(|service| EventKind::ServiceStopped(Box::new(service))));
    happenings.push(EventKind::Interrupting { signal: 2 });
    happenings.push(EventKind::RunFinished { decision: Decision::Blocked });
    let numbered = (1..).zip(happenings);
    numbered.map(|(sequence, happening)| Event { sequence, at: at(sequence), happening }).collect()
}

#[test]
fn documents_of_events_are_one_line_each_and_fit_their_schema() {
    let events = events();
    let lines: Vec<String> = events.iter().map(journal::line).collect();
    for (event, line) in events.iter().zip(&lines) {
        assert!(!line.contains('\n'), "{line}");
        assert_fits("event", &serde_json::from_str::<Value>(line).unwrap());
        let read = journal::read_line(line).unwrap();
        assert_eq!((read.sequence, read.at), (event.sequence, event.at));
        assert_eq!(read.execution.is_some(), matches!(event.happening, EventKind::RunStarted { .. }));
    }
    insta::assert_snapshot!("events", lines.join("\n"));
}

#[test]
fn a_line_that_is_no_event_is_refused() {
    let line = journal::line(&events()[0]);
    for (damaged, part) in [
        (line.replace("\"1.0.0\"", "\"1.1.0\""), "use a newer Referee"),
        (line[..line.len() - 1].to_owned(), "cannot read"),
        (line.replace("sequence", "number"), "missing field `sequence`"),
        (line.replace("exec-2026", "run-2026"), "is not an execution id"),
        (String::new(), "cannot read"),
        ("null".to_owned(), "cannot read"),
    ] {
        let error = journal::read_line(&damaged).unwrap_err().to_string();
        assert!(error.contains("a journal's line") && error.contains(part), "{error}");
    }
}
