//! Requests of Referee's own, such as to a provider that signs people in. No redirect is followed.

use std::path::Path;
use std::time::{Duration, Instant};

use referee_model::plan::http::Method;
use ureq::http::{HeaderName, HeaderValue};

use super::address::Address;
use super::failure::Failure;
use super::progress::Progress;
use super::request::{Header, Outgoing};
use super::transfer::Transfer;
use super::trust;

/// A request of Referee's own. The certificate of the server is verified.
#[derive(Debug, Clone, Copy)]
pub struct OwnRequest<'request> {
    pub url: &'request str,
    /// Value of the header `Authorization`.
    pub authorization: Option<&'request str>,
    /// Fields of a form, encoded. None: the request is a `GET`.
    pub form: Option<&'request str>,
    /// Maximum size of the body of the answer.
    pub limit_bytes: u64,
    pub timeout: Duration,
}

/// Makes a request, and returns status and body. An `Err` says why there is no complete answer.
pub fn fetch(request: &OwnRequest<'_>) -> Result<(u16, Vec<u8>), String> {
    let given = Address::parse(request.url)?;
    let address = given.address.uri().to_string();
    let content = request.form.map(|_| "application/x-www-form-urlencoded");
    let headers = [
        ("user-agent", Some(concat!("referee/", env!("CARGO_PKG_VERSION")))),
        ("accept", Some("application/json")),
        ("accept-encoding", Some("identity")),
        ("authorization", request.authorization),
        ("content-type", content),
    ];
    let headers = headers.into_iter().filter_map(|(name, value)| Some((name, value?))).map(|(name, value)| {
        let value = HeaderValue::from_str(value).map_err(|_| format!("the header {name} cannot be sent"))?;
        Ok(Header { name: HeaderName::from_static(name), value, stays: true, from_url: false })
    });
    let outgoing = Outgoing {
        method: if request.form.is_some() { Method::Post } else { Method::Get },
        address: given.address,
        headers: headers.collect::<Result<_, String>>()?,
        body: request.form.map(|form| form.as_bytes().to_vec()),
    };
    let transfer = Transfer {
        follow_redirects: false,
        verify_tls: true,
        // No certificate file is given, so the directory to search for one does not matter.
        rules: trust::rules(Path::new("/"), true, None)?,
        body_limit_bytes: request.limit_bytes,
        deadline: Instant::now() + request.timeout,
        progress: Progress::default(),
    };
    match transfer.run(outgoing) {
        Ok(received) => Ok((received.status, received.body)),
        Err(Failure::Deadline) => Err(format!("{address} does not answer in time")),
        Err(Failure::NoAnswer(answer)) => Err(format!("{address} cannot be asked: {}", answer.error.message)),
    }
}

#[cfg(test)]
mod tests {
    use referee_testkit::server::{Certificate, Reply, Server};

    use super::*;

    fn request(url: &str) -> OwnRequest<'_> {
        OwnRequest { url, authorization: None, form: None, limit_bytes: 10, timeout: Duration::from_secs(20) }
    }

    #[test]
    fn a_document_is_fetched_and_a_form_is_sent() {
        let server = Server::start(|_| Reply::http(201, &[], "answer"));
        let url = server.url("/x");
        assert_eq!(fetch(&request(&url)).unwrap(), (201, b"answer".to_vec()));
        let sent = OwnRequest { authorization: Some("Basic eA=="), form: Some("a=b&c=d"), ..request(&url) };
        assert_eq!(fetch(&sent).unwrap().0, 201);
        let asked = server.requests();
        assert_eq!((asked[0].method.as_str(), asked[0].header("authorization")), ("GET", None));
        assert_eq!((asked[1].method.as_str(), asked[1].body.as_slice()), ("POST", &b"a=b&c=d"[..]));
        assert_eq!(asked[1].header("content-type"), Some("application/x-www-form-urlencoded"));
        assert_eq!(asked[1].header("authorization"), Some("Basic eA=="));
    }

    #[test]
    fn what_is_too_large_leads_elsewhere_or_is_not_believed_is_no_answer() {
        let large = Server::start(|_| Reply::http(200, &[], "x".repeat(11)));
        assert!(fetch(&request(&large.url("/"))).is_err());
        let elsewhere = Server::start(|_| Reply::redirect(302, "http://evil.example/"));
        assert_eq!(fetch(&request(&elsewhere.url("/"))).unwrap().0, 302);
        let unknown = Server::start_tls(Certificate::SelfSigned, |_| Reply::json("{}"));
        assert!(fetch(&request(&unknown.url("/"))).is_err());
        let silent = Server::start(|_| Reply::silence());
        let url = silent.url("/");
        let hasty = OwnRequest { timeout: Duration::from_millis(50), ..request(&url) };
        assert!(fetch(&hasty).unwrap_err().contains("in time"));
        assert!(fetch(&request("ftp://localhost/")).is_err());
        assert!(fetch(&OwnRequest { authorization: Some("a\nb"), ..request(&url) }).is_err());
    }
}
