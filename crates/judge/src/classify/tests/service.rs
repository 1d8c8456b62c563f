//! Services.

use referee_model::plan::Service;
use referee_model::plan::service::{Port, PrerequisiteKind, Probe};
use referee_model::record::ServiceFacts;
use referee_model::record::service::{PortCheck, PortHolder, ProbeObservation};

use super::*;

fn holder(own: bool) -> PortHolder {
    PortHolder { pid: 9_876, name: "node".to_owned(), command: "npm run dev".to_owned(), own }
}

fn check(holders: Vec<PortHolder>) -> PortCheck {
    PortCheck { port: 3_000, in_use: true, holders }
}

fn probe(held: bool) -> ProbeObservation {
    ProbeObservation {
        probe: "http://localhost:3000/api/health".to_owned(),
        held,
        attempts: 60,
        last: if held { "200" } else { "CONNECTION_REFUSED" }.to_owned(),
        duration_ms: 30_000,
    }
}

/// Returns a dev server on port 3000 that is ready when the port is open.
fn server() -> Service {
    Service { ready: vec![Probe::Port(Port::Fixed(3_000))], port: Some(Port::Fixed(3_000)), ..dev_server() }
}

fn facts(readiness: Readiness) -> ServiceFacts {
    ServiceFacts { port: Some(3_000), probes: vec![probe(false)], ..service_facts(readiness) }
}

fn judged(id: &str, service_of_plan: Service, facts: ServiceFacts, reading: &Reading) -> Judgement {
    let action = service(id, service_of_plan);
    judge(&plan(vec![action.clone()]), &action, &serviced(&action, facts), reading)
}

fn late(of_task: bool) -> Readiness {
    Readiness::DeadlineExceeded { timeout_ms: 30_000, of_task }
}

#[test]
fn each_way_of_not_being_ready_has_its_row_in_every_phase() {
    let could_not = |cause| Readiness::CouldNotStart { cause, message: "no such file".to_owned() };
    let ended = |ending| Readiness::Ended { ending };
    let deadline = Ending::DeadlineExceeded { timeout_ms: 30_000, of_task: false, killed: true };
    for (readiness, expected, cause) in [
        (Readiness::PortTaken, "EXECUTION_ERROR service/port-taken blocks High", Outcome::ExecutionError),
        (Readiness::ForeignPort, "EXECUTION_ERROR service/port-taken blocks High", Outcome::ExecutionError),
        (ended(Ending::Exited { code: 1 }), "EXECUTION_ERROR service/not-ready blocks High", Outcome::ExecutionError),
        (ended(Ending::Exited { code: 0 }), "EXECUTION_ERROR service/not-ready blocks High", Outcome::ExecutionError),
        (
            ended(Ending::Signaled { signal: 9 }),
            "EXECUTION_ERROR service/not-ready blocks High",
            Outcome::ExecutionError,
        ),
        (
            ended(Ending::OutputLimitExceeded { limit_bytes: 5 }),
            "EXECUTION_ERROR service/not-ready blocks High",
            Outcome::ExecutionError,
        ),
        (ended(deadline), "TIMEOUT service/not-ready blocks Medium", Outcome::Timeout),
        (
            ended(Ending::Interrupted { killed: false }),
            "EXECUTION_ERROR execution/interrupted blocks High",
            Outcome::ExecutionError,
        ),
        (late(false), "TIMEOUT service/not-ready blocks Medium", Outcome::Timeout),
        (late(true), "TIMEOUT service/not-ready blocks Medium", Outcome::Timeout),
        (Readiness::Interrupted, "EXECUTION_ERROR execution/interrupted blocks High", Outcome::ExecutionError),
        (
            could_not(StartFailure::NotFound),
            "EXECUTION_ERROR execution/could-not-start blocks High",
            Outcome::ExecutionError,
        ),
        (
            ended(Ending::CouldNotStart { cause: StartFailure::BadDirectory, message: "no directory".to_owned() }),
            "EXECUTION_ERROR execution/could-not-start blocks High",
            Outcome::ExecutionError,
        ),
    ] {
        let step = judged("STEP.1", server(), facts(readiness.clone()), &nothing());
        assert_eq!(told(&step), expected, "{readiness:?}");
        assert!(!step.advice.is_empty());
        let before = judged("PREREQ.1", server(), facts(readiness.clone()), &nothing());
        assert_eq!(told(&before), "PREREQUISITE_FAILURE prerequisite/failed blocks Critical", "{readiness:?}");
        assert_eq!((before.cause, before.remedy), (Some(cause), Some(AgentAction::FixPrerequisite)));
        let interrupted = step.rule == Rule::Interrupted;
        assert_eq!(matches!(before.debt, DebtGeneration::None { .. }), interrupted, "{readiness:?}");
        let after = judged("CLEANUP.1", server(), facts(readiness.clone()), &nothing());
        assert!(!after.blocking && after.outcome != Outcome::Success);
    }
    let directory = judged("STEP.1", server(), facts(could_not(StartFailure::BadDirectory)), &nothing());
    assert_eq!(directory.remedy, Some(AgentAction::FixSpecification));
}

#[test]
fn failures_of_services_say_what_happened_and_name_the_holder_of_the_port() {
    let taken = |readiness, holders| ServiceFacts { port_check: Some(check(holders)), ..facts(readiness) };
    let exited = |code| Readiness::Ended { ending: Ending::Exited { code } };
    let external = || Service { command: None, kind: PrerequisiteKind::DatabaseAvailable, ..server() };
    let words = words("starting\nError: listen EADDRINUSE: address already in use :::3000\n\n");
    let rows: Vec<String> = [
        judged("PREREQ.3", server(), taken(Readiness::PortTaken, vec![holder(false)]), &nothing()),
        judged("PREREQ.3", server(), taken(Readiness::PortTaken, vec![]), &nothing()),
        judged("PREREQ.3", server(), facts(Readiness::PortTaken), &nothing()),
        judged("PREREQ.3", server(), taken(Readiness::ForeignPort, vec![holder(true), holder(false)]), &nothing()),
        judged(
            "STEP.1",
            server(),
            taken(
                Readiness::ForeignPort,
                vec![holder(false), PortHolder { pid: 1, name: String::new(), command: String::new(), own: false }],
            ),
            &nothing(),
        ),
        judged("PREREQ.3", server(), taken(exited(1), vec![holder(false)]), &words),
        judged("PREREQ.3", server(), facts(exited(127)), &nothing()),
        judged("PREREQ.3", server(), facts(exited(0)), &nothing()),
        judged("PREREQ.3", server(), facts(late(false)), &nothing()),
        judged("PREREQ.3", server(), ServiceFacts { probes: vec![], ..facts(late(true)) }, &nothing()),
        judged("PREREQ.3", external(), ServiceFacts { started: None, ..facts(late(false)) }, &nothing()),
    ]
    .into_iter()
    .map(|judgement| {
        let DebtGeneration::Item(DebtSummary { category, severity, title, suggested_fix, .. }) = judgement.debt else {
            panic!("no debt: {}", judgement.reason)
        };
        format!(
            "{}\n  {category:?} {severity:?} | {title} | {suggested_fix} | {:?}",
            judgement.reason, judgement.possible_causes
        )
    })
    .collect();
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn a_service_is_ready_only_where_every_sign_of_it_was_seen() {
    let ready = || Readiness::Ready { after_ms: 1_200 };
    let with = |probes, port_check| ServiceFacts { probes, port_check, ..facts(ready()) };
    let external = || Service { external: true, ..server() };
    let awaited = || Service { command: None, ..server() };
    let unstarted = || ServiceFacts { started: None, ..with(vec![probe(true)], None) };
    let mut nameless = with(vec![probe(true)], None);
    if let Some(started) = &mut nameless.started {
        started.pid = None;
    }
    for (service_of_plan, facts, rule) in [
        (server(), with(vec![probe(true)], None), Rule::ServiceReady),
        (server(), with(vec![probe(true)], Some(check(vec![]))), Rule::ServiceReady),
        (server(), with(vec![probe(true)], Some(check(vec![holder(true)]))), Rule::ServiceReady),
        (server(), with(vec![probe(true)], Some(check(vec![holder(false), holder(true)]))), Rule::FactsUnusable),
        (dev_server(), with(vec![], None), Rule::ServiceReady),
        (external(), with(vec![probe(true)], Some(check(vec![holder(false)]))), Rule::ServiceReady),
        (awaited(), unstarted(), Rule::ServiceReady),
        (server(), with(vec![probe(true)], Some(check(vec![holder(false)]))), Rule::FactsUnusable),
        (server(), with(vec![probe(false)], None), Rule::FactsUnusable),
        (server(), with(vec![probe(true), probe(false)], None), Rule::FactsUnusable),
        (server(), with(vec![], None), Rule::FactsUnusable),
        (awaited(), ServiceFacts { probes: vec![], ..unstarted() }, Rule::FactsUnusable),
        (server(), unstarted(), Rule::FactsUnusable),
        (server(), nameless, Rule::FactsUnusable),
    ] {
        let judgement = judged("STEP.1", service_of_plan, facts.clone(), &nothing());
        assert_eq!(judgement.rule, rule, "{facts:?}");
        assert_eq!(judgement.blocking, rule != Rule::ServiceReady);
    }
    let judgement = judged("PREREQ.1", server(), with(vec![probe(true)], None), &nothing());
    assert_eq!((judgement.outcome, judgement.reason.as_str()), (Outcome::Success, "ready after 1.2 s"));
}
