//! Health check and OpenAPI description.

use std::sync::Arc;

use crate::api::HealthDocument;
use crate::api::asked::NoQuery;
use axum::extract::State;
use axum::http::StatusCode;
use referee_schema::published::OPENAPI;
use serde_json::Value;

use crate::extract::{Document, QueryParameters};
use crate::problem::Problem;
use crate::service::Service;

/// `GET /api/health`.
pub(super) async fn health(QueryParameters(_): QueryParameters<NoQuery>) -> Document<HealthDocument> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Document(StatusCode::OK, HealthDocument { status: "ok".to_owned(), version })
}

/// `GET /api/openapi.json`.
pub(super) async fn description(
    State(_): State<Arc<Service>>,
    QueryParameters(_): QueryParameters<NoQuery>,
) -> Result<Document<Value>, Problem> {
    let description = serde_json::from_str(OPENAPI).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(Document(StatusCode::OK, description))
}
