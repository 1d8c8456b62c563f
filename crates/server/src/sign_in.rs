//! Signing in and out: by a token, or at an OpenID provider.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use referee_model::audit::AuditEvent;

use crate::audit::Entry;
use crate::auth::see;
use crate::caller::Caller;
use crate::channel::Door;
use crate::cookie::Cookie;
use crate::oidc::{AuthorizationResponse, CALLBACK, Oidc, SignInError};
use crate::problem::Problem;
use crate::route::Method;
use crate::service::Service;
use crate::session::{self, Holder};
use crate::{extract, page, token};

/// Sends a browser to the page that it asked for, by itself: a cookie of this site alone is not sent along where another
/// site led to the page.
const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// Returns the routes of signing in and out.
pub(crate) fn routes() -> Vec<(Method, &'static str, MethodRouter<Arc<Service>>)> {
    vec![
        (Method::Get, "/login", get(show)),
        (Method::Post, "/login", post(by_token)),
        (Method::Get, "/login/provider", get(at_provider)),
        (Method::Get, CALLBACK, get(from_provider)),
        (Method::Post, "/logout", post(leave)),
    ]
}

/// Shows the login page, or logs in with the token of the link that the terminal showed.
async fn show(
    State(service): State<Arc<Service>>,
    door: Extension<Door>,
    entry: Entry,
    RawQuery(query): RawQuery,
) -> Response {
    match extract::field(query.unwrap_or_default().as_bytes(), "token") {
        Some(token) => let_in(&service, *door, &entry, &token).await,
        None => login(&service, StatusCode::OK, None),
    }
}

/// Logs in a browser that sends the token.
async fn by_token(State(service): State<Arc<Service>>, door: Extension<Door>, entry: Entry, body: Bytes) -> Response {
    let token = extract::field(&body, "token").unwrap_or_default();
    let_in(&service, *door, &entry, &token).await
}

async fn let_in(service: &Arc<Service>, door: Door, entry: &Entry, token: &str) -> Response {
    let holder = match token::holder(service, token.trim()).await {
        Ok(holder) => holder,
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => {
            let said = "The token is wrong. `referee serve` prints the path of its file.";
            return turned_away(service, entry, &Caller::unknown(), (problem.status, said)).await;
        }
        Err(problem) => return problem.into_response(),
    };
    begin_session(service, door, entry, holder, session::LIFETIME, see("/")).await
}

/// Sends a browser to the provider.
async fn at_provider(State(service): State<Arc<Service>>, door: Extension<Door>) -> Response {
    let (Some(oidc), Door::Tcp(address, channel)) = (service.access.oidc.clone(), *door) else { return no_provider() };
    let now = service.now();
    let departure = match service.off_thread(move |_| Ok::<_, Problem>(oidc.begin(now))).await {
        Ok(Ok(departure)) => departure,
        Ok(Err(error)) => {
            let (status, said) = told(&error);
            return login(&service, status, Some(&said));
        }
        Err(problem) => return problem.into_response(),
    };
    let Ok(place) = HeaderValue::from_str(&departure.address) else {
        return Problem::unavailable("the provider's address is none").into_response();
    };
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response();
    let scope = service.cookie_scope(address, channel);
    Cookie::SignIn.set(&mut response, &departure.browser, Oidc::patience().as_secs(), scope);
    response
}

/// Signs in a browser that the provider sends back.
async fn from_provider(
    State(service): State<Arc<Service>>,
    door: Extension<Door>,
    entry: Entry,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let (Some(oidc), Door::Tcp(address, channel)) = (service.access.oidc.clone(), *door) else { return no_provider() };
    let scope = service.cookie_scope(address, channel);
    let query = query.unwrap_or_default();
    let parameter = |name: &str| extract::field(query.as_bytes(), name);
    let back = AuthorizationResponse {
        code: parameter("code"),
        state: parameter("state"),
        error: parameter("error"),
        issuer: parameter("iss"),
        browser: Cookie::SignIn.find(&headers, scope).map(str::to_owned),
    };
    let now = service.now();
    let mut response = match service.off_thread(move |_| Ok::<_, Problem>(oidc.finish(&back, now))).await {
        Ok(Ok((caller, lifetime))) => {
            let mut arrived = html(StatusCode::OK, page::signed_in());
            arrived.headers_mut().insert(REFRESH, HeaderValue::from_static("0; url=/"));
            let holder = Holder { caller, token: None };
            begin_session(&service, *door, &entry, holder, lifetime, arrived).await
        }
        Ok(Err(error)) => {
            let (status, said) = told(&error);
            let caller = match error {
                SignInError::NoGroup(who) => Caller { who, ..Caller::unknown() },
                _ => Caller::unknown(),
            };
            turned_away(&service, &entry, &caller, (status, &said)).await
        }
        Err(problem) => problem.into_response(),
    };
    Cookie::SignIn.set(&mut response, "", 0, scope);
    response
}

async fn leave(
    State(service): State<Arc<Service>>,
    door: Extension<Door>,
    caller: Caller,
    entry: Entry,
    headers: HeaderMap,
) -> Response {
    let mut response = see("/login");
    if let Door::Tcp(address, channel) = *door
        && let scope = service.cookie_scope(address, channel)
        && let Some(value) = Cookie::Session.find(&headers, scope)
    {
        service.sessions.send_out(value);
        Cookie::Session.set(&mut response, "", 0, scope);
    }
    // Who leaves has left whether or not that can be told.
    drop(entry.write(&service, &caller, AuditEvent::SignedOut, Some(StatusCode::SEE_OTHER)).await);
    response
}

/// Begins a session, once it is written down that somebody signed in.
async fn begin_session(
    service: &Arc<Service>,
    door: Door,
    entry: &Entry,
    holder: Holder,
    lifetime: Duration,
    mut response: Response,
) -> Response {
    let Door::Tcp(address, channel) = door else { return see("/") };
    let told = entry.write(service, &holder.caller, AuditEvent::SignedIn, Some(response.status())).await;
    if let Err(problem) = told {
        return problem.into_response();
    }
    let lifetime = lifetime.min(session::LIFETIME);
    let Some(value) = service.sessions.let_in(holder, lifetime, service.now()) else {
        return Problem::internal("the system gives no random numbers").into_response();
    };
    let scope = service.cookie_scope(address, channel);
    Cookie::Session.set(&mut response, &value, lifetime.as_secs(), scope);
    response
}

/// Shows the login page to whoever could not sign in, and writes it down.
async fn turned_away(
    service: &Arc<Service>,
    entry: &Entry,
    caller: &Caller,
    (status, said): (StatusCode, &str),
) -> Response {
    // Nobody is let in, whether or not that can be told.
    drop(entry.write(service, caller, AuditEvent::SignInFailed, Some(status)).await);
    login(service, status, Some(said))
}

/// Returns status and sentence for a sign-in that failed at the provider.
fn told(error: &SignInError) -> (StatusCode, String) {
    match error {
        SignInError::Provider(why) => {
            (StatusCode::SERVICE_UNAVAILABLE, format!("The provider cannot be asked: {why}."))
        }
        SignInError::Busy => (StatusCode::SERVICE_UNAVAILABLE, "Too many people sign in. Try again.".to_owned()),
        SignInError::Refused(reason) => (StatusCode::UNAUTHORIZED, format!("You are not signed in: {reason}.")),
        SignInError::NoGroup(_) => {
            (StatusCode::FORBIDDEN, "None of your groups at the provider may use this server.".to_owned())
        }
    }
}

fn no_provider() -> Response {
    Problem::unknown("nobody signs in here by a provider").into_response()
}

fn login(service: &Service, status: StatusCode, said: Option<&str>) -> Response {
    html(status, page::login(said, service.access.oidc.as_deref().map(Oidc::issuer)))
}

fn html(status: StatusCode, page: String) -> Response {
    let mut response = (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response();
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Bearer realm=\"referee\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
