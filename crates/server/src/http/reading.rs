//! Routes that read incidents.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::answered::{
    ApprovalAnswer, EventsAnswer, HandbackRow, HandbacksAnswer, IncidentDetailDocument, IncidentPaths, LoopStanding,
};
use crate::api::asked::{EventQuery, IncidentQuery, NoQuery, PageQuery};
use axum::extract::State;
use axum::http::StatusCode;
use referee_engine::incident::approval;
use referee_engine::incident::detail::{self, Detail, Documents, file};
use referee_engine::incident::{IncidentContext, IncidentError, Part, Query};
use referee_model::access::Role;
use referee_model::id::Digest;
use referee_model::incident;
use referee_model::incident::approval::{Approval, ApprovalStanding};
use referee_model::incident::attempt;
use referee_model::incident::id::IncidentId;
use referee_model::incident::list::IncidentListDocument;
use referee_model::incident::remediation;
use referee_model::incident::status::IncidentStatus;
use referee_model::limit::{INCIDENT_LOG_BYTES, INCIDENTS_LISTED, INCIDENTS_LISTED_MAX};
use referee_syntax::cut;

use crate::caller::Caller;
use crate::extract::{Document, Named, QueryParameters, sequence};
use crate::problem::Problem;
use crate::service::Service;

/// Maximum number of attempts shown, the last ones.
const ATTEMPTS: usize = 100;
/// Maximum number of events searched by one request for those of an incident.
const LOOKED_THROUGH: usize = 10_000;
/// Number of events read at a time.
const BATCH: usize = 500;
/// Maximum length of a search, in characters.
pub(super) const SEARCH: usize = 1_000;

type Answer<T> = Result<Document<T>, Problem>;

/// `GET /api/errors/incidents`.
pub(super) async fn list(
    State(service): State<Arc<Service>>,
    QueryParameters(asked): QueryParameters<IncidentQuery>,
) -> Answer<IncidentListDocument> {
    let query = query(asked)?;
    let list = service.with_incidents("api", move |context| Ok(context.incidents.list(&query)?)).await?;
    Ok(Document(StatusCode::OK, list))
}

fn query(asked: IncidentQuery) -> Result<Query, Problem> {
    let word = |word: &str| {
        let unknown = || Problem::invalid(format!("`status`: `{word}` is not an incident status"));
        IncidentStatus::read(word).ok_or_else(unknown)
    };
    let statuses = asked.status.as_deref().map(|words| words.split(',').map(word).collect::<Result<_, _>>());
    Ok(Query {
        statuses: statuses.transpose()?.unwrap_or_default(),
        open: asked.open,
        failure_class: bounded("class", asked.class)?,
        step: bounded("step", asked.step)?,
        fingerprint: None,
        text: bounded("search", asked.search)?,
        after: cursor(asked.after)?,
        limit: rows(asked.limit)?,
    })
}

fn bounded(name: &str, text: Option<String>) -> Result<Option<String>, Problem> {
    match text {
        Some(text) if text.chars().count() > SEARCH => {
            Err(Problem::invalid(format!("`{name}` has {SEARCH} characters at most")))
        }
        text => Ok(text),
    }
}

/// Parses a cursor: the `next` value of the previous page.
fn cursor(after: Option<String>) -> Result<Option<String>, Problem> {
    match after {
        Some(text) if !is_cursor(&text) => {
            Err(Problem::invalid("`after` is what the page before said under `next`, and nothing else"))
        }
        after => Ok(after),
    }
}

/// Returns whether a text has the form of [`CURSOR`]: time of the last change, index of the directory, and id of
/// the last incident.
fn is_cursor(text: &str) -> bool {
    let mut parts = text.splitn(3, '.');
    let (Some(time), Some(shelf), Some(id)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let digits = time.strip_prefix('-').unwrap_or(time);
    (1..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(shelf, "0" | "1" | "2")
        && IncidentId::parse(id).is_ok_and(|parsed| parsed.as_str() == id)
}

/// Pattern of a cursor.
#[cfg(feature = "schema")]
pub(super) const CURSOR: &str = r"^-?[0-9]{1,15}\.[0-2]\.[A-Za-z0-9][A-Za-z0-9._-]{0,127}$";

/// Parses the maximum number of rows.
fn rows(limit: Option<usize>) -> Result<usize, Problem> {
    match limit {
        Some(limit) if !(1..=INCIDENTS_LISTED_MAX).contains(&limit) => {
            Err(Problem::invalid(format!("`limit` is a number from 1 to {INCIDENTS_LISTED_MAX}")))
        }
        limit => Ok(limit.unwrap_or(INCIDENTS_LISTED)),
    }
}

/// `GET /api/errors/incidents/{id}` (IN-31).
pub(super) async fn show(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Named(id): Named,
    QueryParameters(_): QueryParameters<NoQuery>,
) -> Answer<IncidentDetailDocument> {
    let named = id.clone();
    let role = caller.role;
    let look =
        move |context: IncidentContext<'_>| Ok((detail::detail(context, &named)?, standing(context, &named, role)?));
    let (detail, approval) = service.with_incidents("api", look).await?;
    let work = service.loops.of(&id).map(|work| match work.outcome() {
        None => LoopStanding { is_running: true, problem: None },
        Some(outcome) => LoopStanding { is_running: false, problem: outcome.err().map(|problem| problem.message) },
    });
    Ok(Document(StatusCode::OK, document(&detail, approval, work)))
}

/// Returns the approval of the current plan. An approval that cannot be determined does not count.
fn standing(context: IncidentContext<'_>, id: &IncidentId, role: Role) -> Result<ApprovalAnswer, IncidentError> {
    let found = match role {
        Role::Viewer => approval::inspect(context, id),
        Role::Operator => approval::standing(context, id),
    };
    match found {
        Ok(Ok(approval)) => Ok(approved(&approval)),
        Ok(Err(reason)) | Err(IncidentError::Refused(reason) | IncidentError::Internal(reason)) => {
            Ok(ApprovalAnswer { reason: Some(reason), ..ApprovalAnswer::default() })
        }
        Err(error) => Err(error),
    }
}

/// Converts a valid approval into its API document.
pub(super) fn approved(approval: &Approval) -> ApprovalAnswer {
    let (standing, approver) = match &approval.standing {
        ApprovalStanding::Signed { approver, .. } => ("signed", Some(approver.clone())),
        ApprovalStanding::SelfAsserted => ("self_asserted", None),
    };
    ApprovalAnswer {
        stands: true,
        reason: None,
        person: Some(approval.terms.person.clone()),
        approved_at: Some(incident::seconds::text(approval.terms.approved_at)),
        plan_sha256: Some(approval.terms.plan.to_string()),
        revision: Some(approval.terms.revision),
        commands: approval.terms.commands.clone(),
        standing: Some(standing.to_owned()),
        approver,
    }
}

fn document(detail: &Detail, approval: ApprovalAnswer, work: Option<LoopStanding>) -> IncidentDetailDocument {
    let mut read = Documents::of(detail);
    let plan = read.json(Part::Plan, remediation::PLAN);
    let plan_digest = file(&detail.files, Part::Plan, remediation::PLAN).map(|bytes| Digest::of(bytes).to_string());
    let plan_text = read.text(Part::Plan, remediation::PLAN_TEXT);
    let log_tail = read.text(Part::Incident, incident::LOG_TAIL).map(|text| end(&text));
    IncidentDetailDocument {
        incident: detail.stored.incident.clone(),
        plan,
        plan_digest,
        plan_text,
        approval,
        handoff: read.json(Part::Handoff, "handoff.json"),
        accept: read.json(Part::Handoff, ACCEPT),
        handback: read.json(Part::Handoff, HANDBACK),
        attempts: read.attempts(ATTEMPTS),
        run_result: read.json(Part::Run, attempt::RUN_RESULT),
        loop_state: read.json(Part::Run, attempt::LOOP_STATE),
        work,
        context: read.json(Part::Incident, incident::CONTEXT),
        log_tail,
        paths: paths(detail),
        unreadable: read.unreadable.into_iter().map(|(name, _)| name).collect(),
    }
}

const ACCEPT: &str = "accept.json";
const HANDBACK: &str = "handback.json";

/// Returns the end of a log, starting at the beginning of a line.
fn end(text: &str) -> String {
    if text.len() < INCIDENT_LOG_BYTES {
        return text.to_owned();
    }
    let tail = cut::tail(text, INCIDENT_LOG_BYTES);
    tail.split_once('\n').map_or(tail, |(_, whole)| whole).to_owned()
}

fn paths(detail: &Detail) -> IncidentPaths {
    let incident = detail.stored.path();
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (part, name, _) in &detail.files {
        let id = &detail.stored.incident.incident_id;
        let directory = part.directory().map_or_else(|| incident.clone(), |directory| format!("{directory}/{id}"));
        files.entry(directory).or_default().push(name.clone());
    }
    IncidentPaths { incident, files }
}

/// `GET /api/errors/incidents/{id}/events`.
pub(super) async fn events(
    State(service): State<Arc<Service>>,
    Named(id): Named,
    QueryParameters(asked): QueryParameters<EventQuery>,
) -> Answer<EventsAnswer> {
    let limit = rows(asked.limit)?;
    let after = sequence(asked.after)?.unwrap_or(0);
    let look = move |context: IncidentContext<'_>| {
        context.find(&id)?;
        of_one(context, &id, after, limit)
    };
    Ok(Document(StatusCode::OK, service.with_incidents("api", look).await?))
}

fn of_one(
    context: IncidentContext<'_>,
    id: &IncidentId,
    after: u64,
    limit: usize,
) -> Result<EventsAnswer, IncidentError> {
    let mut answer = EventsAnswer::default();
    let (mut known, mut looked) = (after, 0);
    loop {
        let batch = context.incidents.events(known, BATCH)?;
        looked += batch.len();
        if batch.is_empty() {
            return Ok(answer);
        }
        for event in batch {
            known = event.sequence;
            if event.incident_id == *id {
                answer.events.push(event);
                if answer.events.len() == limit {
                    answer.next = Some(known);
                    return Ok(answer);
                }
            }
        }
        if looked >= LOOKED_THROUGH {
            answer.next = Some(known);
            return Ok(answer);
        }
    }
}

/// `GET /api/handbacks`: handbacks of executors by incident, the newest first.
pub(super) async fn handbacks(
    State(service): State<Arc<Service>>,
    QueryParameters(asked): QueryParameters<PageQuery>,
) -> Answer<HandbacksAnswer> {
    let query = Query { after: cursor(asked.after)?, limit: rows(asked.limit)?, ..Query::default() };
    let look = move |context: IncidentContext<'_>| {
        let page = context.incidents.list(&query)?;
        let mut answer = HandbacksAnswer { handbacks: Vec::new(), next: page.next };
        for row in page.incidents {
            let bytes = context.incidents.file(&row.incident_id, Part::Handoff, HANDBACK)?;
            if let Some(handback) = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
                answer.handbacks.push(HandbackRow { incident_id: row.incident_id, status: row.status, handback });
            }
        }
        Ok(answer)
    };
    Ok(Document(StatusCode::OK, service.with_incidents("api", look).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_begins_with_a_line() {
        assert_eq!(end("a\nb"), "a\nb");
        let long = format!("{}\nlast é line", "é".repeat(INCIDENT_LOG_BYTES));
        assert_eq!(end(&long), "last é line");
        assert!(end(&"é".repeat(INCIDENT_LOG_BYTES)).len() <= INCIDENT_LOG_BYTES);
    }

    #[test]
    fn a_page_begins_where_another_ended_and_nowhere_else() {
        for good in ["1771297200000.0.incident_1.a-b", "-5.2.x"] {
            assert!(is_cursor(good), "{good}");
        }
        for wrong in [
            "",
            "x",
            "1",
            "1.0",
            "1.0.",
            "1.3.x",
            "1.0..",
            "1.0.-x",
            "1.0. x",
            "a.0.x",
            "9999999999999999.0.x",
            "-.0.x",
        ] {
            assert!(!is_cursor(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_a_list_is_asked_with_is_bounded() {
        assert!(query(IncidentQuery { status: Some("new,planned".to_owned()), ..IncidentQuery::default() }).is_ok());
        for wrong in [
            IncidentQuery { status: Some("new,odd".to_owned()), ..IncidentQuery::default() },
            IncidentQuery { status: Some(String::new()), ..IncidentQuery::default() },
            IncidentQuery { limit: Some(0), ..IncidentQuery::default() },
            IncidentQuery { limit: Some(INCIDENTS_LISTED_MAX + 1), ..IncidentQuery::default() },
            IncidentQuery { after: Some(String::new()), ..IncidentQuery::default() },
            IncidentQuery { search: Some("x".repeat(SEARCH + 1)), ..IncidentQuery::default() },
        ] {
            assert!(query(wrong.clone()).is_err(), "{wrong:?}");
        }
    }
}
