//! Answers of servers.

use super::*;

#[test]
fn answers_have_their_fields_and_those_that_did_not_come_have_none() {
    let mut request = fixture::request("http://localhost:3000/api");
    request.expected_statuses = vec![StatusRange { from: 201, to: 201 }];
    let mut answer = fixture::answer(201);
    answer.headers = vec![
        ("Content-Type".to_owned(), "a/b".to_owned()),
        ("X-A".to_owned(), "1".to_owned()),
        ("x-a".to_owned(), "2".to_owned()),
    ];
    let world = Fixture::new().http("STEP.1", request.clone(), HttpEnding::Answered(Box::new(answer)));
    world.hold(&[
        ("status === 201", 'T'),
        ("statusCode >= 200 && statusCode < 300", 'T'),
        ("responseStatus === 200", 'F'),
        ("statusText === 'Created'", 'T'),
        ("headers['content-type'] === 'a/b'", 'T'),
        ("headers['Content-Type'].includes('/')", 'T'),
        ("headers['x-a'] === '1, 2'", 'T'),
        ("headers.missing", 'U'),
        ("headers", 'T'),
        ("responseTime === 7", 'T'),
        ("method === 'GET' && url.includes('localhost')", 'T'),
        ("expectedStatus === 201", 'T'),
        ("expectedStatus === status", 'T'),
        // Nothing of it was kept.
        ("body", 'U'),
    ]);
    request.expected_statuses = vec![StatusRange { from: 200, to: 202 }, StatusRange { from: 404, to: 404 }];
    let several = Fixture::new().http("STEP.1", request, HttpEnding::Answered(Box::new(fixture::answer(200))));
    several.hold(&[
        ("expectedStatus.includes(404)", 'T'),
        ("expectedStatus.includes(403)", 'F'),
        ("expectedStatus.length === 4 && expectedStatus[1] === 201", 'T'),
        ("Array.isArray(expectedStatus)", 'T'),
    ]);

    let action = fixture::http("STEP.1", fixture::request("http://localhost:3000/api"));
    let record = fixture::unanswered(&action, NoAnswerCause::Refused);
    let refused = Fixture::new().ran(action, record, nothing());
    refused.hold(&[
        ("statusCode !== 200", 'U'),
        ("body", 'U'),
        ("expectedStatus", 'U'),
        ("url.includes('/api')", 'T'),
        ("success === false", 'T'),
    ]);
    refused.explain(&[("statusCode === 200", "STEP.1 got no whole answer: connect ECONNREFUSED 127.0.0.1:3000")]);
}

#[test]
fn bodies_are_json_where_they_can_be_and_text_otherwise() {
    Fixture::new().answered("STEP.1", 200, "plain text").hold(&[
        ("body === 'plain text'", 'T'),
        ("body.includes('text')", 'T'),
        ("body.length === 10", 'T'),
        ("body.id", 'U'),
        ("body[0]", 'U'),
    ]);
    Fixture::new().answered("STEP.1", 200, "[1,2]").hold(&[("body.length > 0", 'T'), ("Array.isArray(body)", 'T')]);
    Fixture::new().answered("STEP.1", 200, "").hold(&[("body === ''", 'T'), ("body", 'F')]);
    Fixture::new().answered("STEP.1", 200, &"[".repeat(100_000)).hold(&[("body[0]", 'U'), ("body.includes('[')", 'T')]);
    // JSON with an infinite number cannot be evaluated.
    Fixture::new().answered("STEP.1", 200, r#"{"big":1e999}"#).hold(&[("body.big", 'U'), ("body.big !== 0", 'U')]);
    let long = Fixture::new().answered("STEP.1", 200, "").content("STEP.1", Content::TooLong { bytes: 9_000_000 });
    long.hold(&[("body", 'U'), ("body === ''", 'U')]);
    long.explain(&[("body", "STEP.1 has 9000000 bytes in the body of its answer, more than conditions look at")]);
}
