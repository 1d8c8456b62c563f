//! The audit log: every request that may change something, and every attempt to sign in, is a line of it, written
//! before anything is done. Where the log cannot be written nothing is done.

use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use referee_model::access::Actor;
use referee_model::audit::{AuditEvent, AuditLine};
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::incident::id::IncidentId;

use crate::caller::Caller;
use crate::problem::Problem;
use crate::service::Service;
use crate::session;

/// Number of characters of the random name of a request.
const NAME_CHARACTERS: usize = 16;

/// What the lines about one request share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    request: String,
    method: String,
    route: String,
    subject: Option<String>,
}

impl Entry {
    /// Describes a request, without anything that could be a secret: its path is told only as far as it is a route.
    pub(crate) fn of(request: &Request) -> Self {
        Self::new(request.method(), request.uri(), request.extensions())
    }

    fn new(method: &Method, uri: &Uri, extensions: &Extensions) -> Self {
        let route = extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        Self {
            request: session::chance().map(|name| name[..NAME_CHARACTERS].to_owned()).unwrap_or_default(),
            method: method.as_str().chars().take(NAME_CHARACTERS).collect(),
            route: route.to_owned(),
            subject: subject(route, uri.path()),
        }
    }

    /// Writes a line about the request.
    ///
    /// # Errors
    /// Fails if the log cannot be written.
    pub(crate) async fn write(
        &self,
        service: &Arc<Service>,
        caller: &Caller,
        event: AuditEvent,
        status: Option<StatusCode>,
    ) -> Result<(), Problem> {
        let now = service.now();
        let Some(omitted) = service.tally.take(&caller.who, now) else { return Ok(()) };
        let line = AuditLine {
            sequence: 0,
            at: now,
            event,
            request: self.request.clone(),
            who: caller.who.clone(),
            role: (caller.who != Actor::Unknown && event != AuditEvent::SignInFailed).then_some(caller.role),
            method: self.method.clone(),
            route: self.route.clone(),
            subject: self.subject.clone(),
            status: status.map(|status| status.as_u16()),
            omitted,
            previous: None,
        };
        let unwritten =
            |why| Problem::unavailable(format!("nothing was done, for the audit log cannot be written: {why}"));
        let written = service.off_thread(move |service| (service.access.audit)(&line).map_err(unwritten)).await;
        if written.is_err() {
            service.tally.give_back(omitted);
        }
        written
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Entry {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self::new(&parts.method, &parts.uri, &parts.extensions))
    }
}

/// Carries out a request that may change something, between two lines of the log.
pub(crate) async fn carry_out(
    service: Arc<Service>,
    caller: Caller,
    entry: Entry,
    request: Request,
    next: Next,
) -> Response {
    if let Err(problem) = entry.write(&service, &caller, AuditEvent::Begun, None).await {
        return problem.into_response();
    }
    // On a task of its own: whoever hangs up ends neither the request nor what is told of it.
    let done = tokio::spawn(async move {
        let response = tokio::spawn(next.run(request)).await;
        let response = response.unwrap_or_else(|_| Problem::internal("this failed in Referee itself").into_response());
        let created = response.status() == StatusCode::CREATED;
        let subject = created.then(|| located(response.headers())).flatten();
        let entry = Entry { subject: subject.or(entry.subject), ..entry };
        // It is done: where this line is missing, the log says that it was begun.
        drop(entry.write(&service, &caller, AuditEvent::Answered, Some(response.status())).await);
        response
    });
    done.await.unwrap_or_else(|_| Problem::internal("this failed in Referee itself").into_response())
}

/// Returns the id of the incident, order or run that a path names.
fn subject(route: &str, path: &str) -> Option<String> {
    let named = route.split('/').zip(path.split('/')).filter_map(|(part, text)| match part {
        "{id}" => IncidentId::parse(text).ok().filter(|id| id.as_str() == text).map(|id| id.to_string()),
        "{order}" => Digest::parse(text).ok().map(|order| order.to_string()),
        "{execution}" => ExecutionId::parse(text).ok().map(|id| id.to_string()),
        "{task}" => text.parse::<TaskId>().ok().map(|id| id.to_string()),
        _ => None,
    });
    named.last()
}

/// Returns the id of the incident that an answer says was created.
fn located(headers: &HeaderMap) -> Option<String> {
    let place = headers.get(header::LOCATION)?.to_str().ok()?;
    subject("/api/errors/incidents/{id}", place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_incident_or_run_and_nothing_else_of_a_path() {
        let route = "/api/errors/incidents/{id}/plan";
        assert_eq!(subject(route, "/api/errors/incidents/inc_1/plan").as_deref(), Some("inc_1"));
        for path in ["/api/errors/incidents/%20/plan", "/api/errors/incidents//plan", "/api"] {
            assert_eq!(subject(route, path), None, "{path}");
        }
        let run = subject("/api/runs/{task}/{execution}", "/api/runs/T001/exec-1");
        assert_eq!(run.as_deref(), Some("exec-1"));
        assert_eq!(subject("/api/runs/{task}/{execution}", "/api/runs/T001/latest").as_deref(), Some("T001"));
        let order = "ab".repeat(32);
        let named = subject("/orders/{order}/cancel", &format!("/orders/{order}/cancel"));
        assert_eq!(named.as_ref(), Some(&order));
        assert_eq!(subject("/orders/{order}/cancel", "/orders/x/cancel"), None);
        assert_eq!(subject("", "/secret/token"), None);
    }
}
