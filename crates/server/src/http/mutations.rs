//! Routes that change incidents.

use std::sync::Arc;

use crate::api::ProblemClass;
use crate::api::answered::{ApprovalAnswer, CapturedAnswer, PlanAllAnswer, StandingAnswer};
use crate::api::asked::{
    AckBody, ApproveBody, ArchiveBody, CaptureBody, ClosingWord, HandoffBody, NoQuery, NothingBody, PlanBody,
    ReasonBody,
};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use referee_engine::incident::approval::{self, ApprovalRequest, Credential};
use referee_engine::incident::archive::ArchiveRequest;
use referee_engine::incident::capture::{self, CaptureRequest, CaptureResult, CapturedFile};
use referee_engine::incident::handoff::{self, HandoffRequest};
use referee_engine::incident::{IncidentContext, IncidentError, Part, Query, archive, plan};
use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::PLAN;
use referee_model::incident::remediation::RemediationPlan;
use referee_model::incident::status::{Closing, IncidentStatus};
use serde_json::{Map, Value};

use super::reading::approved;
use crate::extract::{Document, Named, QueryParameters, Sent, Written};
use crate::problem::Problem;
use crate::service::Service;

/// Header with an approver's private key.
const APPROVER: &str = "x-referee-approver";
/// Maximum number of incidents that one request plans.
const PLANNED_AT_ONCE: usize = 50;
/// Actor of the API's operations in events, if the request names nobody else.
const BY: &str = "api";

type Answer<T> = Result<Document<T>, Problem>;
type Served = State<Arc<Service>>;

/// `POST /api/errors/incidents`.
pub(super) async fn capture(
    State(service): Served,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<CaptureBody>,
) -> Result<Response, Problem> {
    let request = request(body)?;
    let has_report = request.report.is_some();
    let captured = service.with_incidents(BY, move |context| capture::capture(context, &request)).await;
    // The schema of a body cannot check a report's own hash.
    let captured = captured.map_err(|problem| match problem.class {
        ProblemClass::Validation if has_report => Problem::conflict(format!("`report`: {}", problem.message)),
        _ => problem,
    })?;
    let (status, answer) = match captured {
        CaptureResult::New(id) => (StatusCode::CREATED, answer("new", Some(id))),
        CaptureResult::Regression { id, of } => {
            (StatusCode::CREATED, CapturedAnswer { regression_of: Some(of), ..answer("regression", Some(id)) })
        }
        CaptureResult::Occurrence(id) => (StatusCode::OK, answer("occurrence", Some(id))),
        CaptureResult::Known(id) => (StatusCode::OK, answer("known", Some(id))),
        CaptureResult::Skipped(reason) => {
            (StatusCode::OK, CapturedAnswer { reason: Some(reason), ..answer("skipped", None) })
        }
    };
    let place = answer.incident_id.as_ref().map(|id| format!("/api/errors/incidents/{id}"));
    let response = Document(status, answer);
    Ok(match place {
        Some(place) => ([(header::LOCATION, place)], response).into_response(),
        None => response.into_response(),
    })
}

fn answer(captured: &'static str, incident_id: Option<IncidentId>) -> CapturedAnswer {
    CapturedAnswer { captured, incident_id, regression_of: None, reason: None }
}

fn request(body: CaptureBody) -> Result<CaptureRequest, Problem> {
    let id = body.incident_id.as_deref().map(IncidentId::parse).transpose();
    let taken = |name: &str, bytes: Vec<u8>| CapturedFile { path: format!("api:{name}"), bytes };
    let object = |name: &str, object: &Map<String, Value>| {
        let bytes = serde_json::to_vec(object).map_err(|error| Problem::invalid(format!("`{name}`: {error}")))?;
        Ok::<_, Problem>(taken(name, bytes))
    };
    Ok(CaptureRequest {
        id: id.map_err(|refused| Problem::invalid(format!("`incident_id`: {refused}")))?,
        force: body.force,
        run_id: body.run_id,
        step: body.step,
        failure_class: body.failure_class,
        message: body.message,
        year: body.year,
        month: body.month,
        log: body.log.map(|text| taken("log", text.into_bytes())),
        audit: body.audit.map(|text| taken("audit", text.into_bytes())),
        context: body.context.as_ref().map(|context| object("context", context)).transpose()?,
        report: body.report.as_ref().map(|report| object("report", report)).transpose()?,
        script: BY.to_owned(),
        ..CaptureRequest::default()
    })
}

/// `POST /api/errors/incidents/{id}/plan`.
pub(super) async fn plan(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<PlanBody>,
) -> Answer<RemediationPlan> {
    let planned = service.with_project(move |project| {
        let request = project.backend.plan_request(body.force);
        plan::plan(project.office.context(BY), &id, &request)
    });
    Ok(Document(StatusCode::OK, planned.await?))
}

/// `POST /api/errors/incidents/plan-all`: plans incidents without a plan, up to [`PLANNED_AT_ONCE`].
pub(super) async fn plan_all(
    State(service): Served,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<PlanBody>,
) -> Answer<PlanAllAnswer> {
    let mut statuses = vec![IncidentStatus::New];
    if body.force {
        statuses.push(IncidentStatus::PlanProposed);
    }
    let planned = service.with_project(move |project| {
        let request = project.backend.plan_request(body.force);
        let query = Query { statuses, open: Some(true), limit: PLANNED_AT_ONCE, ..Query::default() };
        let context = project.office.context(BY);
        let page = context.incidents.list(&query)?;
        let mut answer = PlanAllAnswer { target: page.incidents.len() as u64, ..PlanAllAnswer::default() };
        answer.remaining = page.total.saturating_sub(answer.target);
        for row in page.incidents {
            match plan::plan(context, &row.incident_id, &request) {
                Ok(_) => answer.planned += 1,
                Err(error @ IncidentError::Store(_)) => return Err(error),
                Err(error) => {
                    answer.failed += 1;
                    answer.failures.insert(row.incident_id.to_string(), error.to_string());
                }
            }
        }
        Ok(answer)
    });
    Ok(Document(StatusCode::OK, planned.await?))
}

/// `POST /api/errors/incidents/{id}/approve` (ruling 27; IN-32). In addition to the token, an approver's
/// credential is required.
pub(super) async fn approve(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    headers: HeaderMap,
    Sent(body): Sent<ApproveBody>,
) -> Answer<ApprovalAnswer> {
    let secret = headers.get(APPROVER).map(|value| value.to_str().map(str::to_owned));
    let secret = secret.transpose().map_err(|_| Problem::forbidden("the approver's key is not text"))?;
    let named = id.clone();
    service.with_incidents(BY, move |context| may_be_approved(context, &named)).await?;
    let envelope = body.envelope.as_ref().map(serde_json::to_vec).transpose();
    let envelope = envelope.map_err(|error| Problem::invalid(format!("`envelope`: {error}")))?;
    if secret.is_some() == envelope.is_some() {
        let message = "an approver's credential is needed beside the token: the private key in the header \
                       `X-Referee-Approver`, or an approval signed elsewhere as `envelope`; one of the two";
        return Err(Problem::forbidden(message));
    }
    let unread = |refused| Problem::invalid(format!("`plan_digest`: {refused}"));
    let expected = body.plan_digest.as_deref().map(Digest::parse).transpose().map_err(unread)?;
    let approval = service.with_project(move |project| {
        let credential = match (&secret, &envelope) {
            (Some(secret), _) => Credential::Secret(secret),
            (None, Some(envelope)) => Credential::Envelope(envelope),
            (None, None) => return Err(Problem::forbidden("an approver's credential is needed")),
        };
        let (person, note) = (body.person.as_str(), body.note.as_str());
        let request = ApprovalRequest { person, note, commands: &body.commands, credential, expected };
        approval::approve(project.office.context(BY), &id, &request).map_err(Problem::from)
    });
    Ok(Document(StatusCode::OK, approved(&approval.await?)))
}

/// Checks that there is an open incident with a plan: 404 or 409 if not. Whether the plan may be approved
/// depends on the status.
fn may_be_approved(context: IncidentContext<'_>, id: &IncidentId) -> Result<(), IncidentError> {
    let incident = context.find(id)?.incident;
    if incident.status.is_closed() {
        return Err(IncidentError::Unknown(id.clone()));
    }
    let lies_before_a_person = matches!(incident.status, IncidentStatus::PlanProposed | IncidentStatus::Approved);
    match context.incidents.file(id, Part::Plan, PLAN)? {
        Some(_) if lies_before_a_person => Ok(()),
        Some(_) => {
            let word = incident.status.as_str();
            Err(IncidentError::Refused(format!("{id} is {word}: only a plan that is proposed can be approved")))
        }
        None => Err(IncidentError::Refused(format!("{id} has no plan that could be approved: plan it first"))),
    }
}

/// `POST /api/errors/incidents/{id}/reject`.
pub(super) async fn reject(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<ReasonBody>,
) -> Answer<StandingAnswer> {
    stands(&service, id, move |context, id| approval::reject(context, id, &body.reason)).await
}

/// `POST /api/errors/incidents/{id}/handoff` (IN-33): returns the package.
pub(super) async fn hand_off(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<HandoffBody>,
) -> Answer<Value> {
    let package = service.with_project(move |project| {
        let queue = project.queue.clone();
        let request = HandoffRequest { executor: body.executor, force: body.force, queue };
        handoff::hand_off(project.office.context(BY), &id, &request)
    });
    Ok(Document(StatusCode::OK, package.await?))
}

/// `POST /api/errors/incidents/{id}/recall`.
pub(super) async fn recall(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(_): Sent<NothingBody>,
) -> Answer<StandingAnswer> {
    stands(&service, id, handoff::recall).await
}

/// `POST /api/errors/incidents/{id}/ack`.
pub(super) async fn acknowledge(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<AckBody>,
) -> Answer<StandingAnswer> {
    stands(&service, id, move |context, id| handoff::acknowledge(context, id, &body.executor, &body.note)).await
}

/// `POST /api/errors/incidents/{id}/handback`: the handback as written by the executor, parsed as strictly as a file.
pub(super) async fn hand_back(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Written(bytes): Written,
) -> Answer<Value> {
    let answer = service.with_incidents(BY, move |context| handoff::hand_back(context, &id, &bytes)).await?;
    Ok(Document(StatusCode::OK, answer))
}

/// `POST /api/errors/incidents/{id}/archive`.
pub(super) async fn archive(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<ArchiveBody>,
) -> Answer<StandingAnswer> {
    let result = match body.result {
        ClosingWord::Resolved => Closing::Resolved,
        ClosingWord::Escalated => Closing::Escalated,
    };
    let operation = move |context: IncidentContext<'_>, id: &IncidentId| {
        let request = ArchiveRequest { result, reason: &body.reason, note: body.note.as_deref() };
        archive::archive(context, id, request).map(drop)
    };
    stands(&service, id, operation).await
}

/// `POST /api/errors/incidents/{id}/reopen`.
pub(super) async fn reopen(
    State(service): Served,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(body): Sent<ReasonBody>,
) -> Answer<StandingAnswer> {
    stands(&service, id, move |context, id| archive::reopen(context, id, &body.reason)).await
}

/// Performs an operation, and returns the status of the incident afterwards.
async fn stands(
    service: &Arc<Service>,
    id: IncidentId,
    operation: impl FnOnce(IncidentContext<'_>, &IncidentId) -> Result<(), IncidentError> + Send + 'static,
) -> Answer<StandingAnswer> {
    let done = service.with_incidents(BY, move |context| {
        operation(context, &id)?;
        let stored = context.find(&id)?;
        Ok(StandingAnswer { incident_id: id, status: stored.incident.status, path: stored.path() })
    });
    Ok(Document(StatusCode::OK, done.await?))
}
