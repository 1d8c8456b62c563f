//! Routes of the registers of debt and diagnostics.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use referee_engine::library::{DebtQuery, DiagnosticQuery, DiagnosticSince, Which};
use referee_model::debt::{DebtStatus, Destination};
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::id::{DebtId, TaskId};
use referee_model::limit as bound;
use referee_model::reading::Level;
use referee_model::severity::Severity;
use serde::Deserialize;

use super::listed::Nothing;
use super::{Placed, answered, limit, named, read, which};
use crate::extract::QueryParameters;
use crate::problem::Problem;
use crate::service::Service;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DebtAsked {
    task: Option<TaskId>,
    status: Option<DebtStatus>,
    severity: Option<Severity>,
    destination: Option<Destination>,
    after: Option<DebtId>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagnosticsAsked {
    task: Option<TaskId>,
    severity: Option<Level>,
    source: Option<DiagnosticSource>,
    since: Option<String>,
    limit: Option<usize>,
}

pub(super) async fn debt(
    State(service): State<Arc<Service>>,
    QueryParameters(asked): QueryParameters<DebtAsked>,
) -> Result<Response, Problem> {
    let query = DebtQuery {
        limit: limit(asked.limit, bound::REGISTER_LISTED_MAX)?,
        task: asked.task,
        status: asked.status,
        severity: asked.severity,
        destination: asked.destination,
        after: asked.after,
    };
    read(&service, move |library| library.debt(&query)).await.map(answered)
}

pub(super) async fn debt_item(
    State(service): State<Arc<Service>>,
    Placed(debt): Placed<String>,
    QueryParameters(Nothing {}): QueryParameters<Nothing>,
) -> Result<Response, Problem> {
    let id = named(&debt)?;
    read(&service, move |library| library.debt_item(&id)).await.map(answered)
}

pub(super) async fn diagnostics(
    State(service): State<Arc<Service>>,
    QueryParameters(asked): QueryParameters<DiagnosticsAsked>,
) -> Result<Response, Problem> {
    let since = match asked.since {
        None => DiagnosticSince::Beginning,
        Some(run) => match which(&run).map_err(|problem| Problem::invalid(problem.message))? {
            Which::Latest => DiagnosticSince::LatestRun,
            Which::Run(run) => DiagnosticSince::After(run),
        },
    };
    let query = DiagnosticQuery {
        limit: limit(asked.limit, bound::REGISTER_LISTED_MAX)?,
        task: asked.task,
        severity: asked.severity,
        source: asked.source,
        since,
    };
    read(&service, move |library| library.diagnostics(&query)).await.map(answered)
}
