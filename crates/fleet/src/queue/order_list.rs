//! `referee-fleet orders`: lists the orders of a namespace, and cancels one.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::order_list::{OrderEntry, OrderList, OrderStatus, OrdersAnswer, OrdersRequest};
use referee_model::order_protocol::OrderFailureKind;
use referee_model::time::Timestamp;
use referee_syntax::hex;
use temporalio_client::grpc::WorkflowService;
use temporalio_client::tonic::{Code, IntoRequest, Status};
use temporalio_client::{Client, NamespacedClient, WorkflowExecutionInfo as Named, WorkflowTerminateOptions};
use temporalio_common::protos::coresdk::FromJsonPayloadExt;
use temporalio_common::protos::temporal::api::enums::v1::{PendingActivityState, WorkflowExecutionStatus};
use temporalio_common::protos::temporal::api::workflow::v1::{PendingActivityInfo, WorkflowExecutionInfo};
use temporalio_common::protos::temporal::api::workflowservice::v1::{
    DescribeWorkflowExecutionRequest, ListClosedWorkflowExecutionsRequest, ListOpenWorkflowExecutionsRequest,
    ListWorkflowExecutionsRequest,
};
use tokio::time::timeout;

use super::access::QueueAccess;
use super::connection::connect;
use super::error::QueueError;
use super::order::{Handle, is_over};
use super::request::{RequestError, request, runtime, write};
use super::{task_queue, workflow};

/// Time limit for an answer.
const ANSWER_TIME: Duration = Duration::from_secs(20);

/// Number of orders that are looked at at the same time.
const AT_ONCE: usize = 8;

/// Maximum length of the name of a worker, in characters.
const NAME_CHARACTERS: usize = 200;

/// Answers the request on standard input.
pub(crate) fn orders(access: &QueueAccess) -> Result<(), RequestError> {
    let request: OrdersRequest = request()?;
    let runtime = runtime()?;
    let answered = runtime.block_on(async { timeout(ANSWER_TIME, answer(&request, access)).await });
    let late =
        |_| Err(QueueError::new(OrderFailureKind::Unavailable, "the queue does not answer. See TEMPORAL_ADDRESS"));
    let answered = answered.unwrap_or_else(late);
    let answered =
        answered.unwrap_or_else(|error| OrdersAnswer::Failed { error: access.redact_error(&error).failure() });
    runtime.shutdown_background();
    Ok(write(&answered)?)
}

async fn answer(request: &OrdersRequest, access: &QueueAccess) -> Result<OrdersAnswer, QueueError> {
    let client = connect(access).await?;
    match request {
        OrdersRequest::List { limit, after } => list(&client, *limit, after.as_deref()).await.map(OrdersAnswer::Listed),
        OrdersRequest::Cancel { order, reason } => cancel(client, *order, reason).await,
    }
}

/// Ends an order at once: a workflow that is only asked to end does so once a worker reads it, and there may be none. Whoever
/// performs it is told with the next sign of life.
async fn cancel(client: Client, order: Digest, reason: &str) -> Result<OrdersAnswer, QueueError> {
    let namespace = client.namespace();
    let named = Named::builder().namespace(namespace).workflow_id(workflow::id(order)).build();
    let options = WorkflowTerminateOptions::builder().reason(reason).build();
    match Handle::new(client, named).terminate(options).await {
        Ok(()) => Ok(OrdersAnswer::Cancelled),
        Err(error) if is_over(&error) => Ok(OrdersAnswer::NotOpen),
        Err(error) => Err(QueueError::of_interaction(&error)),
    }
}

async fn list(client: &Client, limit: usize, after: Option<&str>) -> Result<OrderList, QueueError> {
    let limit = limit.clamp(1, limit::ORDERS_LISTED_MAX);
    let unknown = || QueueError::address("the cursor is none that a page of orders had");
    let next_page_token = after.map(|after| hex::decode(after).ok_or_else(unknown)).transpose()?.unwrap_or_default();
    let request = ListWorkflowExecutionsRequest {
        namespace: client.namespace(),
        page_size: i32::try_from(limit).unwrap_or(i32::MAX),
        next_page_token,
        query: format!("WorkflowType = '{}'", workflow::TYPE),
    };
    let (found, next) =
        match WorkflowService::list_workflow_executions(&mut client.clone(), request.into_request()).await {
            Ok(answer) => {
                let answer = answer.into_inner();
                (answer.executions, answer.next_page_token)
            }
            // A server that knows no queries, such as the one in memory.
            Err(status) if status.code() == Code::Unimplemented => (first(client, limit).await?, Vec::new()),
            Err(status) => return Err(QueueError::of_status(&status)),
        };
    let looks = stream::iter(found).map(|listed| entry(client, listed)).buffered(AT_ONCE);
    let orders: Vec<_> = looks.try_collect().await.map_err(|status| QueueError::of_status(&status))?;
    // A cursor is the token of the queue.
    let next = (!next.is_empty()).then(|| hex::encode(&next));
    Ok(OrderList { orders: orders.into_iter().flatten().collect(), next })
}

/// Lists orders of a server that knows no queries: those that are open, and then those that are not.
async fn first(client: &Client, limit: usize) -> Result<Vec<WorkflowExecutionInfo>, QueueError> {
    let failed = |status: Status| QueueError::of_status(&status);
    let namespace = client.namespace();
    let open = ListOpenWorkflowExecutionsRequest { namespace: namespace.clone(), ..Default::default() };
    let closed = ListClosedWorkflowExecutionsRequest { namespace, ..Default::default() };
    let open = WorkflowService::list_open_workflow_executions(&mut client.clone(), open.into_request()).await;
    let closed = WorkflowService::list_closed_workflow_executions(&mut client.clone(), closed.into_request()).await;
    let (open, closed) = (open.map_err(failed)?.into_inner(), closed.map_err(failed)?.into_inner());
    Ok(open.executions.into_iter().chain(closed.executions).take(limit).collect())
}

/// Looks at an order that a list names: the list may be late, and lacks what a worker does. None: it is no order.
async fn entry(client: &Client, listed: WorkflowExecutionInfo) -> Result<Option<OrderEntry>, Status> {
    let Some(order) = listed.execution.as_ref().and_then(|execution| workflow::order(&execution.workflow_id)) else {
        return Ok(None);
    };
    let request =
        DescribeWorkflowExecutionRequest { namespace: client.namespace(), execution: listed.execution.clone() };
    let looked = WorkflowService::describe_workflow_execution(&mut client.clone(), request.into_request()).await;
    let (info, activity) = match looked {
        Ok(answer) => {
            let mut answer = answer.into_inner();
            (answer.workflow_execution_info.unwrap_or(listed), answer.pending_activities.pop())
        }
        // It is so old that the queue forgot it since the list was made.
        Err(status) if status.code() == Code::NotFound => (listed, None),
        Err(status) => return Err(status),
    };
    let (attempt, worker) = activity.as_ref().map(attempt).unwrap_or_default();
    let subject = info.memo.as_ref().and_then(|memo| memo.fields.get(workflow::SUBJECT));
    Ok(Some(OrderEntry {
        order,
        subject: subject.and_then(|subject| FromJsonPayloadExt::from_json_payload(subject).ok()),
        labels: task_queue::labels(&info.task_queue),
        status: status(info.status(), activity.as_ref()),
        began: info.start_time.map(|time| moment(time.seconds, time.nanos)),
        ended: info.close_time.map(|time| moment(time.seconds, time.nanos)),
        attempt,
        worker,
    }))
}

/// Returns the number of the attempt, and who performs it.
fn attempt(activity: &PendingActivityInfo) -> (Option<u32>, Option<String>) {
    let worker: String = activity.last_worker_identity.chars().take(NAME_CHARACTERS).collect();
    (u32::try_from(activity.attempt).ok(), (!worker.is_empty()).then_some(worker))
}

fn status(status: WorkflowExecutionStatus, activity: Option<&PendingActivityInfo>) -> OrderStatus {
    match status {
        WorkflowExecutionStatus::Running => match activity.map(PendingActivityInfo::state) {
            Some(PendingActivityState::Started | PendingActivityState::CancelRequested) => OrderStatus::Running,
            _ => OrderStatus::Queued,
        },
        WorkflowExecutionStatus::Completed => OrderStatus::Answered,
        WorkflowExecutionStatus::Canceled | WorkflowExecutionStatus::Terminated => OrderStatus::Cancelled,
        WorkflowExecutionStatus::TimedOut => OrderStatus::TimedOut,
        _ => OrderStatus::Failed,
    }
}

fn moment(seconds: i64, nanoseconds: i32) -> Timestamp {
    Timestamp::from_millisecond(seconds.saturating_mul(1_000).saturating_add(i64::from(nanoseconds / 1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_runs_while_a_worker_has_it_and_what_is_unknown_is_no_answer() {
        let with = |state: PendingActivityState| PendingActivityInfo { state: state.into(), ..Default::default() };
        for (found, activity, expected) in [
            (WorkflowExecutionStatus::Running, None, OrderStatus::Queued),
            (WorkflowExecutionStatus::Running, Some(with(PendingActivityState::Scheduled)), OrderStatus::Queued),
            (WorkflowExecutionStatus::Running, Some(with(PendingActivityState::Started)), OrderStatus::Running),
            (WorkflowExecutionStatus::Completed, None, OrderStatus::Answered),
            (WorkflowExecutionStatus::Failed, None, OrderStatus::Failed),
            (WorkflowExecutionStatus::Canceled, None, OrderStatus::Cancelled),
            (WorkflowExecutionStatus::Terminated, None, OrderStatus::Cancelled),
            (WorkflowExecutionStatus::TimedOut, None, OrderStatus::TimedOut),
            (WorkflowExecutionStatus::Unspecified, None, OrderStatus::Failed),
        ] {
            assert_eq!(status(found, activity.as_ref()), expected, "{found:?}");
        }
    }
}
