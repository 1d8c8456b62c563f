//! Authentication of requests: by a token, by the session of a browser that signed in, or by the word of a proxy. Also
//! checks that a browser addresses this server, and does so from one of its own pages, and that the caller's role suffices.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use referee_model::access::{Actor, Role};
use referee_model::audit::AuditEvent;

use crate::audit::{self, Entry};
use crate::caller::Caller;
use crate::channel::{Channel, Door};
use crate::cookie::Cookie;
use crate::problem::Problem;
use crate::role::{self, Need};
use crate::service::Service;
use crate::token;

/// Routes whose lines in the audit log are written where they sign in and out.
const OWN_LINES: [&str; 2] = ["/login", "/logout"];
/// Path prefix of the API. Programs get JSON problems instead of a redirect.
const API: &str = "/api/";

/// The parts of a request that authentication depends on.
struct RequestHead<'request> {
    door: Door,
    method: &'request Method,
    uri: &'request Uri,
    headers: &'request HeaderMap,
}

/// Middleware that lets a request through, with its [`Caller`], or returns why it is refused.
pub(crate) async fn guard(State(service): State<Arc<Service>>, mut request: Request, next: Next) -> Response {
    let Some(door) = request.extensions().get::<Door>().copied() else {
        return Problem::internal("a request came through no door").into_response();
    };
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let need = role::need(request.method(), matched.as_ref().map(MatchedPath::as_str));
    let changes = changes(request.method());
    let head = RequestHead { door, method: request.method(), uri: request.uri(), headers: request.headers() };
    let (caller, refused) = match head.identity(&service, need).await {
        Ok(identity) => {
            let refused = need.check(&identity.caller).err().or_else(|| head.foreign(identity.credential));
            (identity.caller, refused)
        }
        Err(problem) => (Caller::unknown(), Some(problem)),
    };
    let tells_itself = matched.is_some_and(|route| OWN_LINES.contains(&route.as_str()));
    let entry = (changes && (refused.is_some() || !tells_itself)).then(|| Entry::of(&request));
    match (refused, entry) {
        (Some(problem), entry) => {
            if let Some(entry) = entry {
                // It is refused whether or not that can be told.
                drop(entry.write(&service, &caller, AuditEvent::Refused, Some(problem.status)).await);
            }
            let is_program = request.uri().path().starts_with(API)
                || service.access.proxy.as_ref().is_some_and(|proxy| proxy.is_meant(request.headers()));
            if problem.status == StatusCode::UNAUTHORIZED && !is_program {
                see("/login")
            } else {
                problem.into_response()
            }
        }
        (None, Some(entry)) => {
            request.extensions_mut().insert(caller.clone());
            audit::carry_out(service, caller, entry, request, next).await
        }
        (None, None) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
    }
}

fn changes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

/// Who asks, and by what that is known.
struct Identity {
    caller: Caller,
    credential: Credential,
}

/// By what a caller is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Credential {
    /// Nothing is asked for.
    None,
    /// Something that only whoever makes the request can send along.
    Shown,
    /// Something that a browser sends along by itself, whichever page makes the request.
    Ambient,
}

impl RequestHead<'_> {
    /// Finds out who asks.
    async fn identity(&self, service: &Arc<Service>, need: Need) -> Result<Identity, Problem> {
        if let Door::Tcp(address, _) = self.door {
            self.is_meant_for_us(service, address.ip())?;
            if need == Need::Nothing {
                return Ok(Identity { caller: Caller::unknown(), credential: Credential::None });
            }
        }
        if let Some(proxy) = &service.access.proxy
            && let Some(caller) = proxy.caller(self.headers)?
        {
            return Ok(Identity { caller, credential: Credential::Ambient });
        }
        let Door::Tcp(address, channel) = self.door else {
            return Ok(Identity { caller: of_unix(), credential: Credential::Shown });
        };
        if let Some(given) = self.headers.get(header::AUTHORIZATION) {
            let caller = token::holder(service, bearer(given)).await?.caller;
            return Ok(Identity { caller, credential: Credential::Shown });
        }
        let session = Cookie::Session.find(self.headers, service.cookie_scope(address, channel));
        let holder = session.and_then(|value| service.sessions.holder(value, service.now()));
        let Some(holder) = holder else { return Err(Problem::unauthorized(NEEDED)) };
        // A token that was revoked ends what it signed in to.
        let caller = match holder.token {
            Some(digest) => token::of_mark(service, digest).await?,
            None => holder.caller,
        };
        Ok(Identity { caller, credential: Credential::Ambient })
    }

    /// Returns why a request that may come from a page of somebody else's is refused. `None`: it is not.
    fn foreign(&self, credential: Credential) -> Option<Problem> {
        let channel = self.door.channel();
        let is_foreign = changes(self.method)
            && match credential {
                Credential::None => self.is_from_here(channel) == Some(false),
                Credential::Shown => false,
                Credential::Ambient => self.is_from_here(channel) != Some(true),
            };
        is_foreign.then(foreign)
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
    fn is_from_here(&self, channel: Channel) -> Option<bool> {
        let text = |name: &str| self.headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let site = text("sec-fetch-site").map(|site| matches!(site, "same-origin" | "none"));
        let host = text("host").unwrap_or_default();
        let is_host = |origin: &str| {
            // Behind a proxy with TLS the page is https, and the connection is not.
            let plain = origin.strip_prefix("http://").filter(|_| channel == Channel::Plain);
            let place = plain.or_else(|| origin.strip_prefix("https://"));
            place.is_some_and(|place| place.eq_ignore_ascii_case(host))
        };
        match (text("origin").map(is_host), site) {
            (None, None) => None,
            (origin, site) => Some(origin.unwrap_or(true) && site.unwrap_or(true)),
        }
    }
}

const NEEDED: &str = "a token is needed: `Authorization: Bearer …`; `referee serve` says where it is kept";

/// Returns the user at the Unix socket: only processes of the server's own user are answered there.
fn of_unix() -> Caller {
    Caller { who: Actor::UnixUser { id: rustix::process::geteuid().as_raw() }, role: Role::Operator }
}

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

/// Redirects a browser.
pub(crate) fn see(place: &'static str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}
