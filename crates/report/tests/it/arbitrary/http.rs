//! Arbitrary requests and their observations.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::limit;
use referee_model::plan::http::{
    Assertion, Body, BodyKind, Capture, CaptureSource, HttpRequest, JsonExpectation, JsonType, Method, StatusRange,
    TextExpectation,
};
use referee_model::record::http::{
    AssertionObservation, CaptureObservation, HealthCheck, HttpAnswer, HttpDiagnostics, HttpEnding, HttpError,
    HttpFacts, HttpSent, NameResolution, NoAnswer, NoAnswerCause, Redirect,
};

use super::plan::{schema_source, template};
use super::record::{log, port_check, schema_observation};
use super::{json, maybe, name, path, text};

pub(super) fn request() -> impl Strategy<Value = HttpRequest> {
    let body =
        (select(vec![BodyKind::Json, BodyKind::Text]), template()).prop_map(|(kind, content)| Body { kind, content });
    let statuses = vec((100..=599_u16, 100..=599_u16), 0..3).prop_map(|pairs| {
        let range = |(one, other): (u16, u16)| StatusRange { from: one.min(other), to: one.max(other) };
        pairs.into_iter().map(range).collect()
    });
    (
        select(Method::ALL.to_vec()),
        template(),
        vec((text(), template()), 0..3),
        maybe(body),
        statuses,
        vec(assertion(), 0..4),
        vec(capture(), 0..3),
        any::<(bool, bool)>(),
        maybe(path()),
        0..=limit::BODY_BYTES_MAX,
    )
        .prop_map(
            |(method, url, headers, body, expected_statuses, assertions, captures, flags, ca_file, limit)| {
                HttpRequest {
                    method,
                    url,
                    headers,
                    body,
                    expected_statuses,
                    assertions,
                    captures,
                    follow_redirects: flags.0,
                    verify_tls: flags.1,
                    ca_file,
                    body_limit_bytes: limit,
                }
            },
        )
}

fn assertion() -> impl Strategy<Value = Assertion> {
    prop_oneof![
        schema_source().prop_map(Assertion::JsonSchema),
        text().prop_map(Assertion::ContainsText),
        text().prop_map(Assertion::MatchesRegex),
        (text(), json_expectation()).prop_map(|(path, expectation)| Assertion::JsonPath { path, expectation }),
        (text(), text_expectation()).prop_map(|(name, expectation)| Assertion::Header { name, expectation }),
        any::<u64>().prop_map(|milliseconds| Assertion::MaxDuration { milliseconds }),
    ]
}

fn json_expectation() -> impl Strategy<Value = JsonExpectation> {
    let types = JsonType::ALL.to_vec();
    let bound = || maybe(any::<f64>().prop_filter("JSON holds finite numbers", |number| number.is_finite()));
    prop_oneof![
        any::<bool>().prop_map(JsonExpectation::Exists),
        select(types).prop_map(JsonExpectation::Type),
        json().prop_map(JsonExpectation::Equals),
        text().prop_map(JsonExpectation::Contains),
        text().prop_map(JsonExpectation::Matches),
        any::<(Option<u64>, Option<u64>)>().prop_map(|(min, max)| JsonExpectation::Length { min, max }),
        (bound(), bound()).prop_map(|(min, max)| JsonExpectation::Range { min, max }),
    ]
}

fn text_expectation() -> impl Strategy<Value = TextExpectation> {
    prop_oneof![
        any::<bool>().prop_map(TextExpectation::Exists),
        text().prop_map(TextExpectation::Equals),
        text().prop_map(TextExpectation::Contains),
        text().prop_map(TextExpectation::Matches),
    ]
}

fn capture() -> impl Strategy<Value = Capture> {
    let from = prop_oneof![
        text().prop_map(CaptureSource::JsonPath),
        text().prop_map(CaptureSource::Header),
        text().prop_map(CaptureSource::Regex),
    ];
    (name(), from, any::<bool>()).prop_map(|(name, from, secret)| Capture { name, from, secret })
}

pub(super) fn facts() -> impl Strategy<Value = HttpFacts> {
    let sent = (text(), text(), headers(), maybe(text()), any::<u64>())
        .prop_map(|(method, url, headers, body, body_bytes)| HttpSent { method, url, headers, body, body_bytes });
    let redirect = (any::<u16>(), text()).prop_map(|(status, to)| Redirect { status, to });
    let resolution = (text(), vec(text(), 0..3)).prop_map(|(host, addresses)| NameResolution { host, addresses });
    let health = (text(), any::<bool>(), text(), any::<u64>())
        .prop_map(|(url, held, result, duration_ms)| HealthCheck { url, held, result, duration_ms });
    (sent, vec(redirect, 0..3), ending(), maybe(port_check()), maybe(resolution), maybe(health)).prop_map(
        |(request, redirects, ending, port_check, resolution, health_check)| HttpFacts {
            request,
            redirects,
            ending,
            diagnostics: HttpDiagnostics { port_check, resolution, health_check },
        },
    )
}

/// Names may occur twice, also in another case.
fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    let names = prop_oneof![select(vec!["Set-Cookie", "set-cookie", "Accept"]).prop_map(str::to_owned), text()];
    vec((names, text()), 0..4)
}

fn ending() -> impl Strategy<Value = HttpEnding> {
    let deadline = (any::<u64>(), any::<bool>(), text(), any::<Option<u16>>());
    prop_oneof![
        answer().prop_map(|answer| HttpEnding::Answered(Box::new(answer))),
        no_answer().prop_map(HttpEnding::NoAnswer),
        deadline.prop_map(|(timeout_ms, of_task, waiting_for, status)| HttpEnding::DeadlineExceeded {
            timeout_ms,
            of_task,
            waiting_for,
            status
        }),
        Just(HttpEnding::Interrupted),
    ]
}

fn no_answer() -> impl Strategy<Value = NoAnswer> {
    let causes = NoAnswerCause::ALL.to_vec();
    let numbers = any::<(Option<i32>, Option<u16>, Option<u16>)>();
    (select(causes), maybe(text()), maybe(text()), maybe(text()), numbers, text()).prop_map(
        |(cause, code, syscall, address, (errno, port, status), message)| NoAnswer {
            cause,
            error: HttpError { code, errno, syscall, address, port, message },
            status,
        },
    )
}

fn answer() -> impl Strategy<Value = HttpAnswer> {
    let assertion = (any::<Option<bool>>(), text(), maybe(schema_observation()))
        .prop_map(|(holds, found, schema)| AssertionObservation { holds, found, schema });
    let capture = (name(), any::<bool>(), any::<bool>()).prop_map(|(name, found, secret)| CaptureObservation {
        name,
        found,
        secret,
    });
    (any::<u16>(), headers(), maybe(log()), any::<(u64, u64, u64)>(), vec(assertion, 0..3), vec(capture, 0..3))
        .prop_map(|(status, headers, body, (body_bytes, head_ms, total_ms), assertions, captures)| HttpAnswer {
            status,
            headers,
            body,
            body_bytes,
            head_ms,
            total_ms,
            assertions,
            captures,
        })
}
