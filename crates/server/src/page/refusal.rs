//! Refusals, with advice for people.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::frame::{Part, trouble};
use super::harmless;
use crate::problem::Problem;
use crate::service::Service;

/// A refused operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) message: String,
    /// Advice for the person.
    pub(super) advice: &'static str,
}

impl Refusal {
    pub(super) fn of(problem: &Problem) -> Self {
        Self { message: harmless::text(&problem.message), advice: advice(problem.status) }
    }
}

fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Search the list of all incidents.",
        StatusCode::CONFLICT => "Nothing was changed. This page offers the actions that are possible now.",
        StatusCode::BAD_REQUEST => "Nothing was changed. Correct the input and send it again.",
        StatusCode::FORBIDDEN => "Nothing was changed. Different credentials are required.",
        StatusCode::SERVICE_UNAVAILABLE => "Check the disk and the permissions of the directory, then try again.",
        StatusCode::GATEWAY_TIMEOUT => "Check the current state before you try again.",
        StatusCode::METHOD_NOT_ALLOWED => "Start from the list of incidents.",
        StatusCode::INTERNAL_SERVER_ERROR => "This is a bug in Referee.",
        _ => "",
    }
}

/// Returns an error page in the section of incidents.
pub(super) fn page(problem: &Problem) -> Response {
    page_of(Part::Incidents, problem)
}

/// Returns an error page.
pub(super) fn page_of(part: Part, problem: &Problem) -> Response {
    let headline = match problem.status {
        StatusCode::NOT_FOUND => "There is no such thing",
        StatusCode::SERVICE_UNAVAILABLE => "This cannot be read now",
        StatusCode::GONE => "It was removed on purpose",
        StatusCode::CONFLICT if matches!(part, Part::Runs | Part::FleetRuns) => "This is not shown",
        _ => "This was not done",
    };
    let refusal = Refusal::of(problem);
    let said = match problem.status {
        // The header that the message mentions is only of use to programs.
        StatusCode::METHOD_NOT_ALLOWED => "nothing is shown at this address: it takes what a form sends",
        _ => refusal.message.as_str(),
    };
    let mut message = said.chars();
    let first: String = message.next().into_iter().flat_map(char::to_uppercase).collect();
    let advice = if part.is_fleet() { "" } else { refusal.advice };
    let explanation = format!("{first}{}. {advice}", message.as_str());
    trouble(problem.status, part, headline, explanation.trim_end())
}

/// Path prefix of the API. Programs get JSON problems, whatever they accept.
const API: &str = "/api/";

/// Middleware that replaces a problem by a page, if the request comes from a browser.
pub(crate) async fn for_people(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let part = match service.fleet() {
        Ok(_) if path.starts_with("/orders") => Part::Orders,
        Ok(_) if path.starts_with("/loops") => Part::Loops,
        Ok(_) => Part::FleetRuns,
        Err(_) if path.starts_with("/runs") => Part::Runs,
        Err(_) => Part::Incidents,
    };
    let is_person = !path.starts_with(API) && accepts_pages(request.headers());
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Problem>() {
        Some(problem) if is_person => instead(&problem, part, response.headers()),
        _ => response,
    }
}

/// Returns the error page with the headers of the refusal, for example on authentication, allowed methods or retries.
fn instead(problem: &Problem, part: Part, refused: &HeaderMap) -> Response {
    // A client that is not let in gets no navigation.
    let is_outside =
        matches!(problem.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST);
    let mut page = page_of(if is_outside { Part::Door } else { part }, problem);
    for (name, value) in refused {
        if *name != header::CONTENT_TYPE && *name != header::CONTENT_LENGTH {
            page.headers_mut().insert(name.clone(), value.clone());
        }
    }
    page
}

fn accepts_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_page = parts.next().is_some_and(|media| media.eq_ignore_ascii_case("text/html"));
        is_page && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

/// Returns the page for an address that cannot exist.
pub(super) fn unknown() -> Response {
    let explanation = "There is no page at this address.";
    trouble(StatusCode::NOT_FOUND, Part::Incidents, "There is no such thing", explanation)
}
