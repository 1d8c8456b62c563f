//! HTTP requests as part of a run.

use std::collections::BTreeMap;

use referee_model::plan::http::{Assertion, Body, BodyKind, Capture, CaptureSource, HttpRequest, Method};
use referee_model::plan::{CaptureName, Phase, Template, Work};
use referee_model::record::http::{HttpEnding, HttpFacts, NoAnswerCause};
use referee_model::record::{Facts, RunEnding, SkipReason, Stream};
use referee_testkit::server::{Reply, Server};

use crate::world::{Fixture, RunLog, command_of};

const INT: i32 = 2;

fn work(request: HttpRequest) -> Work {
    Work::Http(Box::new(request))
}

fn http<'course>(log: &'course RunLog, action: &str) -> &'course HttpFacts {
    match &log.record(action).facts {
        Facts::Http(facts) => facts,
        other => panic!("{action} is a request: {other:?}"),
    }
}

#[test]
fn what_one_action_captures_later_ones_use() {
    let server = Server::start(|request| match request.target.as_str() {
        "/login" => Reply::json("{\"token\": \"a\\\"b\", \"id\": 7}"),
        _ => Reply::json("{}"),
    });
    let name = |text: &str| CaptureName::parse(text).unwrap();
    let capture =
        |text: &str, secret| Capture { name: name(text), from: CaptureSource::JsonPath(format!("$.{text}")), secret };
    let hole = |before: &str, captured: &str, after: &str| {
        let mut template = Template::plain(before);
        template.push_captured(name(captured));
        template.push_text(after);
        template
    };
    let mut world = Fixture::new();
    let mut login = HttpRequest::get(server.url("/login"));
    login.captures = vec![capture("token", true), capture("id", false)];
    world.add(Phase::Prerequisite, work(login));
    let mut change = HttpRequest::get("");
    change.method = Method::Put;
    change.url = hole(&server.url("/quotes/"), "id", "");
    change.headers = vec![("Authorization".to_owned(), hole("Bearer ", "token", ""))];
    change.body = Some(Body { kind: BodyKind::Json, content: hole("{\"by\":\"", "token", "\"}") });
    world.add(Phase::Step, work(change));
    let action = world.tool(Phase::Step, &["env"]);
    command_of(action).late_environment = BTreeMap::from([("QUOTE".to_owned(), hole("", "id", ""))]);
    let log = world.run();
    let learned: Vec<&str> = log.learned.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(learned, ["a\"b", "a%22b", "a\\\"b"]);
    assert!(log.learned.iter().all(|(learned, _)| *learned == name("token")));
    let sent = server.requests().pop().unwrap();
    assert_eq!((sent.method.as_str(), sent.target.as_str()), ("PUT", "/quotes/7"));
    assert_eq!(sent.header("authorization"), Some("Bearer a\"b"));
    assert_eq!(sent.body, b"{\"by\":\"a\\\"b\"}");
    assert_eq!(log.text("STEP.1", Stream::Stdout), "{}");
    assert_eq!(log.facts("STEP.2").environment["QUOTE"], "7");
}

#[test]
fn what_was_not_captured_is_never_sent_as_a_hole() {
    let server = Server::start(|_| Reply::http(500, &[], "no"));
    let mut world = Fixture::new();
    let mut first = HttpRequest::get(server.url("/"));
    first.captures = vec![Capture {
        name: CaptureName::parse("id").unwrap(),
        from: CaptureSource::Regex("id=(\\d+)".to_owned()),
        secret: false,
    }];
    world.add(Phase::Step, work(first));
    let mut second = HttpRequest::get(server.url("/"));
    second.url.push_captured(CaptureName::parse("id").unwrap());
    world.add(Phase::Step, work(second));
    let log = world.run();
    let HttpEnding::NoAnswer(answer) = &http(&log, "STEP.2").ending else { panic!("it has no answer") };
    assert_eq!(answer.cause, NoAnswerCause::BadRequest);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_request_that_hangs_ends_with_its_time_or_with_the_run() {
    let server = Server::start(|_| Reply::silence());
    let mut world = Fixture::new();
    world.add(Phase::Step, work(HttpRequest::get(server.url("/")))).timeout_ms = 200;
    world.add(Phase::Step, work(HttpRequest::get(server.url("/"))));
    world.add(Phase::Step, work(HttpRequest::get(server.url("/"))));
    let mut asked = false;
    let log = world.run_with(&mut |cancellation| {
        if server.requests().len() == 2 && !asked {
            asked = true;
            cancellation.request(INT);
        }
    });
    let log = log.unwrap();
    let HttpEnding::DeadlineExceeded { timeout_ms: 200, of_task: false, waiting_for, status: None } =
        &http(&log, "STEP.1").ending
    else {
        panic!("its time was over: {:?}", http(&log, "STEP.1"))
    };
    assert_eq!(waiting_for, "answer");
    assert_eq!(http(&log, "STEP.2").ending, HttpEnding::Interrupted);
    assert_eq!(log.skipped(), [("STEP.3", SkipReason::Interrupted)]);
    assert_eq!(log.ending, RunEnding::Interrupted { signal: INT });
}

#[test]
fn assertions_are_observed_and_never_judged() {
    let server = Server::start(|_| Reply::http(404, &["Content-Type: text/plain"], "not here"));
    let mut world = Fixture::new();
    let mut request = HttpRequest::get(server.url("/quotes"));
    request.assertions = vec![Assertion::ContainsText("here".to_owned()), Assertion::ContainsText("there".to_owned())];
    world.add(Phase::Step, work(request));
    let log = world.run();
    let HttpEnding::Answered(answer) = &http(&log, "STEP.1").ending else { panic!("it has an answer") };
    assert_eq!(answer.status, 404);
    assert_eq!(answer.assertions.iter().map(|each| each.holds).collect::<Vec<_>>(), [Some(true), Some(false)]);
    assert_eq!(log.text("STEP.1", Stream::Stdout), "not here");
    assert_eq!(log.ending, RunEnding::Finished);
}
