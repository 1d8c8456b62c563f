//! Starts the repair loop of an incident (IN-35).

use std::sync::Arc;
use std::time::Duration;

use crate::api::answered::LoopBegun;
use crate::api::asked::{CommitScopeWord, GoBody, WaitQuery};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use referee_engine::incident::approval;
use referee_engine::incident::repair_loop::{CommitScope, LoopOptions};
use referee_engine::incident::{IncidentContext, IncidentError};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;

use crate::extract::{Document, Named, QueryParameters, Sent};
use crate::problem::Problem;
use crate::service::Service;

/// Maximum number of seconds that a request may wait for the end of a loop.
pub(super) const WAIT_AT_MOST: u64 = 3_600;

/// `POST /api/errors/incidents/{id}/go`: returns 202 and the location; or 200 and the result, if it is available
/// in time.
pub(super) async fn go(
    State(service): State<Arc<Service>>,
    Named(id): Named,
    QueryParameters(asked): QueryParameters<WaitQuery>,
    Sent(body): Sent<GoBody>,
) -> Result<Response, Problem> {
    let wait = asked.wait.unwrap_or(0);
    if wait > WAIT_AT_MOST {
        return Err(Problem::invalid(format!("`wait` is a number from 0 to {WAIT_AT_MOST}")));
    }
    let options = options(body);
    let named = id.clone();
    service.with_incidents("api", move |context| may_run(context, &named)).await?;
    let work = service.begin_loop(&id, options)?;
    let over = tokio::select! {
        biased;
        outcome = work.ended() => Some(outcome),
        () = tokio::time::sleep(Duration::from_secs(wait)) => None,
        () = service.closes() => None,
    };
    if let Some(outcome) = over {
        return Ok(Document(StatusCode::OK, outcome?).into_response());
    }
    let location = format!("/api/errors/incidents/{id}");
    let headers = [(header::LOCATION, location.clone())];
    let begun = LoopBegun { incident_id: id, status: "running", location };
    Ok((headers, Document(StatusCode::ACCEPTED, begun)).into_response())
}

/// Checks whether a loop may start, so that it can be refused at once. The loop checks everything again.
fn may_run(context: IncidentContext<'_>, id: &IncidentId) -> Result<(), IncidentError> {
    let stored = context.find(id)?;
    let word = stored.incident.status.as_str();
    match stored.incident.status {
        IncidentStatus::Approved | IncidentStatus::Running => {}
        _ => return Err(IncidentError::Refused(format!("{id} is {word}: a loop needs a plan that was approved"))),
    }
    if let Err(reason) = approval::standing(context, id)? {
        return Err(IncidentError::Refused(reason));
    }
    match context.incidents.hold(id)? {
        Some(_) => Ok(()),
        None => Err(IncidentError::Busy(id.clone())),
    }
}

/// Converts the options of a loop, which have been validated against the schema. By default the incident is
/// archived at the end (seed 3).
pub(super) fn options(body: GoBody) -> LoopOptions {
    let usual = LoopOptions::default();
    LoopOptions {
        max_loops: body.max_loops.unwrap_or(usual.max_loops),
        max_runtime_ms: body.max_runtime_minutes.map_or(usual.max_runtime_ms, |minutes| minutes.saturating_mul(60_000)),
        same_error_limit: body.same_error_limit.unwrap_or(usual.same_error_limit),
        no_progress_limit: body.no_progress_limit.unwrap_or(usual.no_progress_limit),
        auto_replan: body.auto_replan.unwrap_or(usual.auto_replan),
        single_iteration: body.single_iteration,
        commit_on_resolve: body.commit_on_resolve,
        push_on_resolve: body.push_on_resolve,
        commit_message: body.commit_message,
        commit_scope: match body.commit_scope {
            None | Some(CommitScopeWord::Incident) => CommitScope::Incident,
            Some(CommitScopeWord::Plan) => CommitScope::Plan,
            Some(CommitScopeWord::Run) => CommitScope::Run,
        },
        remote: body.remote.unwrap_or(usual.remote),
        branch: body.branch,
        archive_on_success: body.archive_on_success.unwrap_or(true),
        archive_on_escalate: body.archive_on_escalate.unwrap_or(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::read;

    // IN-35
    #[test]
    fn every_option_of_a_loop_is_passed_on() {
        let body = read::<GoBody>(br#"{
            "max_loops": 3, "max_runtime_minutes": 7.0, "same_error_limit": 4, "no_progress_limit": 5, "auto_replan": false,
            "single_iteration": true, "commit_on_resolve": true, "push_on_resolve": true, "commit_message": "fix",
            "commit_scope": "run", "remote": "upstream", "branch": "fix/1", "archive_on_success": false,
            "archive_on_escalate": false
        }"#);
        let expected = LoopOptions {
            max_loops: 3,
            max_runtime_ms: 420_000,
            same_error_limit: 4,
            no_progress_limit: 5,
            auto_replan: false,
            single_iteration: true,
            commit_on_resolve: true,
            push_on_resolve: true,
            commit_message: Some("fix".to_owned()),
            commit_scope: CommitScope::Run,
            remote: "upstream".to_owned(),
            branch: Some("fix/1".to_owned()),
            archive_on_success: false,
            archive_on_escalate: false,
        };
        assert_eq!(options(body.unwrap()), expected);
    }

    #[test]
    fn nothing_said_is_what_is_usual_and_archives() {
        let usual = LoopOptions { archive_on_success: true, archive_on_escalate: true, ..LoopOptions::default() };
        assert_eq!(options(GoBody::default()), usual);
        assert_eq!(options(read(b"{}").unwrap()), usual);
    }

    #[test]
    fn what_no_loop_can_be_given_is_refused() {
        for wrong in [
            r#"{"max_loops":0}"#,
            r#"{"max_loops":1001}"#,
            r#"{"max_runtime_minutes":0}"#,
            r#"{"max_runtime_minutes":1441}"#,
            r#"{"remote":"--upload-pack=x"}"#,
            r#"{"remote":"https://host/x"}"#,
            r#"{"branch":"a..b"}"#,
            r#"{"branch":""}"#,
            r#"{"branch":"/etc"}"#,
            r#"{"agent":"sh -c x"}"#,
            r#"{"max_loops":1,"max_loops":2}"#,
            "[]",
            "{",
        ] {
            assert!(read::<GoBody>(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
