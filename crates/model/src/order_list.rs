//! Orders as the queue shows them: the protocol of `referee-fleet orders`, one JSON document on standard input and one on
//! standard output. Nothing in here is verified: whoever may use the queue can say anything of an order, and none of it
//! becomes a verdict.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::{Digest, ExecutionId, ProjectName, TaskId, WorkerLabel};
use crate::order_protocol::{OrderFailure, WorkerOrder};
use crate::time::Timestamp;

/// Format of an [`OrderList`].
pub const LIST: Kind = Kind { name: "a list of orders", key: "orderListVersion", version: "1.0.0" };

/// Input of `referee-fleet orders`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum OrdersRequest {
    /// List the orders of the namespace: open ones first, then those that ended last.
    List {
        /// Maximum number of orders.
        limit: usize,
        /// Cursor: the `next` value of the previous page. None: the first page.
        after: Option<String>,
    },
    /// Cancel an open order.
    Cancel {
        /// Digest of the order.
        order: Digest,
        /// Why, for whoever looks into the queue.
        reason: String,
    },
}

/// Output of `referee-fleet orders`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum OrdersAnswer {
    /// A page of orders.
    Listed(OrderList),
    /// The queue was told to cancel the order: whoever asked for it gets no answer.
    Cancelled,
    /// No such order is open.
    NotOpen,
    /// The queue could not be asked.
    Failed {
        /// Why.
        error: OrderFailure,
    },
}

/// A page of orders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of orders"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrderList {
    /// Orders: open ones first, then those that ended last.
    pub orders: Vec<OrderEntry>,
    /// Value of `after` that requests the next page. Null: there are no more orders.
    pub next: Option<String>,
}

/// An order, as the queue shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrderEntry {
    /// Digest of the order.
    pub order: Digest,
    /// What it asks for. Null: an earlier release put it in the queue, or another program.
    pub subject: Option<OrderSubject>,
    /// Labels that the worker must have. Null: its task queue is none of Referee's.
    pub labels: Option<BTreeSet<WorkerLabel>>,
    /// Where it stands.
    pub status: OrderStatus,
    /// When it was put in the queue, by the clock of the queue.
    pub began: Option<Timestamp>,
    /// When it ended. Null: it is open.
    pub ended: Option<Timestamp>,
    /// Number of the attempt, from 1, of an open order.
    pub attempt: Option<u32>,
    /// The process that performs it or did last, of an open order, as it names itself: number and host.
    pub worker: Option<String>,
}

/// What an order asks for, as whoever put it in the queue says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum OrderSubject {
    /// A run of a task.
    Run {
        /// The project, as the depot names it.
        project: ProjectName,
        /// The task.
        task: TaskId,
    },
    /// A turn of an agent.
    Turn {
        /// The project, as the depot names it.
        project: ProjectName,
        /// The loop that the turn is part of.
        run: ExecutionId,
        /// Number of the turn in the loop, from 1.
        turn: u32,
    },
}

impl From<&WorkerOrder> for OrderSubject {
    fn from(order: &WorkerOrder) -> Self {
        match order {
            WorkerOrder::Run(order) => Self::Run { project: order.project.clone(), task: order.task.clone() },
            WorkerOrder::Turn(order) => {
                Self::Turn { project: order.project.clone(), run: order.run.clone(), turn: order.turn }
            }
        }
    }
}

impl OrderSubject {
    /// Returns what is asked for, in a few words.
    pub fn summary(&self) -> String {
        match self {
            Self::Run { project, task } => format!("{project} {task}"),
            Self::Turn { project, run, turn } => format!("{project} turn {turn} of {run}"),
        }
    }
}

crate::document_words! {
    /// Where an order stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum OrderStatus {
        /// It waits for a worker.
        Queued = "queued",
        /// A worker performs it.
        Running = "running",
        /// A worker answered. Only whoever asked knows whether the answer can be believed.
        Answered = "answered",
        /// A worker refused it, or the queue gave it up.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// No worker answered in time.
        TimedOut = "timed-out",
    }
}

impl OrderStatus {
    /// Whether it is over.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}
