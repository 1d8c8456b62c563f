//! The workflow of an order: one activity, which is given out until a worker answers.
//!
//! What is in here is replayed from histories of earlier releases: it must ask the queue for the same things in the same order.

use std::time::Duration;

use referee_model::id::Digest;
use referee_model::order_protocol::OrderRequest;
use referee_model::run_order::OrderOutcome;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use temporalio_common::{ActivityDefinition, RetryPolicy};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ActivityExecutionError, ActivityOptions, ApplicationFailure, WorkflowContext, WorkflowContextView, WorkflowResult,
    WorkflowTermination,
};

/// Type of the failure of an order that was refused, which shows in the lists of the queue.
pub(super) const REFUSED: &str = "Refused";

/// Type of the workflow.
pub(super) const TYPE: &str = "referee-order";

/// Key of the memo that says what is asked for, which shows in the lists of the queue.
pub(super) const SUBJECT: &str = "order";

/// Prefix of the ids of workflows.
const ID: &str = "referee-order-";

/// Returns the id of the workflow of an order.
pub(super) fn id(order: Digest) -> String {
    format!("{ID}{order}")
}

/// Returns the order of a workflow by its id. None: it is none.
pub(super) fn order(id: &str) -> Option<Digest> {
    Digest::parse(id.strip_prefix(ID)?).ok()
}

/// The activity: performs an order.
pub(super) struct Perform;

impl ActivityDefinition for Perform {
    type Input = OrderRequest;
    type Output = OrderOutcome;

    fn name(&self) -> &str {
        Self::NAME
    }
}

impl Perform {
    pub(super) const NAME: &'static str = "perform";
}

/// What a worker tells of an order that it performs, with each sign of life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress {
    /// Number of the attempt.
    pub(super) attempt: u32,
    /// Number of the first of the events, from 0.
    pub(super) first: u64,
    /// The newest events.
    pub(super) events: Vec<Value>,
}

/// The workflow.
#[workflow]
pub(crate) struct OrderWorkflow {
    request: OrderRequest,
}

#[workflow_methods]
impl OrderWorkflow {
    #[init]
    fn new(_context: &WorkflowContextView, request: OrderRequest) -> Self {
        Self { request }
    }

    #[run(name = "referee-order")]
    pub(crate) async fn run(context: &mut WorkflowContext<Self>) -> WorkflowResult<OrderOutcome> {
        let request = context.state(|state| state.request.clone());
        let options = options(&request);
        match context.execute_activity(Perform, request, options).await {
            Ok(OrderOutcome::Refused { reason }) => Err(ApplicationFailure::builder(reason)
                .type_name(REFUSED.to_owned())
                .non_retryable(true)
                .build()
                .into()),
            Ok(outcome) => Ok(outcome),
            Err(ActivityExecutionError::Cancelled(_)) => Err(WorkflowTermination::cancelled()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The run of the workflow, as a client names it.
pub(crate) type OrderRun = order_workflow::Run;

/// Attempts are without number, and bounded by time: an attempt may be lost by no fault of the order.
fn options(request: &OrderRequest) -> ActivityOptions {
    let retry = RetryPolicy::builder()
        .initial_interval(Duration::from_millis(500))
        .maximum_interval(Duration::from_secs(10))
        .build();
    ActivityOptions::with_schedule_to_close_timeout(Duration::from_millis(request.timeout_ms))
        .heartbeat_timeout(Duration::from_millis(request.heartbeat_ms))
        .retry_policy(retry)
        .build()
}

#[cfg(test)]
mod tests {
    use temporalio_client::WorkflowHistory;
    use temporalio_sdk::workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions};

    use super::*;

    const ANSWERED: &str = include_str!("../../tests/queue/histories/answered.json");
    const REFUSED: &str = include_str!("../../tests/queue/histories/refused.json");
    const CANCELLED: &str = include_str!("../../tests/queue/histories/cancelled.json");

    async fn replay(history: &str) -> Result<(), String> {
        let options = WorkflowReplayerOptions::new().register_workflow::<OrderWorkflow>().unwrap().build();
        let history = WorkflowHistory::from_json(history.as_bytes()).unwrap();
        WorkflowReplayer::new(options).unwrap().replay_workflow(history).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn histories_of_earlier_releases_are_replayed() {
        for history in [ANSWERED, REFUSED, CANCELLED] {
            replay(history).await.unwrap();
        }
        let other = ANSWERED.replace("\"perform\"", "\"play\"");
        assert_ne!(other, ANSWERED);
        let error = replay(&other).await.unwrap_err();
        assert!(error.contains("nondeterministic"), "{error}");
    }
}
