//! `/incidents/{id}`: one incident, with the operations that a person can perform.

use std::sync::Arc;

use askama::Template;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use referee_engine::incident::detail::Finding;
use referee_engine::incident::repair_loop::LoopOptions;
use referee_model::access::Role;
use referee_model::incident::id::IncidentId;

use super::apply;
use super::form::Form;
use super::frame::{Frame, Part, answer};
use super::harmless;
use super::incident_view::{self, IncidentView};
use super::kept::Kept;
use super::mutation::Mutation;
use super::refusal::{self, Refusal};
use super::remedy::Word;
use super::tone;
use crate::caller::Caller;
use crate::problem::Problem;
use crate::service::{Project, Service};

/// Media type of forms.
const FORM: &str = "application/x-www-form-urlencoded";

#[derive(Template)]
#[template(path = "incident.html")]
struct IncidentPage {
    frame: Frame,
    dossier: IncidentView,
    said: Option<&'static str>,
    refusal: Option<Refusal>,
    /// The submitted form, to be shown again. Never contains a credential.
    form: Kept,
    /// The agent's command line for display. `None`: there is no agent.
    agent: Option<String>,
    /// Default limits of a loop.
    limits: LoopOptions,
}

/// Returns the position of a diagnostic in the usual notation of tools.
fn place(found: &Finding) -> String {
    tone::place(found.file.as_deref().or(found.tool.as_deref()), found.line, found.column)
}

pub(super) async fn show(
    Shared(service): Shared<Arc<Service>>,
    caller: Caller,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let Ok(id) = IncidentId::parse(&id) else { return refusal::unknown() };
    let form = Form::read(query.unwrap_or_default().as_bytes()).unwrap_or_default();
    let said = Mutation::parse(form.one("done")).map(Mutation::done);
    page(&service, caller.role, id, said, None).await
}

/// Performs an operation, and shows the incident again.
pub(super) async fn act(
    Shared(service): Shared<Arc<Service>>,
    caller: Caller,
    Path((id, operation)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (Ok(id), Some(operation)) = (IncidentId::parse(&id), Mutation::parse(&operation)) else {
        return refusal::unknown();
    };
    let media = headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    if !media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(FORM) {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "a form is sent as a form").into_response();
    }
    let mut form = match Form::read(&body) {
        Ok(form) => form,
        Err(why) => return refusal::page(&Problem::invalid(why)),
    };
    let done = apply::perform(&service, &id, operation, &form).await;
    form.forget("credential");
    match done {
        Ok(()) => Redirect::to(&format!("/incidents/{id}?done={}", operation.name())).into_response(),
        Err(problem) => page(&service, caller.role, id, None, Some((Kept::new(operation, form), problem))).await,
    }
}

async fn page(
    service: &Arc<Service>,
    role: Role,
    id: IncidentId,
    said: Option<&'static str>,
    refused: Option<(Kept, Problem)>,
) -> Response {
    let asked = refused.as_ref().and_then(|(form, _)| form.operation());
    let is_at_work = service.loops.of(&id).is_some_and(|work| work.outcome().is_none());
    let read =
        move |project: &Project| incident_view::read(project.office.context("page"), &id, role, (is_at_work, asked));
    let read = service.with_project(read).await;
    let dossier = match read {
        Ok(dossier) => dossier,
        Err(problem) => return refusal::page(refused.as_ref().map_or(&problem, |(_, refused)| refused)),
    };
    let status = refused.as_ref().map_or(StatusCode::OK, |(_, problem)| problem.status);
    let (form, refusal) = match refused {
        Some((form, problem)) => (form, Some(Refusal::of(&problem))),
        None => (Kept::default(), None),
    };
    let project = service.project().ok();
    let agent = project.and_then(|project| project.backend.agent_line.as_deref()).map(harmless::text);
    let title = match dossier.incident.message.as_str() {
        "" => dossier.incident.incident_id.to_string(),
        message => message.to_owned(),
    };
    let frame = Frame::new(title, Part::Incidents);
    answer(status, &IncidentPage { frame, dossier, said, refusal, form, agent, limits: LoopOptions::default() })
}

#[cfg(test)]
mod tests;
