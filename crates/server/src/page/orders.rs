//! `/orders`: the orders of the queue.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, RawQuery, State as Shared};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use referee_model::access::Role;
use referee_model::id::WorkerLabel;
use referee_model::order_list::{OrderEntry, OrderStatus, OrderSubject};

use super::form::Form;
use super::frame::{Frame, Part, answer};
use super::harmless;
use super::moment::Moment;
use super::refusal;
use crate::caller::Caller;
use crate::orders;
use crate::problem::Problem;
use crate::service::Service;

const PAGE: usize = 50;

#[derive(Template)]
#[template(path = "orders.html")]
struct OrdersPage {
    frame: Frame,
    orders: Vec<OrderRow>,
    /// Whether the reader may cancel orders.
    may_cancel: bool,
    /// Address of the next page.
    next: Option<String>,
}

/// An order in the list, for display.
struct OrderRow {
    id: String,
    subject: String,
    labels: String,
    status: OrderStatus,
    attempt: Option<u32>,
    worker: String,
    began: Option<Moment>,
    ended: Option<Moment>,
}

impl From<OrderEntry> for OrderRow {
    fn from(entry: OrderEntry) -> Self {
        let labels: Vec<&str> = entry.labels.iter().flatten().map(WorkerLabel::as_str).collect();
        Self {
            id: entry.order.to_string(),
            subject: entry.subject.as_ref().map_or_else(|| "unknown".to_owned(), OrderSubject::summary),
            labels: labels.join(" "),
            status: entry.status,
            attempt: entry.attempt,
            worker: harmless::text(&entry.worker.unwrap_or_default()),
            began: entry.began.map(Moment),
            ended: entry.ended.map(Moment),
        }
    }
}

impl OrderRow {
    /// Returns the style of the status. None is good: whether an answer passes is known to whoever asked.
    fn tone(&self) -> &'static str {
        match self.status {
            OrderStatus::Queued | OrderStatus::Running | OrderStatus::Answered => "plain",
            OrderStatus::Failed | OrderStatus::Cancelled | OrderStatus::TimedOut => "odd",
        }
    }
}

pub(super) async fn show(Shared(service): Shared<Arc<Service>>, caller: Caller, RawQuery(query): RawQuery) -> Response {
    let form = Form::read(query.unwrap_or_default().as_bytes()).unwrap_or_default();
    match list(&service, caller.role, form.given("after").map(str::to_owned)).await {
        Ok(page) => answer(StatusCode::OK, &page),
        Err(problem) => refusal::page_of(Part::Orders, &problem),
    }
}

async fn list(service: &Arc<Service>, role: Role, after: Option<String>) -> Result<OrdersPage, Problem> {
    let list = orders::page(service, PAGE, after).await?;
    Ok(OrdersPage {
        frame: Frame::new("Orders", Part::Orders),
        orders: list.orders.into_iter().map(OrderRow::from).collect(),
        may_cancel: role == Role::Operator,
        next: list.next.map(|next| format!("/orders?after={next}")),
    })
}

/// Cancels an order, and shows the list again.
pub(super) async fn cancel(Shared(service): Shared<Arc<Service>>, Path(order): Path<String>) -> Response {
    match orders::end(&service, &order).await {
        Ok(_) => Redirect::to("/orders").into_response(),
        Err(problem) => refusal::page_of(Part::Orders, &problem),
    }
}
