//! Signing in and out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use referee_model::audit::AuditEvent;

use crate::audit::Entry;
use crate::auth::see;
use crate::caller::Caller;
use crate::cookie::Cookie;
use crate::channel::Door;
use crate::problem::Problem;
use crate::route::Method;
use crate::service::Service;
use crate::session::{self, Holder};
use crate::{extract, page, token};

/// Returns the routes of signing in and out.
pub(crate) fn routes() -> Vec<(Method, &'static str, MethodRouter<Arc<Service>>)> {
    vec![
        (Method::Get, "/login", get(show)),
        (Method::Post, "/login", post(by_token)),
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
        None => html(StatusCode::OK, page::login(None)),
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

async fn leave(
    State(service): State<Arc<Service>>,
    door: Extension<Door>,
    caller: Caller,
    entry: Entry,
    headers: HeaderMap,
) -> Response {
    let mut response = see("/login");
    if let Door::Tcp(address, channel) = *door
        && let Some(value) = Cookie::Session.find(&headers, address, channel)
    {
        service.sessions.send_out(value, Instant::now());
        Cookie::Session.set(&mut response, "", 0, (address, channel));
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
    let Some(value) = service.sessions.let_in(holder, lifetime, Instant::now()) else {
        return Problem::internal("the system gives no random numbers").into_response();
    };
    Cookie::Session.set(&mut response, &value, lifetime.as_secs(), (address, channel));
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
    html(status, page::login(Some(said)))
}

fn html(status: StatusCode, page: String) -> Response {
    let mut response = (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response();
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Bearer realm=\"referee\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
