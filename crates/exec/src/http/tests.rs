//! Requests to real servers that behave well, and to many that do not.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use referee_model::id::{ActionId, Digest, WorkspacePath};
use referee_model::limit;
use referee_model::plan::http::{Assertion, Body, BodyKind, Capture as Taken, CaptureSource, Method};
use referee_model::plan::{EvidenceCapture, Phase, Template, Work};
use referee_model::record::http::NoAnswer;
use referee_model::record::{Log, Stream, StreamMap};
use referee_testkit::server::{Certificate, Reply, Request, Server};

use crate::capture::Capture;
use crate::observer::ObserverError;

use super::*;

/// Timeout of most requests in the tests; those that must reach it wait for it.
const SHORT: Duration = Duration::from_secs(1);

/// Timeout for servers that never respond.
const BRIEF: Duration = Duration::from_millis(200);

/// Timeout that is never reached.
const LONG: Duration = Duration::from_secs(30);

/// Calls of a sink, in order: `learn NAME VALUE`, `keep BODY`.
#[derive(Default)]
struct Memory(std::sync::Arc<Mutex<Vec<String>>>);

struct Kept {
    bytes: Vec<u8>,
    told: std::sync::Arc<Mutex<Vec<String>>>,
}

impl Sink for Memory {
    fn begin(&self, _: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
        Ok(Box::new(Kept { bytes: Vec::new(), told: std::sync::Arc::clone(&self.0) }))
    }

    fn begin_container(&self, _: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
        Err(SinkError::new("a request runs no container"))
    }

    fn picture(&self, _: &Action, _: u32, _: usize, _: &[u8]) -> Result<Log, SinkError> {
        Err(SinkError::new("there are no pictures"))
    }

    fn learn(&self, name: &CaptureName, value: &str) -> Result<(), SinkError> {
        self.0.lock().unwrap().push(format!("learn {name} {value}"));
        Ok(())
    }
}

impl Capture for Kept {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        assert_eq!(stream, Stream::Stdout);
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        self.told.lock().unwrap().push(format!("keep {}", String::from_utf8_lossy(&self.bytes)));
        Ok(Log::of("body", self.bytes.len() as u64, Digest::from_bytes([0; 32]), StreamMap::default()))
    }
}

/// A request, and the context in which it is made.
struct Case {
    request: HttpRequest,
    workspace: tempfile::TempDir,
    captured: BTreeMap<CaptureName, String>,
    evidence: EvidenceCapture,
    time: Duration,
    demand: Demand,
}

impl Case {
    fn get(url: impl Into<String>) -> Self {
        Self {
            request: HttpRequest::get(url),
            workspace: tempfile::tempdir().unwrap(),
            captured: BTreeMap::new(),
            evidence: EvidenceCapture::default(),
            time: LONG,
            demand: Demand::GoOn,
        }
    }

    fn within(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    fn run(&self) -> RequestResult {
        let sink = Memory::default();
        let action = Action {
            timeout_ms: 400,
            grace_ms: 0,
            evidence: self.evidence,
            ..Action::of(
                ActionId::parse("STEP.1").unwrap(),
                Phase::Step,
                "ask",
                Work::Http(Box::new(self.request.clone())),
            )
        };
        let exchange = Exchange {
            action: &action,
            attempt: 1,
            request: &self.request,
            workspace: self.workspace.path(),
            actions: &[],
            captured: &self.captured,
        };
        let bounds =
            Bounds { deadline: Instant::now() + self.time, timeout_ms: 400, of_task: false, grace: Duration::ZERO };
        let (wake, _writer) = rustix::pipe::pipe().unwrap();
        let mut tick = || Ok::<Demand, ObserverError>(self.demand);
        let mut watcher = Watcher { wake: std::os::fd::AsFd::as_fd(&wake), tick: &mut tick };
        let (facts, values, notices) = perform(&exchange, &bounds, &sink, &mut watcher).unwrap();
        let told = sink.0.lock().unwrap().clone();
        RequestResult { facts, values, notices: notices.iter().map(|notice| notice.code).collect(), sink: told }
    }
}

#[derive(Debug)]
struct RequestResult {
    facts: HttpFacts,
    values: Vec<(CaptureName, String)>,
    notices: Vec<NoticeCode>,
    sink: Vec<String>,
}

impl RequestResult {
    fn answer(&self) -> &HttpAnswer {
        match &self.facts.ending {
            HttpEnding::Answered(answer) => answer,
            other => panic!("an answer: {other:?}"),
        }
    }

    fn no_answer(&self) -> &NoAnswer {
        match &self.facts.ending {
            HttpEnding::NoAnswer(answer) => answer,
            other => panic!("no answer: {other:?}"),
        }
    }

    /// Returns the stage that the request waited for at its deadline, and the status if one had arrived.
    fn late(&self) -> (&str, Option<u16>) {
        match &self.facts.ending {
            HttpEnding::DeadlineExceeded { waiting_for, status, timeout_ms: 400, of_task: false } => {
                (waiting_for, *status)
            }
            other => panic!("too late: {other:?}"),
        }
    }
}

fn always(reply: Reply) -> Server {
    Server::start(move |_| reply.clone())
}

fn asked(reply: Reply, time: Duration) -> RequestResult {
    let server = always(reply);
    Case::get(server.url("/")).within(time).run()
}

#[test]
fn an_answer_is_observed_on_its_bytes_and_kept() {
    let server = Server::start(|_| Reply::http(201, &["X-A: 1", "X-A: 2"], "{\"id\": 7}"));
    let mut case = Case::get(server.url("/quotes?a=b c"));
    case.request.method = Method::Post;
    case.request.body = Some(Body { kind: BodyKind::Json, content: Template::plain("{\"text\":\"a\"}") });
    case.request.headers = vec![("X-Mine".to_owned(), Template::plain("yes"))];
    case.request.assertions = vec![Assertion::ContainsText("7".to_owned()), Assertion::ContainsText("8".to_owned())];
    let told = case.run();
    let answer = told.answer();
    assert_eq!((answer.status, answer.body_bytes, answer.body.as_ref().unwrap().bytes), (201, 9, 9));
    assert!(answer.headers.contains(&("x-a".to_owned(), "2".to_owned())), "{:?}", answer.headers);
    assert!(answer.head_ms <= answer.total_ms);
    assert_eq!(answer.assertions.iter().map(|each| each.holds).collect::<Vec<_>>(), [Some(true), Some(false)]);
    assert_eq!(told.sink, ["keep {\"id\": 7}"]);
    assert_eq!((told.facts.diagnostics.port_check, told.notices.len()), (None, 0));

    let [request] = server.requests().try_into().unwrap();
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/quotes?a=b%20c"));
    assert_eq!(request.body, b"{\"text\":\"a\"}");
    assert_eq!((told.facts.request.body_bytes, told.facts.request.method.as_str()), (12, "POST"));
    for (name, value) in &told.facts.request.headers {
        assert_eq!(request.header(name), Some(value.as_str()), "{name} was sent as it is recorded");
    }
    assert_eq!(request.header("x-mine"), Some("yes"));
    assert_eq!(request.header("accept-encoding"), Some("identity"));
    assert!(request.header("user-agent").unwrap().starts_with("referee/"));
}

#[test]
fn what_is_not_to_be_kept_is_not_kept() {
    let server = always(Reply::json("{}"));
    let mut case = Case::get(server.url("/"));
    case.evidence.exchange = false;
    let told = case.run();
    assert_eq!((told.answer().body.as_ref(), told.answer().body_bytes), (None, 2));
    assert!(told.sink.is_empty());
}

#[test]
fn bodies_end_as_http_says() {
    for (reply, method, body) in [
        (Reply::raw("HTTP/1.1 200 OK\r\n\r\nto the end"), Method::Get, "to the end"),
        (Reply::raw("HTTP/1.0 200 OK\r\n\r\nold"), Method::Get, "old"),
        (Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef"), Method::Get, "abc"),
        (
            Reply::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                .then_hang(),
            Method::Get,
            "abcde",
        ),
        (Reply::raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), Method::Get, "a"),
        (
            Reply::raw("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"),
            Method::Get,
            "a",
        ),
        (Reply::raw("HTTP/1.1 204 No Content\r\n\r\n").then_hang(), Method::Delete, ""),
        (Reply::raw("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").then_hang(), Method::Get, ""),
        (Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").then_hang(), Method::Head, ""),
        (Reply::json("{}").dripping(Duration::from_millis(1)), Method::Options, "{}"),
    ] {
        let server = always(reply.clone());
        let mut case = Case::get(server.url("/"));
        case.request.method = method;
        assert_eq!(case.run().sink, [format!("keep {body}")], "{reply:?}");
    }
}

#[test]
fn requests_without_a_body_say_so_where_one_is_usual() {
    let server = always(Reply::json("{}"));
    for (method, length) in [(Method::Post, Some("0")), (Method::Put, Some("0")), (Method::Delete, None)] {
        let mut case = Case::get(server.url("/"));
        case.request.method = method;
        case.run().answer();
        let request: Request = server.requests().pop().unwrap();
        assert_eq!((request.header("content-length"), request.header("transfer-encoding")), (length, None));
    }
    let mut case = Case::get(server.url("/"));
    case.request.body = Some(Body { kind: BodyKind::Text, content: Template::plain("a query") });
    case.run().answer();
    let request = server.requests().pop().unwrap();
    assert_eq!((request.method.as_str(), request.body), ("GET", b"a query".to_vec()));
}

#[test]
fn a_server_that_hangs_or_drips_is_given_up_at_the_deadline() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    let drip = |text: String| Reply::raw(text).dripping(Duration::from_millis(1));
    let cases = [
        (Reply::silence(), "answer", None),
        (Reply::raw("HTTP/1.1 200 OK\r\n").then_hang(), "answer", None),
        (Reply::raw(head).then_hang(), "body", Some(200)),
        (Reply::raw(format!("{head}half")).then_hang(), "body", Some(200)),
        (drip(format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(10_000))), "answer", None),
        (drip(format!("{head}{}", "x".repeat(10_000))), "body", Some(200)),
    ];
    let outlive = |(reply, waiting_for, status): &(Reply, &str, Option<u16>)| {
        let server = always(reply.clone());
        let told = Case::get(server.url("/")).within(SHORT).run();
        assert_eq!(told.late(), (*waiting_for, *status), "{reply:?}");
        assert!(told.sink.is_empty());
        let holds_port =
            told.facts.diagnostics.port_check.is_some_and(|check| check.in_use && check.port == server.port());
        assert_eq!(holds_port, *waiting_for == "answer", "{reply:?}");
    };
    std::thread::scope(|scope| {
        for case in &cases {
            scope.spawn(|| outlive(case));
        }
    });
}

#[test]
fn redirects_share_one_deadline() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |_| {
        std::thread::sleep(BRIEF / 4);
        Reply::redirect(302, &format!("/{}", count.fetch_add(1, Ordering::Relaxed)))
    });
    let told = Case::get(server.url("/")).within(BRIEF).run();
    assert!(matches!(told.facts.ending, HttpEnding::DeadlineExceeded { .. }), "{told:?}");
    assert!(told.facts.redirects.len() < limit::REDIRECTS);
}

#[test]
fn an_answer_that_is_no_whole_one_is_none() {
    use NoAnswerCause as Cause;
    let chunked = |rest: &str| Reply::raw(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}"));
    let many_headers = "X: y\r\n".repeat(1_000);
    for (reply, cause, status) in [
        (Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), Cause::Truncated, Some(200)),
        (Reply::raw("HTTP/1.1 200 OK\r\n\r\npart").then_reset(), Cause::Reset, Some(200)),
        (Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\npart").then_reset(), Cause::Reset, Some(200)),
        (Reply::raw("").then_reset(), Cause::Reset, None),
        (Reply::raw(""), Cause::Truncated, None),
        (Reply::raw("HTTP/1.1 200 O"), Cause::Truncated, None),
        (chunked("5\r\nhalf"), Cause::Truncated, Some(200)),
        (chunked("zz\r\nabc\r\n"), Cause::Protocol, Some(200)),
        (chunked("3\r\nabcdef"), Cause::Protocol, Some(200)),
        (chunked("fffffffffffffffff\r\nabc"), Cause::Protocol, Some(200)),
        (Reply::raw("hello, who is there?\r\n\r\n"), Cause::Protocol, None),
        (Reply::raw(vec![0_u8; 4_096]), Cause::Protocol, None),
        (Reply::raw("SSH-2.0-OpenSSH_9.2\r\n").then_hang(), Cause::Protocol, None),
        (Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), Cause::Protocol, None),
        (Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab"), Cause::Protocol, None),
        (Reply::raw(format!("HTTP/1.1 200 OK\r\n{many_headers}\r\n")), Cause::Protocol, None),
        (Reply::raw(format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(300_000))), Cause::Protocol, None),
        (Reply::raw("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), Cause::Truncated, None),
        (Reply::raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n").then_hang(), Cause::Protocol, Some(101)),
    ] {
        let told = asked(reply.clone(), LONG);
        let answer = told.no_answer();
        assert_eq!((answer.cause, answer.status), (cause, status), "{reply:?}: {answer:?}");
        assert!(told.sink.is_empty() && !answer.error.message.is_empty());
    }
}

#[test]
fn a_body_is_taken_up_to_its_limit() {
    let server = always(Reply::http(200, &[], vec![b'x'; 5_000_000]));
    let mut case = Case::get(server.url("/"));
    case.request.body_limit_bytes = 1_000_000;
    let told = case.run();
    assert_eq!((told.no_answer().cause, told.no_answer().status), (NoAnswerCause::BodyTooLarge, Some(200)));
    case.request.body_limit_bytes = 5_000_000;
    assert_eq!(case.run().answer().body_bytes, 5_000_000);
}

#[test]
fn nobody_and_nowhere_are_told_apart() {
    let port = port::free().unwrap();
    let told = Case::get(format!("http://127.0.0.1:{port}/")).run();
    let answer = told.no_answer();
    assert_eq!(
        (answer.cause, answer.error.errno, answer.error.code.as_deref()),
        (NoAnswerCause::Refused, Some(111), Some("ECONNREFUSED"))
    );
    assert_eq!(
        (answer.error.syscall.as_deref(), answer.error.address.as_deref()),
        (Some("connect"), Some("127.0.0.1"))
    );
    assert_eq!(answer.error.port, Some(port));
    let check = told.facts.diagnostics.port_check.unwrap();
    assert_eq!((check.port, check.in_use), (port, false));

    let told = Case::get("http://no-such-name.invalid/").within(Duration::from_secs(20)).run();
    match &told.facts.ending {
        // A machine without a resolver may wait for one.
        HttpEnding::DeadlineExceeded { waiting_for, .. } => assert_eq!(waiting_for, "connection"),
        _ => assert_eq!(told.no_answer().cause, NoAnswerCause::UnknownHost),
    }
    assert_eq!(told.facts.diagnostics.port_check, None);
}

#[test]
fn redirects_are_followed_recorded_and_bounded() {
    let server = Server::start(|request| match request.target.as_str() {
        "/a" => Reply::redirect(302, "b"),
        "/b" => Reply::redirect(307, "/c/d?x=1#top"),
        "/circle" => Reply::redirect(302, "/back"),
        "/back" => Reply::redirect(302, "/circle"),
        "/file" => Reply::redirect(302, "file:///etc/passwd"),
        "/split" => Reply::raw("HTTP/1.1 302 Found\r\nLocation: http://[broken\r\nContent-Length: 0\r\n\r\n"),
        "/none" => Reply::http(302, &[], "stay"),
        many if many.starts_with("/many") => Reply::redirect(301, &format!("{many}y")),
        _ => Reply::json("{}"),
    });
    let told = Case::get(server.url("/a")).run();
    assert_eq!(told.answer().status, 200);
    let hops: Vec<(u16, String)> = told.facts.redirects.iter().map(|hop| (hop.status, hop.to.clone())).collect();
    assert_eq!(hops, [(302, server.url("/b")), (307, server.url("/c/d?x=1"))]);

    let mut stays = Case::get(server.url("/a"));
    stays.request.follow_redirects = false;
    assert_eq!((stays.run().answer().status, stays.run().facts.redirects.len()), (302, 0));
    assert_eq!(Case::get(server.url("/none")).run().answer().status, 302);

    for (path, cause, hops) in [
        ("/circle", NoAnswerCause::RedirectLoop, 1),
        ("/many", NoAnswerCause::RedirectLoop, limit::REDIRECTS),
        ("/file", NoAnswerCause::BadRedirect, 0),
        ("/split", NoAnswerCause::BadRedirect, 0),
    ] {
        let told = Case::get(server.url(path)).run();
        assert_eq!((told.no_answer().cause, told.facts.redirects.len()), (cause, hops), "{path}");
    }
}

#[test]
fn secrets_do_not_go_along_to_another_origin() {
    let target = always(Reply::json("{}"));
    let elsewhere = target.url("/there");
    let server = Server::start(move |request| match request.target.as_str() {
        "/away" => Reply::redirect(307, &elsewhere),
        "/near" => Reply::redirect(307, "/end"),
        _ => Reply::json("{}"),
    });
    let name = CaptureName::parse("token").unwrap();
    let case = |path: &str| {
        let mut hole = Template::plain("t ");
        hole.push_captured(name.clone());
        let mut case = Case::get(server.url(path));
        case.request.headers = vec![
            ("Authorization".to_owned(), Template::plain("Bearer x")),
            ("Cookie".to_owned(), Template::plain("a=b")),
            ("X-Trace".to_owned(), hole),
            ("X-Plain".to_owned(), Template::plain("p")),
        ];
        case.captured = BTreeMap::from([(name.clone(), "hidden".to_owned())]);
        case.run()
    };
    case("/away").answer();
    let away = target.requests().pop().unwrap();
    let given = ["authorization", "cookie", "x-trace", "x-plain"].map(|name| away.header(name));
    assert_eq!(given, [None, None, None, Some("p")]);
    assert!(!format!("{away:?}").contains("hidden"));
    case("/near").answer();
    let near = server.requests().pop().unwrap();
    let given = ["authorization", "cookie", "x-trace", "x-plain"].map(|name| near.header(name));
    assert_eq!(given, [Some("Bearer x"), Some("a=b"), Some("t hidden"), Some("p")]);
}

#[test]
fn secret_captures_are_learned_before_anything_is_kept() {
    let server = always(Reply::json("{\"token\": \"s3cret\", \"id\": 7}"));
    let mut case = Case::get(server.url("/"));
    let taken = |name: &str, path: &str, secret| Taken {
        name: CaptureName::parse(name).unwrap(),
        from: CaptureSource::JsonPath(path.to_owned()),
        secret,
    };
    case.request.captures =
        vec![taken("id", "$.id", false), taken("token", "$.token", true), taken("gone", "$.x", true)];
    let told = case.run();
    assert_eq!(told.sink, ["learn token s3cret", "keep {\"token\": \"s3cret\", \"id\": 7}"]);
    let values: Vec<(&str, &str)> = told.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(values, [("id", "7"), ("token", "s3cret")]);
    let found: Vec<bool> = told.answer().captures.iter().map(|capture| capture.found).collect();
    assert_eq!(found, [true, true, false]);
}

#[test]
fn what_cannot_be_sent_is_not_sent() {
    let server = always(Reply::json("{}"));
    let mut hole = Case::get(server.url("/"));
    hole.request.url.push_captured(CaptureName::parse("id").unwrap());
    let mut certificates = Case::get(server.url("/"));
    certificates.request.ca_file = Some(WorkspacePath::parse("gone.pem").unwrap());
    for (case, start) in [
        (hole, "nothing was captured as `id`"),
        (certificates, "gone.pem does not exist"),
        (Case::get("ftp://localhost/"), "the URL must begin with http"),
    ] {
        let told = case.run();
        assert_eq!(told.no_answer().cause, NoAnswerCause::BadRequest);
        assert!(told.no_answer().error.message.starts_with(start), "{}", told.no_answer().error.message);
    }
    assert!(server.requests().is_empty());
}

#[test]
fn an_interruption_gives_the_request_up_at_once() {
    let server = always(Reply::silence());
    for demand in [Demand::Stop, Demand::Kill] {
        let mut case = Case::get(server.url("/"));
        case.demand = demand;
        let told = case.run();
        assert_eq!(told.facts.ending, HttpEnding::Interrupted);
        assert_eq!(told.facts.diagnostics.port_check, None);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes the files of certificates")]
fn certificates_are_believed_only_of_whom_they_are_meant_for() {
    for (certificate, trusted, verify, outcome) in [
        (Certificate::SelfSigned, false, true, "the certificate is self-signed"),
        (Certificate::SelfSigned, true, true, ""),
        (Certificate::SelfSigned, false, false, ""),
        (Certificate::Issued, false, true, "the certificate was issued by nobody who is trusted"),
        (Certificate::Issued, true, true, ""),
        (Certificate::Expired, true, true, "the certificate has expired"),
        (Certificate::Expired, true, false, ""),
        (Certificate::OtherName, true, true, "the certificate is for another name"),
    ] {
        let server = Server::start_tls(certificate, |_| Reply::json("{\"safe\": true}"));
        let mut case = Case::get(server.url("/"));
        if trusted {
            std::fs::write(case.workspace.path().join("ca.pem"), certificate.trusted_by()).unwrap();
            case.request.ca_file = Some(WorkspacePath::parse("ca.pem").unwrap());
        }
        case.request.verify_tls = verify;
        let told = case.run();
        let said = format!("{certificate:?} {trusted} {verify}: {told:?}");
        if outcome.is_empty() {
            assert_eq!(told.sink, ["keep {\"safe\": true}"], "{said}");
            let notices: &[NoticeCode] = if verify { &[] } else { &[NoticeCode::UncheckedTls] };
            assert_eq!(told.notices, notices, "{said}");
        } else {
            assert_eq!(told.no_answer().cause, NoAnswerCause::Tls, "{said}");
            assert!(told.no_answer().error.message.starts_with(outcome), "{said}");
            assert!(server.requests().is_empty());
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes the file of certificates")]
fn a_certificate_that_is_named_is_no_certificate_for_another_name() {
    let server = Server::start_tls(Certificate::SelfSigned, |_| Reply::json("{}"));
    let mut case = Case::get(format!("https://127.0.0.2:{}/", server.port()));
    std::fs::write(case.workspace.path().join("ca.pem"), Certificate::SelfSigned.trusted_by()).unwrap();
    case.request.ca_file = Some(WorkspacePath::parse("ca.pem").unwrap());
    // A server that listens only at 127.0.0.1 is not reachable at this address; then the name cannot be tested
    // at all.
    let told = case.run();
    let cause = told.no_answer().cause;
    assert!(matches!(cause, NoAnswerCause::Refused | NoAnswerCause::Tls), "{told:?}");
}

#[test]
fn tls_and_plain_http_do_not_pass_for_one_another() {
    let plain = always(Reply::json("{}"));
    let told = Case::get(format!("https://127.0.0.1:{}/", plain.port())).within(BRIEF).run();
    assert_eq!(told.late(), ("connection", None), "it waits for the end of a request that never comes");

    let secured = Server::start_tls(Certificate::Issued, |_| Reply::json("{}"));
    let told = Case::get(format!("http://127.0.0.1:{}/", secured.port())).run();
    let cause = told.no_answer().cause;
    assert!(matches!(cause, NoAnswerCause::Protocol | NoAnswerCause::Reset | NoAnswerCause::Truncated), "{told:?}");
}

#[test]
fn probes_say_in_a_word_what_they_met() {
    for (reply, expected) in [
        (Reply::json("{}"), Ok(200)),
        (Reply::redirect(302, "/"), Ok(302)),
        (Reply::http(401, &[], ""), Ok(401)),
        (Reply::http(403, &[], ""), Ok(403)),
        (Reply::http(404, &[], ""), Err("HTTP 404")),
        (Reply::http(503, &[], ""), Err("HTTP 503")),
        (Reply::silence(), Err("TIMEOUT")),
        (Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n").then_hang(), Ok(200)),
        (Reply::raw("").then_reset(), Err("CONNECTION_RESET")),
        (Reply::raw("hello, who is there?\r\n\r\n"), Err("INVALID_RESPONSE")),
    ] {
        let server = always(reply.clone());
        let time = if expected == Err("TIMEOUT") { BRIEF } else { LONG };
        let found = probe(&server.url("/"), true, time);
        assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected, "{reply:?}");
    }
    let secured = Server::start_tls(Certificate::SelfSigned, |_| Reply::json("{}"));
    assert_eq!(probe(&secured.url("/"), true, LONG), Err("TLS_ERROR".to_owned()));
    assert_eq!(probe(&secured.url("/"), false, LONG), Ok(200));
    let nobody = format!("http://127.0.0.1:{}/", port::free().unwrap());
    assert_eq!(probe(&nobody, true, LONG), Err("CONNECTION_REFUSED".to_owned()));
    assert!(probe("localhost:3000", true, LONG).unwrap_err().starts_with("the URL must begin with"));
}
