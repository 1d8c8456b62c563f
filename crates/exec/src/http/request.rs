//! Outgoing requests: requests of the plan with their placeholders filled.

use std::collections::BTreeMap;

use referee_model::limit;
use referee_model::plan::http::{BodyKind, Method};
use referee_model::plan::{CaptureName, HttpRequest, Template};
use referee_model::record::http::HttpSent;
use referee_syntax::base64;
use ureq::http::{HeaderName, HeaderValue};

use crate::excerpt;

use super::address::Address;

/// Headers about the message length or the connection, which are derived from the message.
const OUR_OWN: [&str; 6] = ["connection", "content-length", "keep-alive", "te", "transfer-encoding", "upgrade"];

/// Headers that are never sent to another origin than the one they were written for.
const CREDENTIALS: [&str; 4] = ["authorization", "cookie", "cookie2", "proxy-authorization"];

/// Parts of header names that indicate a secret.
const TELLING: [&str; 7] = ["token", "secret", "password", "session", "api-key", "apikey", "auth"];

/// A request that can be sent.
#[derive(Debug, Clone)]
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) address: Address,
    pub(super) headers: Vec<Header>,
    pub(super) body: Option<Vec<u8>>,
}

/// A header that can be sent.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) name: HeaderName,
    pub(super) value: HeaderValue,
    /// Whether the header is sent only to the origin that it was written for.
    pub(super) stays: bool,
    /// Whether it carries the credentials of the URL. They are encoded, so redaction would not recognize them.
    pub(super) from_url: bool,
}

/// A request that cannot be sent.
#[derive(Debug)]
pub(super) struct Unsendable {
    pub(super) sent: HttpSent,
    /// Why it cannot be sent, and what to do.
    pub(super) message: String,
}

/// Recorded in place of the credentials of a URL.
const URL_CREDENTIALS: &str = "Basic (the credentials of the URL)";

type Captured = BTreeMap<CaptureName, String>;

/// Fills the placeholders of a request.
pub(super) fn fill(request: &HttpRequest, captured: &Captured) -> Result<(Outgoing, HttpSent), Box<Unsendable>> {
    let unsendable = |message| Box::new(Unsendable { sent: planned(request), message });
    let outgoing = outgoing(request, captured).map_err(unsendable)?;
    let sent = outgoing.sent(captured);
    Ok((outgoing, sent))
}

fn outgoing(request: &HttpRequest, captured: &Captured) -> Result<Outgoing, String> {
    let url = filled(&request.url, captured, str::to_owned)?;
    let given = Address::parse(&url)?;
    let mut headers = Vec::new();
    for (name, template) in &request.headers {
        headers.push(header(name, template, captured)?);
    }
    let is_given = |headers: &[Header], name: &HeaderName| headers.iter().any(|header| header.name == *name);
    if let Some(credentials) = given.credentials
        && !is_given(&headers, &HeaderName::from_static("authorization"))
    {
        let value = HeaderValue::try_from(format!("Basic {}", base64::encode(&credentials)));
        let value = value.map_err(|error| format!("the credentials in the URL cannot be sent: {error}"))?;
        headers.push(Header { name: HeaderName::from_static("authorization"), value, stays: true, from_url: true });
    }
    let body = request.body.as_ref().map(|body| {
        let filled = match body.kind {
            BodyKind::Json => filled(&body.content, captured, within_json_text),
            BodyKind::Text => filled(&body.content, captured, str::to_owned),
        };
        filled.map(String::into_bytes)
    });
    let is_json = request.body.as_ref().is_some_and(|body| body.kind == BodyKind::Json);
    let defaults = [
        ("user-agent", concat!("referee/", env!("CARGO_PKG_VERSION"))),
        ("accept", "*/*"),
        // Assertions about the body apply to its bytes as received, so no compression is accepted.
        ("accept-encoding", "identity"),
        ("content-type", "application/json"),
    ];
    for (name, value) in defaults {
        let name = HeaderName::from_static(name);
        if !is_given(&headers, &name) && (name != "content-type" || is_json) {
            headers.push(Header { name, value: HeaderValue::from_static(value), stays: false, from_url: false });
        }
    }
    Ok(Outgoing { method: request.method, address: given.address, headers, body: body.transpose()? })
}

fn header(name: &str, template: &Template, captured: &Captured) -> Result<Header, String> {
    let shown: String = name.chars().filter(|character| !character.is_control()).collect();
    let parsed = HeaderName::from_bytes(name.as_bytes());
    let parsed = parsed.map_err(|_| format!("`{shown}` is not a header name"))?;
    if OUR_OWN.contains(&parsed.as_str()) {
        return Err(format!("the header `{shown}` follows from what is sent and cannot be given: leave it out"));
    }
    let value = filled(template, captured, str::to_owned)?;
    let value = value.trim_matches([' ', '\t']);
    // Above all line breaks: text after one would be a header of its own.
    let value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| format!("the value of the header `{shown}` holds line ends or control characters"))?;
    let is_credential = CREDENTIALS.contains(&parsed.as_str());
    let is_telling = TELLING.iter().any(|part| parsed.as_str().contains(part));
    let stays = is_credential || is_telling || template.captured().next().is_some();
    Ok(Header { name: parsed, value, stays, from_url: false })
}

fn filled(template: &Template, captured: &Captured, escape: impl Fn(&str) -> String) -> Result<String, String> {
    template.fill(captured, escape).map_err(|name| {
        format!("nothing was captured as `{name}`: the action that captures it did not run, or found nothing")
    })
}

/// Returns a value as written between the quotes of a JSON string.
pub(super) fn within_json_text(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Describes a request that cannot be sent, as it is in the plan.
fn planned(request: &HttpRequest) -> HttpSent {
    let body = request.body.as_ref().map(|body| body.content.to_string());
    HttpSent {
        method: request.method.as_str().to_owned(),
        url: request.url.to_string(),
        headers: request.headers.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
        body_bytes: body.as_ref().map_or(0, |body| body.len() as u64),
        body: body.map(|body| excerpt::of_text(&body, limit::EXCERPT_BYTES, &[])),
    }
}

impl Outgoing {
    fn sent(&self, captured: &Captured) -> HttpSent {
        let known: Vec<&str> = captured.values().map(String::as_str).collect();
        let header = |header: &Header| {
            let value = String::from_utf8_lossy(header.value.as_bytes()).into_owned();
            (header.name.to_string(), if header.from_url { URL_CREDENTIALS.to_owned() } else { value })
        };
        let text = self.body.as_deref().map(String::from_utf8_lossy);
        HttpSent {
            method: self.method.as_str().to_owned(),
            url: self.address.uri().to_string(),
            headers: self.headers.iter().map(header).collect(),
            body: text.map(|text| excerpt::of_text(&text, limit::EXCERPT_BYTES, &known)),
            body_bytes: self.body.as_ref().map_or(0, |body| body.len() as u64),
        }
    }

    /// Changes the request to the target of a redirect, as browsers do.
    pub(super) fn redirected(&mut self, status: u16, location: &str) -> Result<(), String> {
        // Credentials in a URL that the server chose are not used.
        let target = self.address.join(location)?.address;
        let becomes_get = match status {
            303 => !matches!(self.method, Method::Get | Method::Head),
            301 | 302 => self.method == Method::Post,
            _ => false,
        };
        if becomes_get {
            self.method = Method::Get;
            self.body = None;
            self.headers.retain(|header| !header.name.as_str().starts_with("content-"));
        }
        if !target.is_same_origin(&self.address) {
            self.headers.retain(|header| !header.stays && header.name != "host");
        }
        self.address = target;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use referee_model::plan::http::Body;

    use super::*;

    fn hole(before: &str, name: &str, after: &str) -> Template {
        let mut template = Template::plain(before);
        template.push_captured(CaptureName::parse(name).unwrap());
        template.push_text(after);
        template
    }

    fn request(url: Template) -> HttpRequest {
        HttpRequest { method: Method::Post, url, body_limit_bytes: 1_000, ..HttpRequest::get("") }
    }

    fn captured(value: &str) -> Captured {
        BTreeMap::from([(CaptureName::parse("it").unwrap(), value.to_owned())])
    }

    #[test]
    fn holes_are_filled_as_their_place_needs_it() {
        let mut request = request(hole("http://a/", "it", "/x"));
        request.headers = vec![("X-It".to_owned(), hole("<", "it", ">"))];
        request.body = Some(Body { kind: BodyKind::Json, content: hole("{\"it\":\"", "it", "\"}") });
        let (outgoing, sent) = fill(&request, &captured("a \"b\"\\")).unwrap();
        assert_eq!(sent.url, "http://a/a%20%22b%22%5C/x");
        assert_eq!(sent.body.as_deref(), Some("{\"it\":\"a \\\"b\\\"\\\\\"}"));
        assert_eq!(sent.headers[0], ("x-it".to_owned(), "<a \"b\"\\>".to_owned()));
        let rest: Vec<&str> = sent.headers[1..].iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(rest, ["user-agent", "accept", "accept-encoding", "content-type"]);
        assert!(outgoing.headers[0].stays);
    }

    #[test]
    fn what_cannot_be_sent_is_told_and_never_sent() {
        let with_header = |name: &str| {
            let mut request = request(Template::plain("http://a/"));
            request.headers = vec![(name.to_owned(), hole("", "it", ""))];
            request
        };
        for (request, captured, start) in [
            (request(hole("http://a/", "gone", "")), captured("x"), "nothing was captured as `gone`"),
            (request(hole("", "it", "/x")), captured("file:"), "the URL must begin with"),
            (request(hole("http://a", "it", "/x")), captured(".b\r\nX: y"), "the URL names no host"),
            (with_header("X-It"), captured("a\r\nX-Evil: 1"), "the value of the header `X-It` holds line ends"),
            (with_header("X It"), captured("a"), "`X It` is not a header name"),
            (with_header("Content-Length"), captured("1"), "the header `Content-Length` follows from"),
        ] {
            let unsendable = fill(&request, &captured).unwrap_err();
            assert!(unsendable.message.starts_with(start), "{}", unsendable.message);
            assert!(!unsendable.sent.url.contains('\n') && !format!("{:?}", unsendable.sent).contains("X-Evil"));
        }
    }

    #[test]
    fn credentials_in_a_url_become_a_header_and_stay_out_of_the_record_of_the_url() {
        for (pair, encoded) in [("u:p", "dTpw"), ("user:pass", "dXNlcjpwYXNz"), ("a:", "YTo="), ("a", "YQ==")] {
            let (outgoing, sent) = fill(&request(Template::plain(format!("http://{pair}@a/"))), &captured("")).unwrap();
            assert_eq!(sent.url, "http://a/");
            assert_eq!(outgoing.headers[0].value, format!("Basic {encoded}"), "{pair}");
            assert!(outgoing.headers[0].stays);
            assert!(!format!("{sent:?}").contains(encoded), "{sent:?}");
        }
    }

    #[test]
    fn redirects_change_method_and_headers_as_browsers_do() {
        for (status, method, location, then, body, token) in [
            (302, Method::Post, "/b", Method::Get, false, true),
            (301, Method::Put, "/b", Method::Put, true, true),
            (303, Method::Put, "/b", Method::Get, false, true),
            (303, Method::Head, "/b", Method::Head, true, true),
            (307, Method::Post, "/b", Method::Post, true, true),
            (308, Method::Post, "http://other/b", Method::Post, true, false),
            (302, Method::Get, "https://a/b", Method::Get, true, false),
        ] {
            let mut request = request(Template::plain("http://a/"));
            request.method = method;
            let token_header = ("X-It".to_owned(), hole("", "it", ""));
            request.headers = vec![token_header, ("Authorization".to_owned(), Template::plain("x"))];
            request.body = Some(Body { kind: BodyKind::Json, content: Template::plain("{}") });
            let (mut outgoing, _) = fill(&request, &captured("x")).unwrap();
            outgoing.redirected(status, location).unwrap();
            let has = |name: &str| outgoing.headers.iter().any(|header| header.name == name);
            assert_eq!((outgoing.method, outgoing.body.is_some()), (then, body), "{status} {location}");
            assert_eq!(has("content-type"), body, "{status} {location}");
            assert_eq!((has("x-it"), has("authorization")), (token, token), "{status} {location}");
            assert!(has("accept"));
        }
    }
}
