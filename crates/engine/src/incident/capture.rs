//! Captures a failure as an incident: from a report, from a log, or from a command that failed.
//!
//! `failure` says what failed, `bundle` which files are kept, `occurrence` whether the incident is new or a known one.

use std::collections::BTreeMap;

use referee_judge::incident::automatic::{self, FailedRun, Skip};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::plan::Invocation;
use serde_json::Value;

use super::{IncidentContext, IncidentError};

mod bundle;
mod command;
mod failure;
mod occurrence;
mod sealed_run;
mod source;
mod tail;

pub use self::command::{CommandCapture, command};
pub use self::occurrence::explain;
use self::sealed_run::{of_answer, of_directory};
pub use self::source::{CaptureSource, automatic, capture_from, sealed_directory};

/// Reason why nothing is captured of a run that passed.
const PASSED: &str = "run_passed";

/// A requested capture.
#[derive(Debug, Clone, Default)]
pub struct CaptureRequest {
    /// Id of the incident. `None`: one is generated.
    pub id: Option<IncidentId>,
    /// Whether an incident of this id is overwritten. Its time of capture is kept.
    pub force: bool,
    /// Id of the failed run.
    pub run_id: String,
    /// The failed step. A report takes precedence.
    pub step: String,
    /// Failure class to use if none can be computed. `None`: `unknown`.
    pub failure_class: Option<String>,
    /// Error message. `None`: it is derived from the evidence.
    pub message: Option<String>,
    /// Year that the failure is about.
    pub year: Option<i32>,
    /// Month that the failure is about.
    pub month: Option<i64>,
    /// The log, whose end is kept.
    pub log: Option<CapturedFile>,
    /// Bytes of the log that are kept. `None`: the default. 0: the maximum size of an incident's file.
    pub log_bytes: Option<usize>,
    /// The audit log, whose last lines are kept.
    pub audit: Option<CapturedFile>,
    /// Lines of the audit log that are kept. `None`: the default. 0: all that fit.
    pub audit_lines: Option<usize>,
    /// The context file, as read.
    pub context: Option<CapturedFile>,
    /// Additional context: a JSON object; anything else is stored under `inline_context`.
    pub inline_context: Option<String>,
    /// Context entries from the caller, used if no other source has them.
    pub facts: BTreeMap<String, Value>,
    /// The sealed report of the failed run, as in the evidence. Its judgements take precedence over the log.
    pub report: Option<CapturedFile>,
    /// The command that failed, as started.
    pub command: Vec<String>,
    /// Outcome of the command, if known: a timeout or an execution error. `None`: it failed, or there was none.
    pub outcome: Option<Outcome>,
    /// How the command ended, in a sentence.
    pub ended: String,
    /// Name of the capturing program, for the context.
    pub script: String,
    /// Failed steps of the sealed run that is captured, as command lines. Empty if the source is not a sealed run.
    pub red: Vec<String>,
    /// For an automatic capture: what decides whether it is wanted. `None`: it was requested.
    pub automatic: Option<Automatic>,
}

/// What decides whether an automatic capture is wanted.
#[derive(Debug, Clone, Default)]
pub struct Automatic {
    /// Paths of the workspace and of the evidence of the run.
    pub paths: Vec<String>,
    /// Whether a test runner reports the run as one of its tests.
    pub in_a_test: bool,
}

/// Returns the number of bytes of a log to read in order to keep `kept` bytes. `None`: the default.
/// 0: the maximum size of an incident's file.
pub fn log_limit(kept: Option<usize>) -> u64 {
    let kept = match kept {
        None => limit::INCIDENT_LOG_BYTES as u64,
        Some(0) => limit::INCIDENT_FILE_BYTES,
        Some(bytes) => (bytes as u64).min(limit::INCIDENT_FILE_BYTES),
    };
    kept + limit::INCIDENT_LOG_MARGIN_BYTES as u64
}

/// Content of a file, and its origin.
#[derive(Debug, Clone, Default)]
pub struct CapturedFile {
    /// Path of the file, as recorded.
    pub path: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

/// The result of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureResult {
    /// A new incident.
    New(IncidentId),
    /// Another occurrence of an open incident.
    Occurrence(IncidentId),
    /// The same run was already captured as this incident: nothing was added.
    Known(IncidentId),
    /// A new incident that is a regression of a resolved one.
    Regression {
        /// The new incident.
        id: IncidentId,
        /// The resolved incident.
        of: IncidentId,
    },
    /// Nothing was captured, with the reason as a word such as `test_artifact_run`.
    Skipped(String),
}

impl CaptureResult {
    /// Returns the incident of the failure. `None` if nothing was captured.
    pub fn id(&self) -> Option<&IncidentId> {
        match self {
            Self::New(id) | Self::Occurrence(id) | Self::Known(id) | Self::Regression { id, .. } => Some(id),
            Self::Skipped(_) => None,
        }
    }

    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::New(id) => format!("captured as incident {id}"),
            Self::Occurrence(id) => format!("seen again: another occurrence of incident {id}"),
            Self::Known(id) => format!("this run was captured already, as incident {id}: nothing was added"),
            Self::Regression { id, of } => format!("captured as incident {id}, a regression of {of}"),
            Self::Skipped(word) => match Skip::parse(word) {
                Some(skip) => format!("not captured ({word}): {}", skip.meaning()),
                None => format!("not captured ({word}): nothing failed"),
            },
        }
    }
}

/// Captures a failure.
///
/// # Errors
/// Fails if an incident of the id exists already, if the request is invalid, or if the incident cannot be stored.
pub fn capture(context: IncidentContext<'_>, request: &CaptureRequest) -> Result<CaptureResult, IncidentError> {
    let at = context.now();
    let Some(failure) = failure::of(request, context.redactor)? else {
        return Ok(CaptureResult::Skipped(PASSED.to_owned()));
    };
    if let Some(automatic) = &request.automatic {
        let run = FailedRun {
            paths: &automatic.paths,
            in_a_test: automatic.in_a_test,
            interrupted: failure.interrupted,
            held: failure.held,
            class: failure.class,
            log: &failure.log,
        };
        if let Some(skip) = automatic::skipped(&run) {
            return Ok(CaptureResult::Skipped(skip.as_str().to_owned()));
        }
    }
    let files = bundle::files(request, &failure, at, context.redactor)?;
    // No other process captures here between lookup and write.
    let _turn = context.incidents.capture_turn()?;
    let captured = occurrence::keep(context, request, failure, files, at)?;
    keep_red(context, request, &captured)?;
    Ok(captured)
}

/// Stores what failed with an incident, as proof for its resolution: only a check that was red can turn green.
/// Once work on the incident has begun, a capture adds nothing: the work itself may have broken something else.
fn keep_red(
    context: IncidentContext<'_>,
    request: &CaptureRequest,
    captured: &CaptureResult,
) -> Result<(), IncidentError> {
    let Some(id) = captured.id() else { return Ok(()) };
    let is_fresh = matches!(captured, CaptureResult::New(_) | CaptureResult::Regression { .. });
    if !is_fresh && context.find(id)?.incident.status != IncidentStatus::New {
        return Ok(());
    }
    context.change_redness(id, |redness| {
        if is_fresh {
            redness.forget();
        }
        redness.add(&request.red);
        redness.add(&command_line(context, &request.command));
    })
}

/// Returns the command that failed as plans write it. `None` if it contains a secret, which no plan may.
fn command_line(context: IncidentContext<'_>, command: &[String]) -> Option<String> {
    let is_whole = command.iter().all(|word| context.clean(word) == *word);
    (is_whole && !command.is_empty()).then(|| Invocation::Argv(command.to_vec()).as_line())
}
