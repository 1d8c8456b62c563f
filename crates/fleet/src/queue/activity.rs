//! Attempts at orders: taken from a task queue, performed by a program, answered to the queue.
//!
//! Any number of workers may believe that they have the same order, after one of them gave no sign of life. The queue takes
//! the answer of one attempt only, and tells the others to stop.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use referee_model::order_protocol::{OrderRequest, PerformRequest, WorkRequest};
use temporalio_client::tonic::Status;
use temporalio_common::protos::coresdk::activity_result::ActivityExecutionResult;
use temporalio_common::protos::coresdk::activity_task::{Start, activity_task::Variant};
use temporalio_common::protos::coresdk::{
    ActivityHeartbeat, ActivityTaskCompletion, AsJsonPayloadExt, FromJsonPayloadExt,
};
use temporalio_common::protos::temporal::api::failure::v1::Failure;
use temporalio_sdk_core::{PollError, Worker};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::jobs::Jobs;
use super::log::{self, OrderName};
use super::program::{AttemptEnd, Interrupts, SharedTranscript, Stop, perform};
use super::workflow::Perform;

/// Time between two signs of life.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(1);

/// What the attempts of a worker share.
pub(super) struct Workplace {
    pub(super) work: WorkRequest,
    pub(super) jobs: Jobs,
    pub(super) stop: watch::Receiver<Stop>,
}

/// Takes orders from a queue until it is shut down, and until the orders that were taken are answered.
pub(super) async fn serve(queue: Arc<Worker>, workplace: Arc<Workplace>) -> Result<(), Status> {
    let mut attempts = JoinSet::new();
    let mut cancels: HashMap<Vec<u8>, oneshot::Sender<()>> = HashMap::new();
    let end = loop {
        let task = match queue.poll_activity_task().await {
            Ok(task) => task,
            Err(PollError::ShutDown) => break Ok(()),
            Err(PollError::TonicError(status)) => break Err(status),
        };
        match task.variant {
            Some(Variant::Start(start)) => {
                cancels.retain(|_, cancel| !cancel.is_closed());
                let (cancel, cancelled) = oneshot::channel();
                cancels.insert(task.task_token.clone(), cancel);
                let attempt = Attempt { queue: Arc::clone(&queue), token: task.task_token, number: start.attempt };
                attempts.spawn(attempt.run(start, Arc::clone(&workplace), cancelled));
            }
            Some(Variant::Cancel(_)) => {
                if let Some(cancel) = cancels.remove(&task.task_token) {
                    // Fails if the attempt has just ended.
                    let _ = cancel.send(());
                }
            }
            None => {}
        }
    };
    while attempts.join_next().await.is_some() {}
    end
}

/// One attempt at an order.
struct Attempt {
    queue: Arc<Worker>,
    token: Vec<u8>,
    number: u32,
}

impl Attempt {
    async fn run(self, start: Start, workplace: Arc<Workplace>, cancel: oneshot::Receiver<()>) {
        let result = match order(&start) {
            Ok((request, name)) => self.perform(request, &name, &workplace, cancel).await,
            Err(problem) => {
                log::write(&format!("order returned: {problem}"));
                failure(problem)
            }
        };
        let completion = ActivityTaskCompletion { task_token: self.token.clone(), result: Some(result) };
        if let Err(error) = self.queue.complete_activity_task(completion).await {
            log::write(&format!("cannot answer the queue: {error}"));
        }
    }

    async fn perform(
        &self,
        request: OrderRequest,
        name: &OrderName,
        workplace: &Workplace,
        cancel: oneshot::Receiver<()>,
    ) -> ActivityExecutionResult {
        let Some(job) = workplace.jobs.take() else {
            name.event("returned, since no job is free");
            return failure("no job of the worker is free".to_owned());
        };
        name.event(&format!("taken, attempt {}", self.number));
        let OrderRequest { order, depot, authorization, .. } = request;
        let request = PerformRequest { order, depot, authorization, attempt: self.number };
        let interrupts = Interrupts { cancel, stop: workplace.stop.clone() };
        let transcript = SharedTranscript::default();
        let end = tokio::select! {
            end = perform(&workplace.work, &request, name, &transcript, interrupts) => end,
            never = self.give_signs_of_life(&transcript) => match never {},
        };
        drop(job);
        result(name, end)
    }

    async fn give_signs_of_life(&self, transcript: &SharedTranscript) -> std::convert::Infallible {
        let mut clock = interval(HEARTBEAT);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            clock.tick().await;
            let progress = transcript.lock().unwrap_or_else(PoisonError::into_inner).progress(self.number);
            let details = progress.as_json_payload().into_iter().collect();
            self.queue.record_activity_heartbeat(ActivityHeartbeat { task_token: self.token.clone(), details });
        }
    }
}

/// Reads the order of a task.
fn order(start: &Start) -> Result<(OrderRequest, OrderName), String> {
    if start.activity_type != Perform::NAME {
        return Err(format!("the activity `{}` is not known", start.activity_type));
    }
    let [input] = &start.input[..] else { return Err("it is not one document".to_owned()) };
    let request = OrderRequest::from_json_payload(input).map_err(|error| format!("it cannot be read: {error}"))?;
    let digest = request.order.digest().map_err(|error| format!("it cannot be read: {error}"))?;
    Ok((request, OrderName::new(digest)))
}

/// Tells how an attempt ended: in the log, and to the queue. What is no answer is given out again.
fn result(name: &OrderName, end: AttemptEnd) -> ActivityExecutionResult {
    match end {
        AttemptEnd::Outcome(outcome) => match outcome.as_json_payload() {
            Ok(payload) => {
                name.event("answered");
                ActivityExecutionResult::ok(payload)
            }
            Err(error) => failure(format!("the outcome cannot be written: {error}")),
        },
        AttemptEnd::Lost(reason) => {
            name.event(&format!("lost: {reason}"));
            failure(format!("the program that performs the order was lost: {reason}"))
        }
        AttemptEnd::Cancelled => {
            name.event("cancelled by the queue");
            ActivityExecutionResult::cancel_from_details(None)
        }
        AttemptEnd::Stopped => {
            name.event("returned, since the worker stops");
            failure("the worker stopped".to_owned())
        }
    }
}

/// A failure after which the order is given out again.
fn failure(message: String) -> ActivityExecutionResult {
    ActivityExecutionResult::fail(Failure::application_failure(message, false))
}
