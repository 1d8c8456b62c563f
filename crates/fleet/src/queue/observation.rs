//! What can be seen of an order while it is in the queue: events of its run, and whether anybody asks for it.

use std::time::{Duration, SystemTime};

use referee_model::order_protocol::OrderLine;
use temporalio_client::grpc::WorkflowService;
use temporalio_client::tonic::{Code, IntoRequest, Status};
use temporalio_client::{Client, NamespacedClient};
use temporalio_common::protos::coresdk::FromJsonPayloadExt;
use temporalio_common::protos::temporal::api::common::v1::WorkflowExecution;
use temporalio_common::protos::temporal::api::enums::v1::{PendingActivityState, TaskQueueType};
use temporalio_common::protos::temporal::api::taskqueue::v1::TaskQueue;
use temporalio_common::protos::temporal::api::workflow::v1::PendingActivityInfo;
use temporalio_common::protos::temporal::api::workflowservice::v1::{
    DescribeTaskQueueRequest, DescribeWorkflowExecutionRequest,
};
use tokio::time::Instant;

use super::workflow::Progress;

/// Time after which an order that nobody performs is looked into.
const IDLE: Duration = Duration::from_secs(2);

/// Time after which a worker that did not ask again is gone. A request of a worker stays open for a minute.
const GONE: Duration = Duration::from_secs(90);

/// An order that is looked at again and again.
pub(super) struct Observation {
    client: Client,
    execution: WorkflowExecution,
    queue: String,
    events: EventCount,
    /// Since when the order is looked at.
    begun: Instant,
    /// Since when nobody performs the order.
    idle: Option<Instant>,
    is_told: bool,
    /// Why the last attempt was lost.
    pub(super) lost: Option<String>,
}

impl Observation {
    pub(super) fn new(client: Client, execution: WorkflowExecution, queue: String) -> Self {
        Self {
            client,
            execution,
            queue,
            events: EventCount::default(),
            begun: Instant::now(),
            idle: None,
            is_told: false,
            lost: None,
        }
    }

    /// Looks at the order, and returns what is new.
    ///
    /// # Errors
    /// Fails if the queue does not answer, or does not know the order.
    pub(super) async fn look(&mut self) -> Result<Vec<OrderLine>, Status> {
        let request = DescribeWorkflowExecutionRequest {
            namespace: self.client.namespace(),
            execution: Some(self.execution.clone()),
        };
        let mut client = self.client.clone();
        let answer =
            WorkflowService::describe_workflow_execution(&mut client, request.into_request()).await?.into_inner();
        let activity = answer.pending_activities.first();
        let mut lines: Vec<OrderLine> = match activity.and_then(progress) {
            Some(progress) => self.events.new_of(progress),
            None => Vec::new(),
        };
        if let Some(failure) = activity.and_then(|activity| activity.last_failure.as_ref()) {
            self.lost = Some(failure.message.clone());
        }
        let is_performed = activity.is_some_and(|activity| activity.state() != PendingActivityState::Scheduled);
        if is_performed {
            self.idle = None;
        } else if !self.is_told && IDLE <= self.idle.get_or_insert_with(Instant::now).elapsed() {
            let started = answer.workflow_execution_info.as_ref().and_then(|info| info.start_time);
            let started = started.and_then(|time| SystemTime::try_from(time).ok());
            // The queue's clock, which this one may be far from: nobody looks before the order is in the queue.
            let now = started.map(|started| started + self.begun.elapsed());
            self.is_told = !self.has_worker(activity.is_some(), now).await?;
            if self.is_told {
                lines.push(OrderLine::NoWorker);
            }
        }
        Ok(lines)
    }

    /// Whether a worker asks for orders of the queue, where it is `now` or later. Also workers whose jobs are all taken ask for
    /// workflows.
    async fn has_worker(&self, is_given_out: bool, now: Option<SystemTime>) -> Result<bool, Status> {
        let request = DescribeTaskQueueRequest {
            namespace: self.client.namespace(),
            task_queue: Some(TaskQueue { name: self.queue.clone(), ..TaskQueue::default() }),
            task_queue_type: TaskQueueType::Workflow.into(),
            ..DescribeTaskQueueRequest::default()
        };
        let mut client = self.client.clone();
        match WorkflowService::describe_task_queue(&mut client, request.into_request()).await {
            Ok(answer) => {
                let mut pollers = answer.into_inner().pollers.into_iter();
                Ok(pollers.any(|poller| {
                    let asked = poller.last_access_time.and_then(|time| SystemTime::try_from(time).ok());
                    is_there(asked, now)
                }))
            }
            // A server that cannot tell: no worker has read the workflow yet, or one did.
            Err(status) if status.code() == Code::Unimplemented => Ok(is_given_out),
            Err(status) => Err(status),
        }
    }
}

/// Whether a worker that asked last at a time is still there, by the clock of the queue. What is not known counts for it.
fn is_there(asked: Option<SystemTime>, now: Option<SystemTime>) -> bool {
    let since = now.and_then(|now| now.checked_sub(GONE));
    asked.zip(since).is_none_or(|(asked, since)| since <= asked)
}

/// Reads what a worker told with its last sign of life. What is none is left out, as events may be missing.
fn progress(activity: &PendingActivityInfo) -> Option<Progress> {
    let payload = activity.heartbeat_details.as_ref()?.payloads.first()?;
    Progress::from_json_payload(payload).ok()
}

/// Counts events, which are told several times.
#[derive(Default)]
struct EventCount {
    attempt: u32,
    next: u64,
}

impl EventCount {
    /// Returns the events that were not told before. An attempt that was given up tells no more.
    fn new_of(&mut self, progress: Progress) -> Vec<OrderLine> {
        if progress.attempt < self.attempt {
            return Vec::new();
        }
        if self.attempt < progress.attempt {
            *self = Self { attempt: progress.attempt, next: 0 };
        }
        let known = self.next.saturating_sub(progress.first);
        let end = progress.first.saturating_add(progress.events.len() as u64);
        self.next = self.next.max(end);
        let known = usize::try_from(known).unwrap_or(usize::MAX);
        progress.events.into_iter().skip(known).map(|event| OrderLine::Progress { event }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_did_not_ask_for_a_minute_and_a_half_is_gone() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let ago = |seconds| Some(now - Duration::from_secs(seconds));
        for (asked, now, expected) in [
            (ago(0), Some(now), true),
            (ago(90), Some(now), true),
            (ago(91), Some(now), false),
            (Some(now + Duration::from_secs(5)), Some(now), true),
            (None, Some(now), true),
            (ago(91), None, true),
        ] {
            assert_eq!(is_there(asked, now), expected, "{asked:?} {now:?}");
        }
    }

    #[test]
    fn each_event_of_an_attempt_is_told_once() {
        let mut count = EventCount::default();
        let mut tell = |attempt, first: u64, length: u64| -> Vec<u64> {
            let events = (first..first + length).map(Into::into).collect();
            let lines = count.new_of(Progress { attempt, first, events });
            let number = |line| match line {
                OrderLine::Progress { event } => event.as_u64().unwrap(),
                other => panic!("{other:?}"),
            };
            lines.into_iter().map(number).collect()
        };
        assert_eq!(tell(1, 0, 2), [0, 1]);
        assert_eq!(tell(1, 0, 2), [] as [u64; 0]);
        assert_eq!(tell(1, 1, 3), [2, 3]);
        assert_eq!(tell(1, 9, 2), [9, 10], "events may be missing");
        assert_eq!(tell(2, 0, 1), [0], "another attempt begins anew");
        assert_eq!(tell(1, 0, 20), [] as [u64; 0], "the first one is over");
    }
}
