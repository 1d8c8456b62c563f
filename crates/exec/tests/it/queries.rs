//! Queries as part of a run. What stands for the program with the drivers is a script, which answers as it is told.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use referee_exec::Cancellation;
use referee_model::database::DatabaseRequest;
use referee_model::plan::http::{Capture, CaptureSource, HttpRequest};
use referee_model::plan::interaction::{RowExpectation, Statement, Transaction};
use referee_model::plan::{CaptureName, Interaction, Phase, Query, Template, Work};
use referee_model::record::{Facts, InteractionEnding, InteractionFacts, Stream};
use referee_testkit::server::{Reply, Server};

use crate::world::{Fixture, RunLog};

const ROWS: &str = r#"{"server":"PostgreSQL 15.14","columns":[{"name":"id","type":"int4"}],"rows":[[1],[2]],"rowCount":2,"affected":null,"truncated":false,"durationMs":3}"#;

/// Returns a world in which this script of sh, run in the workspace, is the program with the drivers.
fn world(script: &str) -> Fixture {
    let mut world = Fixture::new();
    world.file("program/referee-database", &format!("#!/bin/sh\n{script}\n"), 0o755);
    let shim = PathBuf::from(world.path("program/shim"));
    symlink(&world.host.shim, &shim).unwrap();
    world.host.shim = shim;
    world
}

fn query(expectations: Vec<RowExpectation>) -> Query {
    Query {
        connection: Template::plain("postgres://user:s3cret@localhost/quotes"),
        statement: Statement::Text(Template::plain("SELECT id\nFROM quotes")),
        transaction: Transaction::ReadOnly,
        connect_timeout_ms: 1_500,
        statement_timeout_ms: 2_500,
        expectations,
    }
}

fn work(query: Query) -> Work {
    Work::Interaction(Box::new(Interaction::Query(query)))
}

fn facts<'log>(log: &'log RunLog, action: &str) -> &'log InteractionFacts {
    match &log.record(action).facts {
        Facts::Interaction(facts) => facts,
        other => panic!("{action} is an interaction: {other:?}"),
    }
}

/// Runs a query with this script, and returns its facts.
fn asked(script: &str) -> InteractionFacts {
    let mut world = world(script);
    world.add(Phase::Step, work(query(vec![RowExpectation::Count(2)])));
    facts(&world.run(), "STEP.1").clone()
}

#[test]
fn rows_are_observed_counted_and_stored() {
    let mut world = world(&format!("cat >request; env >environment; echo connected >&2; echo '{ROWS}'"));
    world.plan.environment.insert("PGPASSWORD".to_owned(), "other".to_owned());
    let expectations = vec![
        RowExpectation::Count(2),
        RowExpectation::Count(3),
        RowExpectation::Contains(r#"{"id": 2}"#.to_owned()),
        RowExpectation::Contains("7".to_owned()),
    ];
    world.add(Phase::Step, work(query(expectations)));
    world.add(Phase::Step, work(query(Vec::new()))).evidence.exchange = false;
    let log = world.run();
    let facts = facts(&log, "STEP.1");
    assert_eq!(facts.ending, InteractionEnding::Completed);
    assert_eq!((facts.peer.as_deref(), facts.row_count), (Some("PostgreSQL 15.14"), Some(2)));
    assert_eq!(facts.requests, ["postgres://user@localhost/quotes", "SELECT id FROM quotes"]);
    let holds: Vec<_> = facts.observations.iter().map(|observed| observed.holds).collect();
    assert_eq!(holds, [Some(true), Some(false), Some(true), Some(false)]);
    assert_eq!(facts.observations[1].found, "2 rows were returned");
    assert_eq!(log.text("STEP.1", Stream::Stdout), format!("{ROWS}\n"));
    assert!(facts.answer.is_some() && facts.executables[0].sha256.is_some());
    assert_eq!(facts.executables[0].name, "referee-database");
    let request: DatabaseRequest = serde_json::from_slice(&fs::read(world.path("request")).unwrap()).unwrap();
    assert_eq!(request.connection, "postgres://user:s3cret@localhost/quotes");
    assert_eq!((request.connect_timeout_ms, request.statement_timeout_ms), (1_500, 2_500));
    assert_eq!(request.workspace, world.plan.workspace);
    let environment = fs::read_to_string(world.path("environment")).unwrap();
    assert!(environment.contains("REFEREE_EXECUTION=") && !environment.contains("PGPASSWORD"), "{environment}");
    assert_eq!(self::facts(&log, "STEP.2").answer, None);
}

#[test]
fn failures_of_the_database_are_endings() {
    let failed = |kind: &str, during: &str| {
        asked(&format!(
            r#"echo '{{"error":{{"kind":"{kind}","during":"{during}","message":"no such table","code":"42P01"}}}}'"#
        ))
    };
    let message = "no such table (code 42P01)".to_owned();
    let refused = failed("refused", "statement");
    assert_eq!(refused.ending, InteractionEnding::Refused { request: 1, message: message.clone() });
    assert_eq!((refused.row_count, refused.observations.len(), refused.answer), (None, 0, None));
    assert_eq!(failed("unavailable", "connection").ending, InteractionEnding::Unavailable { message });
    for (during, timeout_ms, waiting_for) in [("connection", 1_500, "connection"), ("statement", 2_500, "answer")] {
        let waiting_for = waiting_for.to_owned();
        let ending = InteractionEnding::DeadlineExceeded { timeout_ms, of_task: false, waiting_for };
        assert_eq!(failed("timeout", during).ending, ending);
    }
}

#[test]
fn a_program_that_fails_or_prints_junk_leaves_no_answer() {
    let half = &ROWS[..ROWS.len() / 2];
    for (script, part) in [
        ("exit 0".to_owned(), "it is empty"),
        ("echo junk".to_owned(), "not the document"),
        (format!("echo '{half}'"), "not the document"),
        (format!("echo '{ROWS}{ROWS}'"), "not the document"),
        (
            format!("echo '{ROWS}'; echo connected >&2; echo 'error: out of luck' >&2; exit 3"),
            "code 3: error: out of luck",
        ),
        (format!("echo '{ROWS}'; kill -9 $$"), "ended by signal 9"),
        ("head -c 20000000 /dev/zero".to_owned(), "is larger than"),
    ] {
        let facts = asked(&script);
        let InteractionEnding::Unavailable { message } = &facts.ending else { panic!("{script}: {facts:?}") };
        assert!(message.contains(part), "{script}: {message}");
        assert!(facts.observations.is_empty() && facts.row_count.is_none() && facts.answer.is_none());
    }
    let mut world = world("exit 0");
    fs::remove_file(world.path("program/referee-database")).unwrap();
    world.add(Phase::Step, work(query(Vec::new())));
    let log = world.run();
    let InteractionEnding::Unavailable { message } = &facts(&log, "STEP.1").ending else { panic!("it is missing") };
    assert!(message.ends_with("referee-database is missing: install it beside referee"), "{message}");
}

#[test]
fn a_query_ends_at_its_deadline_with_all_that_it_started() {
    for (script, waiting_for) in [
        ("sleep 600 & sleep 600", "connection"),
        ("echo connected >&2; trap '' TERM; sleep 600 & while :; do sleep 1; done", "answer"),
    ] {
        let mut world = world(script);
        world.add(Phase::Step, work(query(Vec::new()))).timeout_ms = 700;
        let log = world.run();
        let waiting_for = waiting_for.to_owned();
        let ending = InteractionEnding::DeadlineExceeded { timeout_ms: 700, of_task: false, waiting_for };
        assert_eq!(facts(&log, "STEP.1").ending, ending);
    }
}

#[test]
fn a_query_is_abandoned_with_its_run() {
    let mut world = world("touch begun; sleep 600");
    world.add(Phase::Step, work(query(Vec::new())));
    let begun = PathBuf::from(world.path("begun"));
    let mut interrupt = |cancellation: &Cancellation| {
        if begun.exists() && cancellation.level() == 0 {
            cancellation.request(2);
        }
    };
    let log = world.run_with(&mut interrupt).unwrap();
    assert_eq!(facts(&log, "STEP.1").ending, InteractionEnding::Interrupted);
}

#[test]
fn what_an_earlier_action_captured_stays_a_value_in_a_statement() {
    let server = Server::start(|_| Reply::json("{\"name\": \"it's\", \"id\": \"1 OR 1=1\"}"));
    let mut world = world(&format!("cat >request; echo '{ROWS}'"));
    let name = |text: &str| CaptureName::parse(text).unwrap();
    let capture =
        |text: &str| Capture { name: name(text), from: CaptureSource::JsonPath(format!("$.{text}")), secret: false };
    world.add(
        Phase::Prerequisite,
        Work::Http(Box::new(HttpRequest {
            captures: vec![capture("name"), capture("id")],
            body_limit_bytes: 1_000,
            ..HttpRequest::get(server.url("/"))
        })),
    );
    let of = |before: &str, hole: &str, after: &str| {
        let mut text = Template::plain(before);
        text.push_captured(name(hole));
        text.push_text(after);
        Query { statement: Statement::Text(text), ..query(Vec::new()) }
    };
    world.add(Phase::Step, work(of("SELECT * FROM t WHERE name = '", "name", "'")));
    world.add(Phase::Step, work(of("SELECT * FROM t WHERE id = ", "id", "")));
    let log = world.run();
    let request: DatabaseRequest = serde_json::from_slice(&fs::read(world.path("request")).unwrap()).unwrap();
    assert_eq!(request.statement, "SELECT * FROM t WHERE name = 'it''s'");
    assert_eq!(facts(&log, "STEP.1").ending, InteractionEnding::Completed);
    let InteractionEnding::Unavailable { message } = &facts(&log, "STEP.2").ending else { panic!("it is refused") };
    assert!(message.contains("`id` is no number"), "{message}");
}
