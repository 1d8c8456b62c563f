//! The queue of orders, through which workers on other machines perform runs. A program beside this one speaks with it; nothing
//! that it answers is believed here.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_exec::program::Call;
use referee_exec::signal::Cancellation;
use referee_ledger::State;
use referee_ledger::attest::{self, Signer};
use referee_ledger::trust::{Role, TrustStore};
use referee_model::document::from_bytes;
use referee_model::enrolment::FleetSettings;
use referee_model::id::{Digest, WorkerLabel};
use referee_model::order_list::{OrderList, OrdersAnswer, OrdersRequest};
use referee_model::order_protocol::{OrderFailure, OrderFailureKind, OrderLine, OrderRequest, WorkerOrder};
use referee_model::run_order::{AUTHORIZATION_TYPE, OrderAuthorization, OrderOutcome};

use crate::context::Context;
use crate::depot::{self, DepotClient, PROGRAM};
use crate::error::{EngineError, ErrorKind};
use crate::event_sink::OrderProgress;

/// Variables that the program gets to speak with the queue, by name.
const VARIABLES: [&str; 11] = [
    "TEMPORAL_ADDRESS",
    "TEMPORAL_NAMESPACE",
    "TEMPORAL_API_KEY",
    "TEMPORAL_TLS",
    "TEMPORAL_TLS_CLIENT_CERT_PATH",
    "TEMPORAL_TLS_CLIENT_CERT_DATA",
    "TEMPORAL_TLS_CLIENT_KEY_PATH",
    "TEMPORAL_TLS_CLIENT_KEY_DATA",
    "TEMPORAL_TLS_SERVER_CA_CERT_PATH",
    "TEMPORAL_TLS_SERVER_CA_CERT_DATA",
    "TEMPORAL_TLS_SERVER_NAME",
];

/// Time without a sign of life of a worker after which the queue gives the order to another one, in milliseconds.
const HEARTBEAT_MS: u64 = 20_000;

/// Time limit for a list of orders, and for a cancellation.
const LIST_BOUND: Duration = Duration::from_mins(1);

/// Time that an order may wait for a worker, in milliseconds.
pub(crate) const QUEUE_MS: u64 = 15 * 60 * 1000;

/// Maximum size of a line of the program, in bytes.
const LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Which workers perform runs, and which earlier runs answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetOptions {
    /// The workers.
    pub settings: FleetSettings,
    /// Maximum age of an earlier run of the same order that may answer, in milliseconds. `None`: none may.
    pub receipt_age_ms: Option<u64>,
}

/// The workers of a project.
#[derive(Debug, Clone)]
pub struct FleetClient {
    pub(crate) depot: DepotClient,
    pub(crate) labels: BTreeSet<WorkerLabel>,
    /// Maximum age of an earlier run that may answer, in milliseconds. `None`: none may.
    pub(crate) receipt_age_ms: Option<u64>,
    pub(crate) queue: OrderQueue,
    pub(crate) parts: Option<NonZeroUsize>,
}

/// The program that speaks with the queue.
#[derive(Debug, Clone)]
pub struct OrderQueue {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

/// Answer to an order. Nothing of it is verified.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OrderAnswer {
    /// A worker answered.
    Answered(OrderOutcome),
    /// No worker answered in time.
    TimedOut {
        /// Why, as the queue says it.
        reason: String,
    },
    /// The caller's own time passed.
    OutOfTime,
    /// A request to stop arrived meanwhile.
    Interrupted {
        /// The signal number.
        signal: i32,
    },
}

impl FleetClient {
    /// Finds the program, and a key that may answer.
    ///
    /// # Errors
    /// Fails if the program is missing, if no worker is trusted, and if the project has no name for a depot.
    pub fn new(
        context: &Context,
        state: Option<&State>,
        options: &FleetOptions,
        evidence_root: &Path,
    ) -> Result<Self, EngineError> {
        let trusted = state.map(TrustStore::read).transpose()?.unwrap_or_default();
        if trusted.believed(Role::Worker, context.now()).is_empty() {
            return Err(EngineError::usage(
                "no worker is trusted: trust the key of one with `referee key trust KEY.pub.pem --name NAME --as worker`"
                    .to_owned(),
            ));
        }
        let FleetSettings { labels, depot, project, parts } = options.settings.clone();
        Ok(Self {
            depot: DepotClient::new(context, depot, project.as_ref(), evidence_root)?,
            labels,
            receipt_age_ms: options.receipt_age_ms,
            queue: OrderQueue::new(context)?,
            parts,
        })
    }
}

impl FleetClient {
    /// Returns what the queue is asked for an order, which the signer signs if there is one.
    ///
    /// # Errors
    /// Fails if a key agent does not sign.
    pub(crate) fn request(
        &self,
        order: WorkerOrder,
        timeout_ms: u64,
        signer: Option<&Signer>,
    ) -> Result<OrderRequest, EngineError> {
        let depot = self.depot.address().clone();
        let authorization = OrderAuthorization { order: order.digest()?, depot: depot.clone() };
        let sign = |signer: &Signer| {
            let envelope = attest::sign(AUTHORIZATION_TYPE, &authorization.encode()?, signer)?;
            String::from_utf8(envelope).map_err(EngineError::internal)
        };
        let authorization = signer.map(sign).transpose()?;
        Ok(OrderRequest { order, depot, authorization, timeout_ms, heartbeat_ms: HEARTBEAT_MS })
    }
}

impl OrderQueue {
    /// Finds the program, and what the environment says of the queue.
    ///
    /// # Errors
    /// Fails if the program is missing.
    pub fn new(context: &Context) -> Result<Self, EngineError> {
        let environment = depot::variables(context, &[VARIABLES.as_slice(), &depot::NETWORK_VARIABLES].concat());
        Ok(Self { program: depot::program(context)?, environment })
    }

    /// Lists the orders of the queue, of all projects: open ones first.
    ///
    /// # Errors
    /// Fails if the queue cannot be asked, or if `after` is not what a page said under `next`.
    pub fn list(&self, limit: usize, after: Option<String>) -> Result<OrderList, EngineError> {
        match self.ask(&OrdersRequest::List { limit, after })? {
            OrdersAnswer::Listed(list) => Ok(list),
            _ => Err(depot::misunderstood()),
        }
    }

    /// Cancels an order. Returns whether it was open.
    ///
    /// # Errors
    /// Fails if the queue cannot be told.
    pub fn cancel(&self, order: Digest, reason: String) -> Result<bool, EngineError> {
        match self.ask(&OrdersRequest::Cancel { order, reason })? {
            OrdersAnswer::Cancelled => Ok(true),
            OrdersAnswer::NotOpen => Ok(false),
            OrdersAnswer::Listed(_) | OrdersAnswer::Failed { .. } => Err(depot::misunderstood()),
        }
    }

    fn ask(&self, request: &OrdersRequest) -> Result<OrdersAnswer, EngineError> {
        let call = self.call("orders", serde_json::to_vec(request)?, LIST_BOUND);
        match from_bytes("the answer of referee-fleet", &depot::output(&call)?) {
            Ok(OrdersAnswer::Failed { error }) => Err(unanswered(&error)),
            Ok(answer) => Ok(answer),
            Err(error) => Err(depot::no_answer(&error)),
        }
    }

    fn call(&self, command: &str, input: Vec<u8>, bound: Duration) -> Call {
        Call {
            program: self.program.clone(),
            arguments: vec![command.into()],
            directory: PathBuf::from("/"),
            environment: self.environment.clone(),
            input,
            bound,
            output_bytes: LINE_BYTES,
        }
    }

    /// Puts an order in the queue, and waits for its answer, for at most `time_left` milliseconds. `None`: somebody else had
    /// asked the same, and gave it up.
    ///
    /// # Errors
    /// Fails if the queue cannot be asked.
    pub(crate) fn order(
        &self,
        request: &OrderRequest,
        (cancellation, time_left): (&Cancellation, Option<u64>),
        progress: &mut dyn FnMut(&OrderProgress),
    ) -> Result<Option<OrderAnswer>, EngineError> {
        let own = time_left.map(Duration::from_millis);
        let call = self.call("order", serde_json::to_vec(request)?, own.unwrap_or(Duration::MAX));
        let (mut last, mut is_attached) = (None, false);
        let mut each = |line: &[u8]| match from_bytes("a line of referee-fleet", line) {
            Ok(OrderLine::Queued { attached }) => {
                is_attached = attached;
                progress(&OrderProgress::Queued { attached });
            }
            Ok(OrderLine::NoWorker) => progress(&OrderProgress::NoWorker),
            Ok(OrderLine::Progress { event }) => progress(&OrderProgress::Event(event)),
            Ok(end @ (OrderLine::Answered { .. } | OrderLine::Failed { .. })) => last = Some(Ok(end)),
            Err(error) => last = Some(Err(depot::no_answer(&error))),
        };
        let called = call.follow(cancellation, &mut each);
        let called = called.map_err(|error| fault(format!("{PROGRAM} cannot be run: {error}")))?;
        if let Some(signal) = cancellation.requests().first() {
            return Ok(Some(OrderAnswer::Interrupted { signal: *signal }));
        }
        match last.transpose()? {
            // Whoever had asked before may have signed it with another key, or not at all.
            Some(OrderLine::Answered { outcome: OrderOutcome::Refused { .. } })
                if is_attached && request.authorization.is_some() =>
            {
                Ok(None)
            }
            Some(OrderLine::Answered { outcome }) => Ok(Some(OrderAnswer::Answered(outcome))),
            _ if called.was_stopped => Ok(Some(OrderAnswer::OutOfTime)),
            Some(OrderLine::Failed { error }) if is_attached && error.kind == OrderFailureKind::Cancelled => Ok(None),
            Some(OrderLine::Failed { error }) => failed(error).map(Some),
            _ => Err(fault(format!("{PROGRAM} failed: {}", called.complaint()))),
        }
    }
}

/// Creates an error for a queue, a depot or a worker that cannot be relied on: without them there is no verdict.
pub(crate) fn fault(message: String) -> EngineError {
    EngineError::new(ErrorKind::Evidence, message)
}

fn failed(failure: OrderFailure) -> Result<OrderAnswer, EngineError> {
    match failure.kind {
        OrderFailureKind::TimedOut => Ok(OrderAnswer::TimedOut { reason: failure.message }),
        _ => Err(unanswered(&failure)),
    }
}

fn unanswered(failure: &OrderFailure) -> EngineError {
    let message = format!("queue of orders: {}", failure.message);
    match failure.kind {
        OrderFailureKind::Address => EngineError::usage(message),
        OrderFailureKind::Unavailable
        | OrderFailureKind::Cancelled
        | OrderFailureKind::TimedOut
        | OrderFailureKind::Protocol => fault(message),
    }
}

#[cfg(test)]
mod tests;
