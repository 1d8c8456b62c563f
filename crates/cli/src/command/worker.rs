//! `referee worker`: performs runs that other machines order.

use std::path::Path;
use std::sync::Arc;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::event_sink::{EventSink, Note};
use referee_engine::keys;
use referee_engine::worker::{self, OrderWork};
use referee_exec::signal::{self, Cancellation};
use referee_model::document::from_bytes;
use referee_model::event::{Event, journal};
use referee_model::exit_code;
use referee_model::order_protocol::{PerformLine, PerformRequest, WorkRequest};
use referee_model::verdict::Exit;

use crate::args::worker::{Orders, Perform, Worker, WorkerCommand};
use crate::input::{self, STANDARD_INPUT};
use crate::output;
use crate::resolve;

/// The signal that a program is asked to stop with.
const SIGTERM: i32 = 15;

/// Maximum size of an order, in bytes.
const ORDER_BYTES: u64 = 16 * 1024 * 1024;

pub(super) fn execute(context: &Context, arguments: &Worker) -> Result<u8, EngineError> {
    match &arguments.command {
        Some(WorkerCommand::Perform(arguments)) => perform(context, arguments),
        None => Err(start(context, arguments)?),
    }
}

/// Starts the program that asks for orders, in the place of this process. Returns why it could not be started.
fn start(context: &Context, arguments: &Worker) -> Result<EngineError, EngineError> {
    let key = worker::key(context, arguments.key.as_deref())?;
    let key = key.to_str().ok_or_else(|| EngineError::usage("--key: the path is not UTF-8".to_owned()))?;
    let program = context.for_exec()?.shim;
    let request = WorkRequest {
        labels: arguments.label.iter().cloned().collect(),
        jobs: arguments.jobs,
        program,
        arguments: performing(key, &arguments.orders),
    };
    Ok(worker::start(context, &request))
}

/// Returns the arguments of the program that performs an order.
fn performing(key: &str, orders: &Orders) -> Vec<String> {
    let Orders { signed, agents, confinement } = orders;
    let flags = [("--signed", signed), ("--agents", agents)];
    let flags = flags.into_iter().filter_map(|(flag, is_set)| is_set.then_some(flag));
    let sandbox = format!("--sandbox={}", confinement.sandbox.mode().as_str());
    let words = ["worker", "perform", "--key", key, &sandbox].into_iter();
    words.chain(flags).map(str::to_owned).collect()
}

/// Performs the order on standard input. Whoever started this program gets events, then an answer.
fn perform(context: &Context, arguments: &Perform) -> Result<u8, EngineError> {
    let request = input::read(context, Path::new(STANDARD_INPUT), ORDER_BYTES)?;
    let request: PerformRequest = from_bytes("an order to perform", &request).map_err(EngineError::internal)?;
    let cancellation = resolve::signals()?;
    let unwatched = |error| EngineError::internal(format!("standard output cannot be watched: {error}"));
    signal::stop_without_reader(std::io::stdout(), &cancellation).map_err(unwatched)?;
    let signer = Arc::new(keys::named(context, &arguments.key, &[])?);
    let Orders { signed, agents, ref confinement } = arguments.orders;
    let work = OrderWork {
        context,
        signer: &signer,
        cancellation: &cancellation,
        signed_only: signed,
        runs_agents: agents,
        sandbox: confinement.sandbox.mode(),
        secrets: std::slice::from_ref(&arguments.key),
    };
    let performed = worker::perform(work, &request, &mut Lines { cancellation: &cancellation })?;
    let Some(outcome) = performed else {
        let signal = cancellation.requests().first().copied().unwrap_or(SIGTERM);
        return Ok(exit_code::of(Exit::Interrupted { signal }));
    };
    line(&PerformLine::Outcome { outcome })?;
    Ok(exit_code::PASSED)
}

fn line(line: &PerformLine) -> Result<(), EngineError> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    Ok(output::answer(&text)?)
}

/// Hands on the events of a run as lines.
struct Lines<'run> {
    cancellation: &'run Cancellation,
}

impl EventSink for Lines<'_> {
    fn on_event(&mut self, event: &Event) {
        let told = serde_json::from_str(&journal::line(event))
            .map_err(EngineError::from)
            .and_then(|event| line(&PerformLine::Progress { event }));
        if told.is_err() {
            self.cancellation.request(SIGTERM);
        }
    }

    fn on_note(&mut self, note: &Note<'_>) {
        if let Note::Text(text) = note {
            // Whoever closed standard error wants no notes.
            let _ = output::aside(format!("note: {text}\n").as_bytes());
        }
    }
}
