//! Runs a command and captures it if it fails.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use referee_exec::agent_process::{self, AgentCommand};
use referee_model::outcome::Outcome;
use referee_model::record::Ending;
use referee_model::{exit_code, limit};
use serde_json::json;

use super::{CaptureRequest, CaptureResult, CapturedFile, log_limit};
use crate::agent_loop::Live;
use crate::context::Context;
use crate::error::EngineError;
use crate::incident::{Cancellation, IncidentContext, IncidentError};
use crate::tail::Tail;

/// Exit code of `timeout` at its deadline.
const AT_DEADLINE: u8 = 124;
/// Exit code of a shell for a command that does not exist.
const NOT_STARTED: u8 = 127;

/// A command that ended.
pub struct CommandCapture {
    /// Exit code for the program: that of the command.
    pub code: u8,
    /// Result of the capture. `None` if the command passed. A failed capture does not change the exit code.
    pub captured: Option<Result<CaptureResult, IncidentError>>,
}

/// Runs the command of a request, for at most `timeout` milliseconds, and captures it if it fails. Its output is
/// shown as it arrives, byte for byte, and the end of it is kept.
///
/// # Errors
/// Fails if the output of the command cannot be read.
pub fn command(
    context: &Context,
    incidents: IncidentContext<'_>,
    (request, timeout): (CaptureRequest, Option<u64>),
    show: Live,
    cancellation: &Cancellation,
) -> Result<CommandCapture, EngineError> {
    let most = usize::try_from(log_limit(request.log_bytes)).unwrap_or(limit::INCIDENT_LOG_BYTES);
    let tail = Arc::new(Mutex::new(Tail::new(most)));
    let command = AgentCommand {
        argv: &request.command,
        directory: &context.directory,
        environment: context.environment.iter().cloned().collect::<BTreeMap<_, _>>(),
        input: &[],
        marker: &context.new_execution()?,
        turn: 1,
        timeout_ms: timeout.unwrap_or(limit::ACTION_DEADLINE_MS_MAX),
        grace_ms: limit::GRACE_MS,
    };
    let kept = Arc::clone(&tail);
    let tap = Box::new(move |stream, bytes: &[u8]| {
        show(stream, bytes);
        kept.lock().unwrap_or_else(PoisonError::into_inner).add(bytes);
    });
    let end = agent_process::run_agent(&command, &context.for_exec()?, cancellation, tap);
    let ending = end.map_err(|error| EngineError::internal(error.to_string()))?.ending;
    let log = std::mem::replace(&mut *tail.lock().unwrap_or_else(PoisonError::into_inner), Tail::new(0)).finish();
    let code = code(&ending);
    let captured = match ending {
        Ending::Exited { code: 0 } => None,
        Ending::Interrupted { .. } => Some(Ok(CaptureResult::Skipped("run_interrupted".to_owned()))),
        _ => {
            let mut request = CaptureRequest {
                outcome: outcome(&ending),
                ended: ended(&ending),
                log: (!log.is_empty()).then(|| CapturedFile { path: "the command's output".to_owned(), bytes: log }),
                ..request
            };
            request.facts.insert("returncode".to_owned(), json!(code));
            request.facts.insert("reason".to_owned(), json!(request.ended));
            Some(super::capture(incidents, &request))
        }
    };
    Ok(CommandCapture { code, captured })
}

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

/// Returns the outcome that the end of a command determines by itself. `None` if it only determines that it failed.
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
        Ending::DeadlineExceeded { timeout_ms, .. } => format!("the command took more than {timeout_ms} ms"),
        Ending::CouldNotStart { message, .. } => format!("the command could not be started: {message}"),
        Ending::OutputLimitExceeded { limit_bytes } => format!("the command printed more than {limit_bytes} bytes"),
        Ending::ProcessLimitExceeded { limit } => format!("the command ran more than {limit} processes at once"),
        Ending::MemoryLimitExceeded { limit_bytes } => {
            format!("the command took more than {limit_bytes} bytes of memory")
        }
    }
}
