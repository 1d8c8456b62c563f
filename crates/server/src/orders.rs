//! Orders of the queue in the API. What the queue says of them is not verified, and nothing of it is a verdict.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use referee_engine::error::EngineError;
use referee_engine::order_queue::OrderQueue;
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::order_list::OrderList;
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::api::answered::OrderCancelled;
use crate::api::asked::{NoQuery, NothingBody};
use crate::extract::{Document, QueryParameters, Sent};
use crate::problem::Problem;
use crate::route::{Answer, Method, Parameter, Route, Shape, shape};
use crate::runs;
use crate::service::Service;

/// Maximum number of requests that ask the queue simultaneously: each starts a program.
const AT_ONCE: usize = 4;

static ASKING: Semaphore = Semaphore::const_new(AT_ONCE);

/// Maximum length of a cursor, in characters.
const CURSOR_CHARACTERS: usize = 8_192;

/// Why an order was cancelled, for whoever looks into the queue. Who did it is in the audit log.
const REASON: &str = "an operator of referee serve";

const PAGE: &[Parameter] = &[
    Parameter {
        name: "limit",
        meaning: "Maximum number of items.",
        schema: shape!({ "type": "integer", "minimum": 1, "maximum": limit::ORDERS_LISTED_MAX }),
    },
    Parameter {
        name: "after",
        meaning: "Cursor: the value of `next` in the previous page.",
        schema: shape!({ "type": "string", "pattern": "^([0-9a-f]{2})+$", "maxLength": CURSOR_CHARACTERS }),
    },
];

pub(crate) fn routes() -> Vec<Route> {
    let listed = Route {
        method: Method::Get,
        path: "/api/orders",
        name: "list_orders",
        summary: "Lists the orders of the queue, open ones first; with `--fleet`.",
        query: PAGE,
        body: None,
        answer: (200, Answer::Json(Shape::of::<OrderList>())),
        also: None,
        refusals: &[404],
        needs_approver: false,
        handler: || get(list),
    };
    let cancelled = Route {
        method: Method::Post,
        path: "/api/orders/{order}/cancel",
        name: "cancel_order",
        summary: "Cancels an open order; with `--fleet`.",
        query: &[],
        body: Some(Shape::of::<NothingBody>()),
        answer: (200, Answer::Json(Shape::of::<OrderCancelled>())),
        also: None,
        refusals: &[404],
        needs_approver: false,
        handler: || post(cancel),
    };
    vec![listed, cancelled]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrdersAsked {
    limit: Option<usize>,
    after: Option<String>,
}

async fn list(
    State(service): State<Arc<Service>>,
    QueryParameters(asked): QueryParameters<OrdersAsked>,
) -> Result<Document<OrderList>, Problem> {
    let limit = match runs::limit(asked.limit, limit::ORDERS_LISTED_MAX)? {
        0 => limit::ORDERS_LISTED,
        limit => limit,
    };
    Ok(Document(StatusCode::OK, page(&service, limit, asked.after).await?))
}

async fn cancel(
    State(service): State<Arc<Service>>,
    Path(order): Path<String>,
    QueryParameters(_): QueryParameters<NoQuery>,
    Sent(_): Sent<NothingBody>,
) -> Result<Document<OrderCancelled>, Problem> {
    Ok(Document(StatusCode::OK, OrderCancelled { cancelled: end(&service, &order).await? }))
}

/// Returns a page of orders.
pub(crate) async fn page(service: &Arc<Service>, limit: usize, after: Option<String>) -> Result<OrderList, Problem> {
    if let Some(after) = &after {
        let is_cursor =
            after.len() <= CURSOR_CHARACTERS && after.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_cursor || after.is_empty() || after.len() % 2 == 1 {
            return Err(Problem::invalid("`after` is not what a page said under `next`"));
        }
    }
    ask(service, move |queue| queue.list(limit, after)).await
}

/// Cancels an order. Returns its id.
pub(crate) async fn end(service: &Arc<Service>, order: &str) -> Result<Digest, Problem> {
    let id = Digest::parse(order).map_err(|error| Problem::unknown(error.to_string()))?;
    let was_open = ask(service, move |queue| queue.cancel(id, REASON.to_owned())).await?;
    if was_open { Ok(id) } else { Err(Problem::unknown(format!("no such order is open: {id}"))) }
}

async fn ask<T: Send + 'static>(
    service: &Arc<Service>,
    operation: impl FnOnce(&OrderQueue) -> Result<T, EngineError> + Send + 'static,
) -> Result<T, Problem> {
    let turn = ASKING.acquire().await.map_err(|_| Problem::unavailable("the server is about to end"))?;
    let asked = service.off_thread(move |service| {
        let asked = operation(&service.fleet()?.orders).map_err(|error| Problem::unavailable(error.message));
        // The permit is held until the end, even if the client has gone away.
        drop(turn);
        asked
    });
    asked.await
}
