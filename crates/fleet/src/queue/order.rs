//! `referee-fleet order`: puts an order in the queue, or attaches to the same order that is in it, and waits for the answer.

use std::cell::RefCell;
use std::time::Duration;

use referee_model::order_list::OrderSubject;
use referee_model::order_protocol::{OrderFailureKind, OrderLine, OrderRequest, WorkerOrder};
use referee_model::run_order::OrderOutcome;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use temporalio_client::errors::{WorkflowGetResultError, WorkflowInteractionError, WorkflowStartError};
use temporalio_client::tonic::Code;
use temporalio_client::{
    Client, WorkflowCancelOptions, WorkflowDescribeOptions, WorkflowExecutionInfo, WorkflowGetResultOptions,
    WorkflowHandle, WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowStartOptions,
};
use temporalio_common::MemoValues;
use temporalio_common::error::{IncomingError, RetryState};
use temporalio_common::protos::temporal::api::common::v1::WorkflowExecution;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};

use super::access::QueueAccess;
use super::connection::connect;
use super::error::QueueError;
use super::observation::Observation;
use super::request::{RequestError, request, runtime, write};
use super::task_queue;
use super::workflow::{self, OrderRun, OrderWorkflow, REFUSED};

/// Time between two looks at the order.
const LOOK: Duration = Duration::from_secs(1);

/// The same of one who attached: of many who ask the same, one looks often.
const LOOK_ATTACHED: Duration = Duration::from_secs(5);

/// Time that the queue has to tell that the time of an order is over.
const GRACE: Duration = Duration::from_secs(5);

/// Time to cancel an order.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// Why an order is left whose asker is gone.
const UNREAD: &str = "nobody reads what becomes of the order";

/// Longest time that the queue keeps.
const TIMEOUT_MS_MAX: u64 = 365 * 24 * 60 * 60 * 1000;

/// Shortest time without a sign of life that says something: a worker gives one each second.
const HEARTBEAT_MS_MIN: u64 = 2_000;

pub(super) type Handle = WorkflowHandle<Client, OrderRun>;

/// Writes what becomes of the order on standard input to standard output. The last line is an answer or a failure.
pub(crate) fn order(access: &QueueAccess) -> Result<(), RequestError> {
    let request: OrderRequest = request()?;
    let runtime = runtime()?;
    let last = match runtime.block_on(run(&request, access)) {
        Ok(outcome) => OrderLine::Answered { outcome },
        Err(error) => OrderLine::Failed { error: access.redact_error(&error).failure() },
    };
    runtime.shutdown_background();
    Ok(write(&last)?)
}

/// An order in the queue.
struct Entry {
    handle: Handle,
    queue: String,
    /// Whether the order was in the queue before.
    is_attached: bool,
}

async fn run(request: &OrderRequest, access: &QueueAccess) -> Result<OrderOutcome, QueueError> {
    let stop = stop_signal()?;
    tokio::pin!(stop);
    let entry = tokio::select! {
        entry = enter(request, access) => entry?,
        () = &mut stop => return Err(cancelled("the order was not put in the queue, or its queue was not told")),
    };
    let queued = write(&OrderLine::Queued { attached: entry.is_attached });
    let lost = RefCell::new(None);
    let until = Instant::now() + Duration::from_millis(request.timeout_ms) + GRACE;
    let end = tokio::select! {
        // An answer counts even if the time is over as well.
        biased;
        outcome = outcome(&entry.handle) => return outcome.map_err(|error| explained(error, lost.borrow().as_ref())),
        () = &mut stop => "whoever asked stopped",
        () = tell(&entry, &lost), if queued.is_ok() => UNREAD,
        () = async {}, if queued.is_err() => UNREAD,
        () = sleep_until(until) => return Err(explained(timed_out(&entry).await, lost.borrow().as_ref())),
    };
    // Whoever asked was killed. The work of an agent is kept for him.
    if end == UNREAD && matches!(request.order, WorkerOrder::Turn(_)) {
        return Err(cancelled(&format!("{UNREAD}; it goes on")));
    }
    Err(leave(&entry, end).await)
}

/// Waits for a signal that ends this program.
fn stop_signal() -> Result<impl Future<Output = ()>, QueueError> {
    let refused =
        |error: std::io::Error| QueueError::address(format!("the system refused to tell of signals: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(refused)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(refused)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Puts the order in the queue, or attaches to the same order that is in it. A run that was answered is put in it again: whoever
/// asks gets one that was not over when he asked. A turn that was answered is not: an agent works once.
async fn enter(request: &OrderRequest, access: &QueueAccess) -> Result<Entry, QueueError> {
    let queue = task_queue::of_order(request.order.labels())?;
    let digest = request.order.digest().map_err(|error| QueueError::address(format!("no order: {error}")))?;
    if request.timeout_ms == 0 || TIMEOUT_MS_MAX < request.timeout_ms || request.heartbeat_ms < HEARTBEAT_MS_MIN {
        return Err(QueueError::address(format!(
            "`timeoutMs` must be more than nothing and at most a year, and `heartbeatMs` at least {HEARTBEAT_MS_MIN}"
        )));
    }
    let client = connect(access).await?;
    let id = workflow::id(digest);
    let subject = OrderSubject::from(&request.order);
    let mut memo = MemoValues::new();
    memo.insert(workflow::SUBJECT, subject.clone());
    let reuse = match request.order {
        WorkerOrder::Run(_) => WorkflowIdReusePolicy::AllowDuplicate,
        WorkerOrder::Turn(_) => WorkflowIdReusePolicy::AllowDuplicateFailedOnly,
    };
    let options = WorkflowStartOptions::new(queue.as_str(), id.as_str())
        .id_reuse_policy(reuse)
        .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
        .execution_timeout(Duration::from_millis(request.timeout_ms))
        .memo(memo)
        .static_summary(subject.summary())
        .build();
    match client.start_workflow(OrderWorkflow::run, request.clone(), options).await {
        Ok(handle) => Ok(Entry { handle, queue, is_attached: false }),
        Err(WorkflowStartError::AlreadyStarted { run_id, .. }) => {
            let namespace = access.namespace().to_owned();
            let info =
                WorkflowExecutionInfo::builder().namespace(namespace).workflow_id(id).maybe_run_id(run_id).build();
            Ok(Entry { handle: WorkflowHandle::new(client, info), queue, is_attached: true })
        }
        Err(WorkflowStartError::Rpc(status)) => Err(QueueError::of_status(&status)),
        Err(error) => Err(QueueError::protocol(error)),
    }
}

/// Waits for the answer. A queue that does not answer is asked again.
async fn outcome(handle: &Handle) -> Result<OrderOutcome, QueueError> {
    loop {
        let options = WorkflowGetResultOptions::builder().follow_runs(false).build();
        let error = match handle.get_result(options).await {
            Ok(outcome) => return Ok(outcome),
            Err(error) => error,
        };
        match error {
            WorkflowGetResultError::Failed(failure) => return unanswered(&failure),
            WorkflowGetResultError::Cancelled { .. } => {
                return Err(cancelled("somebody who asked for it cancelled it"));
            }
            WorkflowGetResultError::Terminated { .. } => return Err(cancelled("it was terminated in the queue")),
            WorkflowGetResultError::TimedOut => return Err(no_answer_in_time()),
            WorkflowGetResultError::NotFound(_) => {
                let message = "the queue does not know the order any more: ask again";
                return Err(QueueError::new(OrderFailureKind::Unavailable, message));
            }
            WorkflowGetResultError::Rpc(status) => {
                let error = QueueError::of_status(&status);
                if error.kind == OrderFailureKind::Address {
                    return Err(error);
                }
                sleep(LOOK).await;
            }
            other => return Err(QueueError::protocol(other)),
        }
    }
}

/// Reads how a workflow failed: a refusal is an answer, anything else is none.
fn unanswered(failure: &IncomingError) -> Result<OrderOutcome, QueueError> {
    let mut cause = Some(failure);
    while let Some(error) = cause {
        match error {
            IncomingError::Application(refusal) if refusal.type_name() == Some(REFUSED) => {
                return Ok(OrderOutcome::Refused { reason: error.failure().message.clone() });
            }
            IncomingError::Timeout(_) => return Err(no_answer_in_time()),
            // The time is too short for another attempt.
            IncomingError::Activity(attempts) if attempts.retry_state() == RetryState::Timeout => {
                let lost = error.cause().map(|cause| cause.failure().message.clone());
                return Err(explained(no_answer_in_time(), lost.as_ref()));
            }
            IncomingError::Cancelled(_) | IncomingError::Terminated(_) => {
                return Err(cancelled("it was cancelled in the queue"));
            }
            _ => cause = error.cause(),
        }
    }
    Err(QueueError::protocol(&failure.failure().message))
}

/// Writes what can be seen of the order, and notes why the last attempt was lost. Ends only if nobody reads it.
async fn tell(entry: &Entry, lost: &RefCell<Option<String>>) {
    let info = entry.handle.info();
    let run_id = info.run_id.clone().unwrap_or_default();
    let execution = WorkflowExecution { workflow_id: info.workflow_id.clone(), run_id };
    let mut observation = Observation::new(entry.handle.client().clone(), execution, entry.queue.clone());
    let mut clock = interval(if entry.is_attached { LOOK_ATTACHED } else { LOOK });
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        if !is_read() {
            return;
        }
        // Whether the queue answers is decided where the answer is waited for.
        for line in observation.look().await.unwrap_or_default() {
            if write(&line).is_err() {
                return;
            }
        }
        lost.replace(observation.lost.clone());
    }
}

/// Gives up an order whose time is over: the queue did not tell, or somebody else gave it more time.
async fn timed_out(entry: &Entry) -> QueueError {
    let look = entry.handle.describe(WorkflowDescribeOptions::default());
    match timeout(LOOK, look).await {
        Ok(Ok(_)) => no_answer_in_time(),
        _ => QueueError::new(
            OrderFailureKind::Unavailable,
            "the queue does not answer, and the time of the order is over. See TEMPORAL_ADDRESS",
        ),
    }
}

/// Ends the wait for an answer. Cancels the order if it was put in the queue for this one who asked: somebody else may have
/// attached to it, who is told, and asks again.
async fn leave(entry: &Entry, why: &str) -> QueueError {
    if entry.is_attached {
        return cancelled(&format!("{why}; it goes on, since it was in the queue before"));
    }
    let options = WorkflowCancelOptions::builder().reason(why).build();
    match timeout(CANCEL_TIME, entry.handle.cancel(options)).await {
        Ok(Ok(())) => cancelled(why),
        Ok(Err(error)) if is_over(&error) => cancelled(why),
        _ => cancelled(&format!("{why}; the queue could not be told, and it goes on until its time is over")),
    }
}

/// Whether an order could not be cancelled because it has ended.
pub(super) fn is_over(error: &WorkflowInteractionError) -> bool {
    match error {
        WorkflowInteractionError::NotFound(_) => true,
        WorkflowInteractionError::Rpc(status) => status.code() == Code::FailedPrecondition,
        _ => false,
    }
}

fn cancelled(why: &str) -> QueueError {
    QueueError::new(OrderFailureKind::Cancelled, format!("the order was cancelled: {why}"))
}

fn no_answer_in_time() -> QueueError {
    QueueError::new(OrderFailureKind::TimedOut, "no worker answered in time")
}

/// Adds why the last attempt was lost to the error for an order whose time is over.
fn explained(error: QueueError, lost: Option<&String>) -> QueueError {
    match lost {
        Some(lost) if error.kind == OrderFailureKind::TimedOut && !error.message.contains(lost.as_str()) => {
            QueueError { message: format!("{}; the last attempt: {lost}", error.message), ..error }
        }
        _ => error,
    }
}

/// Whether somebody reads standard output, as far as the system tells before something is written.
fn is_read() -> bool {
    let output = std::io::stdout();
    let mut watched = [PollFd::new(&output, PollFlags::empty())];
    let polled = poll(&mut watched, Some(&Timespec::default()));
    polled.is_err() || !watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}
