//! What was not done, and what a person can do about it.

use axum::http::StatusCode;
use axum::response::Response;

use super::frame::{Part, trouble};
use super::harmless;
use crate::problem::Problem;

/// Something that was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Why not. Harmless.
    pub(super) message: String,
    /// What a person can do about it.
    pub(super) advice: &'static str,
}

impl Refusal {
    /// Tells of a problem.
    pub(super) fn of(problem: &Problem) -> Self {
        Self { message: harmless::text(&problem.message), advice: advice(problem.status) }
    }
}

fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Look for it among all incidents.",
        StatusCode::CONFLICT => "Nothing was changed. What can be done with it as it stands now is offered here.",
        StatusCode::BAD_REQUEST => "Nothing was changed. Mend what was typed, and send it again.",
        StatusCode::FORBIDDEN => "Nothing was changed. Another credential is needed.",
        StatusCode::SERVICE_UNAVAILABLE => "See to the disk and the rights of the folder that holds it, and try again.",
        StatusCode::GATEWAY_TIMEOUT => "Look what became of it before you try again.",
        _ => "This is a fault of Referee itself.",
    }
}

/// A page about incidents that says nothing else.
pub(super) fn page(problem: &Problem) -> Response {
    page_of(Part::Incidents, problem)
}

/// A page that says nothing else.
pub(super) fn page_of(part: Part, problem: &Problem) -> Response {
    let headline = match problem.status {
        StatusCode::NOT_FOUND => "There is no such thing",
        StatusCode::SERVICE_UNAVAILABLE => "This cannot be read now",
        StatusCode::GONE => "It was removed on purpose",
        StatusCode::CONFLICT if part == Part::Runs => "This is not shown",
        _ => "This was not done",
    };
    let refusal = Refusal::of(problem);
    trouble(problem.status, part, headline, &format!("{}. {}", refusal.message, refusal.advice))
}

/// A page about something that cannot be there.
pub(super) fn unknown() -> Response {
    let explanation = "Nothing is kept under this address.";
    trouble(StatusCode::NOT_FOUND, Part::Incidents, "There is no such thing", explanation)
}
