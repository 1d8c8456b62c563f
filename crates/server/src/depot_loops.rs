//! Loops of agents in the depot, in the API.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use referee_model::loop_list::LoopList;

use crate::api::asked::NoQuery;
use crate::extract::{Document, QueryParameters};
use crate::problem::Problem;
use crate::route::{Answer, Method, Route, Shape};
use crate::service::Service;

pub(crate) fn route() -> Route {
    Route {
        method: Method::Get,
        path: "/api/loops",
        name: "list_loops",
        summary: "Lists the loops of agents in the depot, as their last checkpoints say; with `--fleet`.",
        query: &[],
        body: None,
        answer: (200, Answer::Json(Shape::of::<LoopList>())),
        also: None,
        refusals: &[404],
        needs_approver: false,
        handler: || get(show),
    }
}

async fn show(
    State(service): State<Arc<Service>>,
    QueryParameters(_): QueryParameters<NoQuery>,
) -> Result<Document<LoopList>, Problem> {
    Ok(Document(StatusCode::OK, list(&service).await?))
}

/// Lists the loops.
pub(crate) async fn list(service: &Arc<Service>) -> Result<LoopList, Problem> {
    let listed = service
        .off_thread(|service| service.fleet()?.loops.list().map_err(|error| Problem::unavailable(error.message)));
    listed.await
}
