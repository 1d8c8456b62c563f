//! HTTP requests.

use referee_model::plan::http::{
    Assertion, Capture, CaptureSource, HttpRequest, JsonExpectation, JsonType, Method, StatusRange, TextExpectation,
};
use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{CaptureName, SchemaSource, Template};
use referee_model::record::SchemaObservation;
use referee_model::record::http::{
    AssertionObservation, CaptureObservation, HttpAnswer, HttpEnding, HttpFacts, NoAnswerCause, Redirect,
};
use referee_model::record::service::{PortCheck, PortHolder};

use super::*;

const URL: &str = "http://localhost:3000/api/v1/quotes?page=2";

fn judged(request: HttpRequest, answer: HttpAnswer) -> Judgement {
    let action = http("STEP.1", request);
    judge(&plan(vec![action.clone()]), &action, &answered(&action, answer), &nothing())
}

fn holding(holds: Option<bool>, found: &str) -> AssertionObservation {
    AssertionObservation { holds, found: found.to_owned(), schema: None }
}

#[test]
fn a_status_is_expected_or_not() {
    let only = |from, to| vec![StatusRange { from, to }];
    let success = "SUCCESS http/as-expected passes None";
    let fails = |severity| format!("TEST_FAILURE http/status blocks {severity}");
    for (expected, status, outcome) in [
        (Vec::new(), 200, success.to_owned()),
        (Vec::new(), 399, success.to_owned()),
        (Vec::new(), 199, fails("High")),
        (Vec::new(), 400, fails("High")),
        (Vec::new(), 404, fails("Critical")),
        (Vec::new(), 500, fails("Critical")),
        (Vec::new(), 599, fails("Critical")),
        (Vec::new(), 600, fails("High")),
        (only(201, 201), 201, success.to_owned()),
        (only(201, 201), 200, fails("High")),
        (only(404, 404), 404, success.to_owned()),
        (only(404, 404), 200, fails("High")),
        (only(400, 499), 499, success.to_owned()),
        (only(400, 499), 500, fails("Critical")),
        (vec![StatusRange { from: 200, to: 200 }, StatusRange { from: 304, to: 304 }], 304, success.to_owned()),
        // An empty range expects nothing.
        (only(300, 200), 250, fails("High")),
    ] {
        let judgement = judged(HttpRequest { expected_statuses: expected.clone(), ..request(URL) }, answer(status));
        assert_eq!(told(&judgement), outcome, "{expected:?} {status}");
    }
    for status in [0, 99, 1_000, u16::MAX] {
        assert_eq!(judged(request(URL), answer(status)).rule, Rule::FactsUnusable);
    }
}

#[test]
fn a_wrong_status_leaves_debt_by_its_kind() {
    let rows: Vec<String> = [301, 401, 404, 409, 429, 500, 503]
        .into_iter()
        .map(|status| {
            let expected_statuses = vec![StatusRange { from: 200, to: 201 }];
            let judgement = judged(HttpRequest { expected_statuses, ..request(URL) }, answer(status));
            let DebtGeneration::Item(DebtSummary { category, severity, title, suggested_fix, .. }) = judgement.debt
            else {
                panic!("{status} leaves no debt")
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

fn every_assertion() -> Vec<Assertion> {
    let path = |expectation| Assertion::JsonPath { path: "$.items".to_owned(), expectation };
    let header = |expectation| Assertion::Header { name: "etag".to_owned(), expectation };
    let text = || "a\nb".to_owned();
    vec![
        Assertion::JsonSchema(SchemaSource::Inline("{}".to_owned())),
        Assertion::ContainsText(text()),
        Assertion::MatchesRegex("^a$".to_owned()),
        path(JsonExpectation::Exists(true)),
        path(JsonExpectation::Exists(false)),
        path(JsonExpectation::Type(JsonType::Integer)),
        path(JsonExpectation::Equals("[1]".to_owned())),
        path(JsonExpectation::Contains("1".to_owned())),
        path(JsonExpectation::Matches("^a$".to_owned())),
        path(JsonExpectation::Length { min: Some(1), max: Some(2) }),
        path(JsonExpectation::Length { min: None, max: None }),
        path(JsonExpectation::Range { min: Some(0.5), max: None }),
        path(JsonExpectation::Range { min: None, max: Some(-1.0) }),
        header(TextExpectation::Exists(true)),
        header(TextExpectation::Exists(false)),
        header(TextExpectation::Equals(text())),
        header(TextExpectation::Contains(text())),
        header(TextExpectation::Matches("^a$".to_owned())),
        Assertion::MaxDuration { milliseconds: 1_500 },
    ]
}

#[test]
fn an_assertion_that_does_not_hold_is_a_failed_test_that_names_it() {
    let rows: Vec<String> = every_assertion()
        .into_iter()
        .map(|assertion| {
            let asked = HttpRequest { assertions: vec![assertion], ..request(URL) };
            let answer = HttpAnswer { assertions: vec![holding(Some(false), "found: `x`")], ..answer(200) };
            let judgement = judged(asked, answer);
            assert_eq!(told(&judgement), "TEST_FAILURE http/answer-differs blocks High");
            assert_eq!(judgement.remedy, Some(AgentAction::ImplementFix));
            judgement.reason
        })
        .collect();
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn every_assertion_must_have_been_seen_to_hold() {
    let seen = |holds, schema| AssertionObservation { holds, found: String::new(), schema };
    let unusable = || SchemaObservation::Unusable { message: "it is not a schema".to_owned() };
    let invalid = || SchemaObservation::Invalid { errors: Vec::new(), error_count: 1 };
    let text = Assertion::ContainsText("a".to_owned());
    let schema = Assertion::JsonSchema(SchemaSource::Inline("{}".to_owned()));
    for (assertion, observation, outcome, rule) in [
        (&text, seen(Some(true), None), Outcome::Success, Rule::HttpAsExpected),
        (&text, seen(Some(false), None), Outcome::TestFailure, Rule::HttpAnswerDiffers),
        (&text, seen(None, None), Outcome::ExecutionError, Rule::FactsUnusable),
        (&schema, seen(Some(true), Some(SchemaObservation::Valid)), Outcome::Success, Rule::HttpAsExpected),
        (&schema, seen(Some(false), Some(invalid())), Outcome::TestFailure, Rule::HttpAnswerDiffers),
        (&schema, seen(None, Some(unusable())), Outcome::SpecificationError, Rule::SchemaUnusable),
        (&schema, seen(Some(true), Some(unusable())), Outcome::SpecificationError, Rule::SchemaUnusable),
        (&schema, seen(None, Some(SchemaObservation::TooLarge)), Outcome::ExecutionError, Rule::FactsUnusable),
        (&schema, seen(Some(true), Some(invalid())), Outcome::ExecutionError, Rule::FactsUnusable),
        (&schema, seen(Some(true), None), Outcome::ExecutionError, Rule::FactsUnusable),
    ] {
        let asked = HttpRequest { assertions: vec![assertion.clone()], ..request(URL) };
        let judgement = judged(asked, HttpAnswer { assertions: vec![observation.clone()], ..answer(200) });
        assert_eq!((judgement.outcome, judgement.rule), (outcome, rule), "{assertion:?} {observation:?}");
        assert_eq!(judgement.blocking, outcome != Outcome::Success);
    }
}

#[test]
fn a_certain_difference_goes_before_what_could_not_be_told() {
    let assertions = vec![Assertion::ContainsText("a".to_owned()), Assertion::ContainsText("b".to_owned())];
    let asked = || HttpRequest { assertions: assertions.clone(), ..request(URL) };
    let with = |first, second| HttpAnswer { assertions: vec![holding(first, ""), holding(second, "")], ..answer(200) };
    assert_eq!(judged(asked(), with(None, Some(false))).rule, Rule::HttpAnswerDiffers);
    assert_eq!(judged(asked(), with(None, Some(true))).rule, Rule::FactsUnusable);
    assert_eq!(judged(asked(), with(Some(true), Some(true))).outcome, Outcome::Success);
    // The status takes precedence over both.
    let wrong = HttpAnswer { status: 500, ..with(None, Some(false)) };
    assert_eq!(judged(asked(), wrong).rule, Rule::HttpStatus);
}

#[test]
fn observations_that_are_not_those_of_the_plan_are_unusable() {
    let name = |text| CaptureName::parse(text).unwrap();
    let capture = |text| Capture { name: name(text), from: CaptureSource::Header("etag".to_owned()), secret: false };
    let captured = |text, found| CaptureObservation { name: name(text), found, secret: false };
    let one = || HttpRequest {
        assertions: vec![Assertion::ContainsText("a".to_owned())],
        captures: vec![capture("id")],
        ..request(URL)
    };
    let with = |assertions, captures| HttpAnswer { assertions, captures, ..answer(200) };
    let yes = || holding(Some(true), "");
    for (answer, rule) in [
        (with(vec![yes()], vec![captured("id", true)]), Rule::HttpAsExpected),
        (with(vec![yes()], vec![captured("id", false)]), Rule::HttpAnswerDiffers),
        (with(vec![], vec![captured("id", true)]), Rule::FactsUnusable),
        (with(vec![yes(), yes()], vec![captured("id", true)]), Rule::FactsUnusable),
        (with(vec![yes()], vec![]), Rule::FactsUnusable),
        (with(vec![yes()], vec![captured("id", true), captured("id", true)]), Rule::FactsUnusable),
        (with(vec![yes()], vec![captured("token", true)]), Rule::FactsUnusable),
    ] {
        let judgement = judged(one(), answer.clone());
        assert_eq!(judgement.rule, rule, "{answer:?}");
        assert_eq!(judgement.blocking, rule != Rule::HttpAsExpected);
    }
}

#[test]
fn a_capture_that_was_not_found_is_named_with_its_place() {
    let rows: Vec<String> = [
        CaptureSource::JsonPath("$.id".to_owned()),
        CaptureSource::Header("etag".to_owned()),
        CaptureSource::Regex("id=(\\d+)".to_owned()),
    ]
    .into_iter()
    .map(|from| {
        let name = CaptureName::parse("id").unwrap();
        let captures = vec![CaptureObservation { name: name.clone(), found: false, secret: true }];
        let asked = HttpRequest { captures: vec![Capture { name, from, secret: true }], ..request(URL) };
        judged(asked, HttpAnswer { captures, ..answer(201) }).reason
    })
    .collect();
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn without_a_whole_answer_the_cause_says_why_and_what_to_do() {
    let action = http("STEP.9", request(URL));
    let rows: Vec<String> = NoAnswerCause::ALL
        .into_iter()
        .map(|cause| {
            let judgement = judge(&plan(vec![action.clone()]), &action, &unanswered(&action, cause), &nothing());
            assert_eq!(told(&judgement), "EXECUTION_ERROR http/no-answer blocks High");
            assert!(!judgement.possible_causes.is_empty());
            let DebtGeneration::Item(DebtSummary { category, title, .. }) = judgement.debt else {
                panic!("{cause:?} leaves no debt")
            };
            assert_eq!(category, DebtCategory::IntegrationFailure);
            format!(
                "{cause:?} {:?}: {}\n  {title} | {} | {:?}",
                judgement.remedy, judgement.reason, judgement.advice, judgement.possible_causes
            )
        })
        .collect();
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn without_an_answer_the_server_of_the_plan_and_the_holder_of_the_port_are_named() {
    let action = http("STEP.9", request(URL));
    let probing = |probe| referee_model::plan::Service { ready: vec![probe], ..dev_server() };
    let url = |text: &str| Probe::Url { url: Template::plain(text), verify_tls: true };
    let on_port = referee_model::plan::Service { port: Some(Port::Fixed(3_000)), ..dev_server() };
    let elsewhere = referee_model::plan::Service { port: Some(Port::Fixed(3_001)), ..dev_server() };
    for (service_of_plan, named) in [
        (on_port, true),
        (probing(Probe::Port(Port::Fixed(3_000))), true),
        (probing(url("http://localhost:3000/health")), true),
        (probing(url("http://localhost:30001/health")), false),
        (probing(url("http://localhost/health:3000")), false),
        (probing(Probe::Output("ready".to_owned())), false),
        (elsewhere, false),
    ] {
        let server = service("PREREQ.3", service_of_plan);
        let plan = plan(vec![server, action.clone()]);
        let advice = judge(&plan, &action, &unanswered(&action, NoAnswerCause::Refused), &nothing()).advice;
        assert_eq!(advice.contains("Verify that PREREQ.3 (check) succeeded"), named, "{advice}");
    }
    let mut record = unanswered(&action, NoAnswerCause::Protocol);
    if let Facts::Http(facts) = &mut record.facts {
        let holder = PortHolder { pid: 9_876, name: "node".to_owned(), command: "npm run dev".to_owned(), own: false };
        facts.diagnostics.port_check = Some(PortCheck { port: 3_000, in_use: true, holders: vec![holder] });
    }
    let causes = judge(&plan(vec![action.clone()]), &action, &record, &nothing()).possible_causes;
    assert_eq!(causes[0], "port 3000 is held by process 9876 (node: npm run dev)");
}

#[test]
fn a_request_has_a_deadline_and_can_be_interrupted() {
    let action = http("STEP.1", HttpRequest { method: Method::Post, ..request(URL) });
    let judged = |ending| {
        let record = exchanged(&action, http_facts(&action, ending));
        judge(&plan(vec![action.clone()]), &action, &record, &nothing())
    };
    let deadline = |waiting_for: &str, of_task, status| HttpEnding::DeadlineExceeded {
        timeout_ms: 10_000,
        of_task,
        waiting_for: waiting_for.to_owned(),
        status,
    };
    let mut rows = Vec::new();
    for (ending, expected) in [
        (deadline("connection", false, None), "TIMEOUT timeout/deadline blocks Medium"),
        (deadline("answer", true, None), "TIMEOUT timeout/deadline blocks Medium"),
        (deadline("body", false, Some(200)), "TIMEOUT timeout/deadline blocks Medium"),
        (deadline("", false, None), "TIMEOUT timeout/deadline blocks Medium"),
        (HttpEnding::Interrupted, "EXECUTION_ERROR execution/interrupted blocks High"),
    ] {
        let judgement = judged(ending);
        assert_eq!(told(&judgement), expected);
        let title = match judgement.debt {
            DebtGeneration::Item(DebtSummary { title, .. }) => title,
            DebtGeneration::None { reason } => reason,
        };
        rows.push(format!("{} | {title}", judgement.reason));
    }
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn where_redirects_led_is_noted_of_a_failure() {
    let action = http("STEP.1", request(URL));
    let facts = HttpFacts {
        redirects: vec![Redirect { status: 302, to: "http://localhost:3000/login".to_owned() }],
        ..http_facts(&action, HttpEnding::Answered(Box::new(answer(404))))
    };
    let judgement = judge(&plan(vec![action.clone()]), &action, &exchanged(&action, facts), &nothing());
    assert_eq!(judgement.notes, ["it was redirected once, at last to http://localhost:3000/login"]);
}
