//! Routes of runs: list, details, report, and verification.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use referee_engine::library::{RunQuery, Which};
use referee_model::id::TaskId;
use referee_model::limit as bound;
use referee_model::verdict::Decision;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::{Placed, answered, limit, named, read, which};
use crate::extract::QueryParameters;
use crate::problem::Problem;
use crate::service::Service;

/// Only one run is judged again at a time, because that occupies a processor.
static REPLAYING: Semaphore = Semaphore::const_new(1);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunsAsked {
    task: Option<TaskId>,
    decision: Option<Decision>,
    limit: Option<usize>,
    after: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerificationAsked {
    #[serde(default)]
    replay: bool,
}

/// An empty query.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

pub(super) async fn list(
    State(service): State<Arc<Service>>,
    QueryParameters(asked): QueryParameters<RunsAsked>,
) -> Result<Response, Problem> {
    let limit = limit(asked.limit, bound::RUNS_LISTED_MAX)?;
    let query = RunQuery { task: asked.task, decision: asked.decision, after: asked.after, limit };
    read(&service, move |library| library.runs(&query)).await.map(answered)
}

pub(super) async fn latest(
    State(service): State<Arc<Service>>,
    Placed(task): Placed<String>,
    QueryParameters(Nothing {}): QueryParameters<Nothing>,
) -> Result<Response, Problem> {
    let task = named(&task)?;
    read(&service, move |library| library.run(&task, &Which::Latest)).await.map(answered)
}

pub(super) async fn one(
    State(service): State<Arc<Service>>,
    Placed((task, run)): Placed<(String, String)>,
    QueryParameters(Nothing {}): QueryParameters<Nothing>,
) -> Result<Response, Problem> {
    let (task, which) = (named(&task)?, which(&run)?);
    read(&service, move |library| library.run(&task, &which)).await.map(answered)
}

pub(super) async fn report(
    State(service): State<Arc<Service>>,
    Placed((task, run)): Placed<(String, String)>,
    QueryParameters(Nothing {}): QueryParameters<Nothing>,
) -> Result<Response, Problem> {
    let (task, which) = (named(&task)?, which(&run)?);
    let report = read(&service, move |library| Ok(library.open(&task, &which)?.report().to_vec())).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], report).into_response())
}

pub(super) async fn verification(
    State(service): State<Arc<Service>>,
    Placed((task, run)): Placed<(String, String)>,
    QueryParameters(asked): QueryParameters<VerificationAsked>,
) -> Result<Response, Problem> {
    let (task, which) = (named(&task)?, which(&run)?);
    let turn = if asked.replay {
        let busy = |_| Problem::unavailable("another run is being judged again: ask again later");
        Some(REPLAYING.try_acquire().map_err(busy)?)
    } else {
        None
    };
    let now = service.now();
    read(&service, move |library| {
        let verified = library.verify(&task, &which, asked.replay, now);
        drop(turn);
        verified
    })
    .await
    .map(answered)
}
