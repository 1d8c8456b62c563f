//! A command that is captured if it fails.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use referee_engine::context::Context;
use referee_engine::incident::capture::{self as engine, CaptureRequest, CaptureResult, CapturedFile};
use referee_engine::problem::Problem;
use referee_engine::tail::Tail;
use referee_exec::agent_process::{self, AgentCommand, AgentEnd, Tap};
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::record::{Ending, Stream};
use referee_report::style;
use referee_wire::exit_code;
use referee_wire::incident_captured::{IncidentCaptureDocument, IncidentCapturesDocument};
use serde_json::json;

use crate::args::PlainFormat;
use crate::args::incident::capture::Capture;
use crate::output;

/// What `timeout` exits with at its deadline.
const AT_DEADLINE: u8 = 124;
/// What a shell exits with where there is no such command.
const NOT_STARTED: u8 = 127;

/// Runs the command, and captures it if it failed. It exits as the command did.
pub(super) fn execute(context: &Context, arguments: &Capture, given: CaptureRequest) -> Result<u8, Problem> {
    // Looked at before anything runs: who cannot keep incidents is told now.
    let service = crate::command::incident::service(context, &arguments.root)?;
    let Ran { end, log } = run(context, arguments)?;
    let code = code(&end.ending);
    if matches!(end.ending, Ending::Exited { code: 0 }) {
        return said(arguments.format, None, code);
    }
    if let Ending::Interrupted { .. } = end.ending {
        let skipped = CaptureResult::Skipped("run_interrupted".to_owned());
        return said(arguments.format, Some(Ok(skipped)), code);
    }
    let mut request = CaptureRequest {
        command: arguments.command.clone(),
        outcome: outcome(&end.ending),
        ended: ended(&end.ending),
        log: (!log.is_empty()).then(|| CapturedFile { path: "the command's output".to_owned(), bytes: log }),
        ..given
    };
    request.facts.insert("returncode".to_owned(), json!(code));
    request.facts.insert("reason".to_owned(), json!(request.ended));
    said(arguments.format, Some(engine::capture(service.context("cli"), &request).map_err(Problem::from)), code)
}

/// A command that ended.
struct Ran {
    end: AgentEnd,
    /// The end of what it printed, both streams in the order in which they came.
    log: Vec<u8>,
}

fn run(context: &Context, arguments: &Capture) -> Result<Ran, Problem> {
    let cancellation = crate::resolve::signals()?;
    let kept = match arguments.log_bytes {
        None => limit::INCIDENT_LOG_BYTES,
        Some(0) => usize::try_from(limit::INCIDENT_FILE_BYTES).unwrap_or(limit::INCIDENT_LOG_BYTES),
        Some(bytes) => bytes.min(usize::try_from(limit::INCIDENT_FILE_BYTES).unwrap_or(bytes)),
    };
    let tail = Arc::new(Mutex::new(Tail::new(kept + limit::INCIDENT_LOG_MARGIN_BYTES)));
    let command = AgentCommand {
        argv: &arguments.command,
        directory: &context.directory,
        environment: context.environment.iter().cloned().collect::<BTreeMap<_, _>>(),
        input: &[],
        marker: &context.new_execution()?,
        turn: 1,
        deadline_ms: arguments.timeout.unwrap_or(limit::ACTION_DEADLINE_MS_MAX),
        grace_ms: limit::GRACE_MS,
    };
    let end = agent_process::run_agent(&command, &context.for_exec()?, &cancellation, tap(arguments.format, &tail));
    let end = end.map_err(|error| Problem::internal(error.to_string()))?;
    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    let log = std::mem::replace(&mut *tail, Tail::new(0)).finish();
    Ok(Ran { end, log })
}

/// Shows what the command prints as it comes, byte for byte, and keeps its end. Where the answer is for a program, it has
/// standard output for itself.
fn tap(format: PlainFormat, tail: &Arc<Mutex<Tail>>) -> Tap {
    let tail = Arc::clone(tail);
    Box::new(move |stream, bytes| {
        // A reader that is gone does not keep the command from its end.
        let _ = match (stream, format) {
            (Stream::Stdout, PlainFormat::Human) => output::answer(bytes),
            _ => output::aside(bytes),
        };
        tail.lock().unwrap_or_else(PoisonError::into_inner).add(bytes);
    })
}

/// What the program exits with: as the command did.
fn code(ending: &Ending) -> u8 {
    match ending {
        Ending::Exited { code } => u8::try_from(*code).unwrap_or(exit_code::FAILED),
        Ending::Signaled { signal } => u8::try_from(128 + signal).unwrap_or(exit_code::FAILED),
        Ending::Interrupted { .. } => 130,
        Ending::DeadlineExceeded { .. } => AT_DEADLINE,
        Ending::CouldNotStart { .. } => NOT_STARTED,
        Ending::OutputLimitExceeded { .. }
        | Ending::ProcessLimitExceeded { .. }
        | Ending::MemoryLimitExceeded { .. } => exit_code::EXECUTION,
    }
}

/// What an end says by itself. None: the command failed, and its code does not say as what.
fn outcome(ending: &Ending) -> Option<Outcome> {
    match ending {
        Ending::Exited { .. } | Ending::Interrupted { .. } => None,
        Ending::DeadlineExceeded { .. } => Some(Outcome::Timeout),
        Ending::Signaled { .. }
        | Ending::CouldNotStart { .. }
        | Ending::OutputLimitExceeded { .. }
        | Ending::ProcessLimitExceeded { .. }
        | Ending::MemoryLimitExceeded { .. } => Some(Outcome::ExecutionError),
    }
}

fn ended(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("the command exited with {code}"),
        Ending::Signaled { signal } => format!("signal {signal} ended the command"),
        Ending::Interrupted { .. } => "the command was interrupted".to_owned(),
        Ending::DeadlineExceeded { limit_ms, .. } => format!("the command took more than {limit_ms} ms"),
        Ending::CouldNotStart { message, .. } => format!("the command could not be started: {message}"),
        Ending::OutputLimitExceeded { limit_bytes } => format!("the command printed more than {limit_bytes} bytes"),
        Ending::ProcessLimitExceeded { limit } => format!("the command ran more than {limit} processes at once"),
        Ending::MemoryLimitExceeded { limit_bytes } => {
            format!("the command took more than {limit_bytes} bytes of memory")
        }
    }
}

/// Says what became of it, beside the command's own output. A capture that failed is told, and changes no code.
fn said(format: PlainFormat, captured: Option<Result<CaptureResult, Problem>>, code: u8) -> Result<u8, Problem> {
    let document = captured.map(|captured| match captured {
        Ok(captured) => super::document(&captured),
        Err(problem) => IncidentCaptureDocument {
            captured: "failed",
            message: format!("could not be captured: {}", style::plain(&problem.message)),
            ..IncidentCaptureDocument::default()
        },
    });
    match format {
        PlainFormat::Json => {
            let captures = IncidentCapturesDocument::of(document.into_iter().collect());
            output::answer(&referee_wire::to_bytes(&captures)?)?;
        }
        PlainFormat::Human => {
            if let Some(document) = document {
                output::aside(format!("referee: {}\n", document.message).as_bytes())?;
            }
        }
    }
    Ok(code)
}
