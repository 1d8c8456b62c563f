//! A failure becomes an incident: from a report, from a log, from a command that failed.
//!
//! `failure` says what failed, `bundle` what is kept of it, `keeping` whether it is a new incident or one that is there.

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
mod explanation;
mod failure;
mod occurrence;
mod sealed_run;
mod source;
mod tail;

pub use self::command::{CommandCapture, command};
pub use self::explanation::explain;
use self::sealed_run::{of_answer, of_directory};
pub use self::source::{CaptureSource, automatic, capture_from, sealed_directory};

/// Why nothing is captured of a run that passed.
const PASSED: &str = "run_passed";

/// What is to be captured.
#[derive(Debug, Clone, Default)]
pub struct CaptureRequest {
    /// The id that it is to have. None: one is made.
    pub id: Option<IncidentId>,
    /// Whether an incident of this id is written anew. When it was captured stays.
    pub force: bool,
    /// The run that failed.
    pub run_id: String,
    /// What failed. Where a report says it, the report is right.
    pub step: String,
    /// The class, where nothing can be computed. None: `unknown`.
    pub failure_class: Option<String>,
    /// What is wrong. None: it is told from the evidence.
    pub message: Option<String>,
    /// The year that it is about.
    pub year: Option<i32>,
    /// The month that it is about.
    pub month: Option<i64>,
    /// The log. Its end is kept.
    pub log: Option<CapturedFile>,
    /// Bytes of the log that are kept. None: as many as is usual. 0: as many as a file of an incident may have.
    pub log_bytes: Option<usize>,
    /// The audit log. Its last lines are kept.
    pub audit: Option<CapturedFile>,
    /// Lines of the audit log that are kept. None: as many as is usual. 0: all that fit.
    pub audit_lines: Option<usize>,
    /// The context, as it was read.
    pub context: Option<CapturedFile>,
    /// More context: an object, or anything else under `inline_context`.
    pub inline_context: Option<String>,
    /// What is added to the context by the caller, where nobody else says it.
    pub facts: BTreeMap<String, Value>,
    /// A sealed report that failed, as it lies in evidence. What is judged in it goes before the log.
    pub report: Option<CapturedFile>,
    /// The command that failed, as it was started.
    pub command: Vec<String>,
    /// How the command came out: a deadline, or that it did not work. None: it failed, or there was none.
    pub outcome: Option<Outcome>,
    /// How the command ended, in a sentence.
    pub ended: String,
    /// The program that captures, for the context.
    pub script: String,
    /// What failed in the sealed run that it is captured from, as command lines. From anything that is no sealed run: nothing.
    pub red: Vec<String>,
    /// Where it was not asked for: what tells whether it is wanted.
    pub automatic: Option<Automatic>,
}

/// What tells whether a capture is wanted that nobody asked for.
#[derive(Debug, Clone, Default)]
pub struct Automatic {
    /// Where the run was made, and where its evidence lies.
    pub paths: Vec<String>,
    /// Whether a test runner says that the run is one of its tests.
    pub in_a_test: bool,
}

/// Returns how many bytes of a log have to be read where so many are to be kept. None: as many as is usual. 0: all.
pub fn log_limit(kept: Option<usize>) -> u64 {
    let kept = match kept {
        None => limit::INCIDENT_LOG_BYTES as u64,
        Some(0) => limit::INCIDENT_FILE_BYTES,
        Some(bytes) => (bytes as u64).min(limit::INCIDENT_FILE_BYTES),
    };
    kept + limit::INCIDENT_LOG_MARGIN_BYTES as u64
}

/// Bytes, and where they are from.
#[derive(Debug, Clone, Default)]
pub struct CapturedFile {
    /// Where they are from, as it is written down.
    pub path: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What became of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureResult {
    /// A new incident.
    New(IncidentId),
    /// It is one that is open already: it has another occurrence.
    Occurrence(IncidentId),
    /// That very run was captured before, as this one: nothing was added.
    Known(IncidentId),
    /// A new incident, a regression of one that was resolved.
    Regression {
        /// The new one.
        id: IncidentId,
        /// The one that was resolved.
        of: IncidentId,
    },
    /// Nothing was captured, and why: a word such as `test_artifact_run`.
    Skipped(String),
}

impl CaptureResult {
    /// Returns the incident that the failure is. None: it is none.
    pub fn id(&self) -> Option<&IncidentId> {
        match self {
            Self::New(id) | Self::Occurrence(id) | Self::Known(id) | Self::Regression { id, .. } => Some(id),
            Self::Skipped(_) => None,
        }
    }

    /// Returns it as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::New(id) => format!("captured as incident {id}"),
            Self::Occurrence(id) => format!("seen again: another occurrence of incident {id}"),
            Self::Known(id) => format!("this run was captured already, as incident {id}: nothing was added"),
            Self::Regression { id, of } => format!("captured as incident {id}, a regression of {of}"),
            Self::Skipped(word) => match Skip::ALL.into_iter().find(|skip| skip.as_str() == word) {
                Some(skip) => format!("not captured ({word}): {}", skip.meaning()),
                None => format!("not captured ({word}): nothing failed"),
            },
        }
    }
}

/// Captures a failure.
///
/// # Errors
/// Fails where there is an incident of the id already, where what was given is wrong, and where it cannot be kept.
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
    // From looking for one to writing it nobody else captures here.
    let _turn = context.incidents.capture_turn()?;
    let captured = occurrence::keep(context, request, failure, files, at)?;
    keep_red(context, request, &captured)?;
    Ok(captured)
}

/// Keeps what failed for an incident, so that it may show that the incident is over: what was never red is not turned green. Once
/// somebody works at it, nothing is added by a capture: whoever works at it may have broken something else.
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

/// A command that was started and failed, as plans have it. One with a secret in it is in no plan.
fn command_line(context: IncidentContext<'_>, command: &[String]) -> Option<String> {
    let is_whole = command.iter().all(|word| context.clean(word) == *word);
    (is_whole && !command.is_empty()).then(|| Invocation::Argv(command.to_vec()).as_line())
}
