//! Authentication of requests: by token, or by the session of a browser that logged in with it. Also checks that
//! a browser addresses this server, and does so from one of its own pages.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::extract;
use crate::page;
use crate::problem::Problem;
use crate::service::Service;
use crate::session;

/// The listener that a request came in on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// TCP, at this local address.
    Tcp(SocketAddr),
    /// A Unix socket, from a process of the same user.
    Unix,
}

/// Paths that need no authentication: the login page, and the health check.
const OPEN: [&str; 2] = ["/login", "/api/health"];
/// Path prefix of assets, which need no authentication.
const ASSETS: &str = "/assets/";
/// Path prefix of the API. Programs get JSON problems instead of a redirect.
const API: &str = "/api/";

/// The parts of a request that authentication depends on.
struct Caller<'request> {
    door: Door,
    method: &'request Method,
    uri: &'request Uri,
    headers: &'request HeaderMap,
}

/// Middleware that lets a request through, or returns why it is refused.
pub(crate) async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let Some(door) = request.extensions().get::<Door>().copied() else {
        return Problem::internal("a request came through no door").into_response();
    };
    let caller = Caller { door, method: request.method(), uri: request.uri(), headers: request.headers() };
    match caller.admit(&service) {
        Ok(()) => next.run(request).await,
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED && !caller.uri.path().starts_with(API) => {
            see("/login")
        }
        Err(problem) => problem.into_response(),
    }
}

impl Caller<'_> {
    fn admit(&self, service: &Service) -> Result<(), Problem> {
        let Door::Tcp(address) = self.door else { return Ok(()) };
        self.is_meant_for_us(service, address.ip())?;
        let path = self.uri.path();
        let changes = !matches!(*self.method, Method::GET | Method::HEAD);
        if OPEN.contains(&path) || path.starts_with(ASSETS) {
            let is_foreign = changes && self.is_from_here() == Some(false);
            return if is_foreign { Err(foreign()) } else { Ok(()) };
        }
        if let Some(given) = self.headers.get(header::AUTHORIZATION) {
            return if is_token(service, bearer(given)) { Ok(()) } else { Err(Problem::unauthorized(WRONG)) };
        }
        let session = cookie(self.headers, address.port());
        if !session.is_some_and(|value| service.sessions.knows(value, Instant::now())) {
            return Err(Problem::unauthorized(NEEDED));
        }
        if changes && self.is_from_here() != Some(true) { Err(foreign()) } else { Ok(()) }
    }

    /// Checks that the request addresses this server by one of its own names, which prevents DNS rebinding.
    fn is_meant_for_us(&self, service: &Service, address: IpAddr) -> Result<(), Problem> {
        let named = self.headers.get(header::HOST).map(|host| host.to_str().unwrap_or_default());
        let Some(named) = named else { return Err(Problem::invalid("the header Host is missing")) };
        let others = self.headers.get_all(header::HOST).iter().count() > 1;
        let elsewhere = self.uri.host().is_some_and(|host| !is_ours(host, service, address));
        let is_ours = !others && !elsewhere && is_ours(without_port(named), service, address);
        if is_ours { Ok(()) } else { Err(Problem::misdirected()) }
    }

    /// Returns whether the browser says that one of our own pages made the request. `None`: it does not say.
    fn is_from_here(&self) -> Option<bool> {
        let text = |name: &str| self.headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let site = text("sec-fetch-site").map(|site| matches!(site, "same-origin" | "none"));
        let host = text("host").unwrap_or_default();
        let is_host = |origin: &str| {
            let place = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            place.is_some_and(|place| place.eq_ignore_ascii_case(host))
        };
        match (text("origin").map(is_host), site) {
            (None, None) => None,
            (origin, site) => Some(origin.unwrap_or(true) && site.unwrap_or(true)),
        }
    }
}

const NEEDED: &str = "a token is needed: `Authorization: Bearer …`; `referee serve` says where it is kept";
const WRONG: &str = "this is not the token: `referee serve` says where it is kept";

fn foreign() -> Problem {
    Problem::forbidden(
        "this came from another page than one of this server's, or does not say from which: open the page again",
    )
}

fn is_ours(name: &str, service: &Service, address: IpAddr) -> bool {
    let name = name.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    match name.parse::<IpAddr>() {
        Ok(named) => named.is_loopback() || named == address,
        Err(_) => name == "localhost" || service.access.names.contains(&name),
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn bearer(given: &HeaderValue) -> &str {
    let (scheme, token) = given.to_str().unwrap_or_default().split_once(' ').unwrap_or_default();
    if scheme.eq_ignore_ascii_case("bearer") { token.trim() } else { "" }
}

fn is_token(service: &Service, given: &str) -> bool {
    service.access.token.as_deref().is_some_and(|token| session::is_same(token, given))
}

/// Returns the name of the session cookie. Cookies ignore ports, so it contains the port: two servers on one
/// machine need different names.
fn cookie_name(port: u16) -> String {
    format!("referee_session_{port}")
}

fn cookie(headers: &HeaderMap, port: u16) -> Option<&str> {
    let name = cookie_name(port);
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Redirects a browser.
pub(crate) fn see(place: &'static str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

/// Shows the login page, or logs in with the token of the link that the terminal showed.
pub(crate) async fn show_login(State(service): State<Arc<Service>>, request: Request) -> Response {
    match extract::field(request.uri().query().unwrap_or_default().as_bytes(), "token") {
        Some(token) => let_in(&service, request.extensions().get::<Door>(), &token),
        None => html(StatusCode::OK, page::login(false)),
    }
}

/// Logs in a browser that sends the token.
pub(crate) async fn log_in(State(service): State<Arc<Service>>, door: axum::Extension<Door>, body: Bytes) -> Response {
    let token = extract::field(&body, "token").unwrap_or_default();
    let_in(&service, Some(&door), &token)
}

pub(crate) async fn log_out(
    State(service): State<Arc<Service>>,
    door: axum::Extension<Door>,
    headers: HeaderMap,
) -> Response {
    if let Door::Tcp(address) = *door
        && let Some(value) = cookie(&headers, address.port())
    {
        service.sessions.send_out(value, Instant::now());
    }
    see("/login")
}

fn let_in(service: &Service, door: Option<&Door>, token: &str) -> Response {
    let Some(Door::Tcp(address)) = door else { return see("/") };
    if !is_token(service, token.trim()) {
        return html(StatusCode::UNAUTHORIZED, page::login(true));
    }
    let Some(value) = service.sessions.let_in(Instant::now()) else {
        return Problem::internal("the system gives no random numbers").into_response();
    };
    let (name, seconds) = (cookie_name(address.port()), session::LIFETIME.as_secs());
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}");
    let mut response = see("/");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn html(status: StatusCode, page: String) -> Response {
    let mut response = (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response();
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Bearer realm=\"referee\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
