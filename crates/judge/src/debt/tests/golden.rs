//! `technical-debt-data.json` of a realistic run, made by the judge and projected by `report`.

use std::collections::BTreeMap;

use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::id::Digest;
use referee_model::report::Report;
use referee_schema::validator::Validator;
use serde_json::Value;

use super::*;
use crate::criteria;
use crate::fixture::{dev_server, service, service_facts, serviced};
use referee_model::record::service::Readiness;

/// Returns a run of many checks over an unfinished project.
fn realistic() -> Report {
    let server = named(service("PREREQ.1", dev_server()), "dev server");
    let mut port = named(line("PREREQ.2", "npm ci"), "dependencies");
    port.needs = vec![server.id.clone()];
    let types = types();
    let lint = named(line("STEP.2", "npx eslint ."), "lint");
    let mut unit = named(line("STEP.3", "npx jest --ci"), "unit");
    unit.needs = vec![types.id.clone()];
    let mut list = request("http://localhost:3000/api/v1/quotes");
    list.expected_statuses = vec![StatusRange { from: 200, to: 200 }];
    let list = named(http("STEP.4", list), "list");
    let broken = named(http("STEP.5", request("http://localhost:3000/api/v1/sum")), "sum");
    let slow = named(line("STEP.6", "./load-test.sh"), "load");
    let actions = vec![server, port, types, lint, unit, list, broken, slow];
    let mut plan = plan(actions.clone());
    plan.depends_on = vec![TaskId::parse("T000").unwrap()];
    let mut fixable = finding("eslint", Level::Error, "semi", "src/a.ts", 4, "Missing semicolon.");
    fixable.fixable = true;
    fixable.suggestion = Some("insert `;`".to_owned());
    let mut wrong = failure("quotes › adds a quote", "tests/quotes.test.ts", 21, "expect(received).toBe(expected)");
    wrong.expected = Some("201".to_owned());
    wrong.received = Some("404".to_owned());
    wrong.stack =
        Some("    at Object.<anonymous> (tests/quotes.test.ts:21:5)\n    at add (src/quotes.ts:8:3)".to_owned());
    let mut body = answer(500);
    body.body_bytes = 0;
    let records = [
        (serviced(&actions[0], service_facts(Readiness::Ready { after_ms: 40 })), nothing()),
        (exited(&actions[1], 1), words("npm error network\n")),
        (
            exited(&actions[2], 2),
            read_findings(
                "tsc",
                vec![
                    finding("tsc", Level::Error, "TS2345", "src/a.ts", 12, "Argument of type 'A' is not assignable"),
                    finding("tsc", Level::Error, "TS2345", "src/a.ts", 40, "Argument of type 'A' is not assignable"),
                ],
            ),
        ),
        (
            exited(&actions[3], 1),
            read_findings(
                "eslint",
                vec![
                    fixable,
                    finding("eslint", Level::Warning, "no-console", "src/b.ts", 9, "[x] - [ ] **T001**: <b>done</b>"),
                ],
            ),
        ),
        (exited(&actions[4], 1), read_tests(4, vec![wrong])),
        (answered(&actions[5], answer(404)), nothing()),
        (answered(&actions[6], body), nothing()),
        (
            ended(&actions[7], Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: true }),
            words("Processing 1000 items...\n"),
        ),
    ];
    let reports: Vec<ActionReport> = actions
        .iter()
        .zip(records)
        .enumerate()
        .map(|(at, (action, (mut record, reading)))| {
            // Actions run one after another.
            record.span.started = Timestamp::from_millisecond(0).plus_milliseconds(at as u64 * 1_000);
            record.span.ended = record.span.started.plus_milliseconds(900);
            judged(&plan, action, record, reading)
        })
        .collect();
    let run = done();
    let debt = assess(&plan, &run, &reports, &empty());
    let verdict = criteria::verdict(&plan, &run, &reports, &BTreeMap::new(), criteria::EvaluatorOutput::default());
    Report { plan, run, actions: reports, verdict, diagnostics: DiagnosticLog::default(), debt }
}

/// Renders the debt of a report, and checks it against its schema and its own hash.
fn rendered(report: &Report) -> String {
    let bytes = referee_report::technical_debt::render(report).unwrap();
    let mut document: Value = serde_json::from_slice(&bytes).unwrap();
    let validator = Validator::new(&referee_schema::published::schema("technical-debt").unwrap()).unwrap();
    assert_eq!(validator.complaints(&document, 20).0, [""; 0]);
    let hash = document["authenticity"].as_object_mut().unwrap().remove("sha256Hash").unwrap();
    assert_eq!(hash, referee_model::canonical::bytes(&document).map(Digest::of).unwrap().to_string());
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_realistic_run_leaves_items_that_an_agent_can_act_on() {
    insta::assert_snapshot!(rendered(&realistic()));
}

#[test]
fn no_debt_is_said_to_be_off_or_none() {
    let mut report = realistic();
    report.plan.debt.enabled = false;
    report.debt = assess(&report.plan, &report.run, &report.actions, &empty());
    insta::assert_snapshot!(rendered(&report));
}

#[test]
fn a_standing_and_a_register_are_read_as_they_were_written() {
    let report = realistic();
    let mut register = Vec::new();
    let seen = Sighting { execution: report.run.execution.clone(), at: report.run.ended };
    apply(&mut register, &report.plan.task, &report.debt, &seen);
    let bytes = referee_model::document::to_bytes(&referee_model::debt_register::document(&register)).unwrap();
    assert_eq!(referee_model::debt_register::read(&bytes).unwrap(), register);

    let standing = standing(&register, &report.plan, &[], report.run.ended);
    let bytes = referee_model::document::to_bytes(&standing).unwrap();
    assert_eq!(referee_model::debt_standing::read(&bytes).unwrap(), standing);
}
