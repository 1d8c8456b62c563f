//! Reads back a sealed run that can be relied on.

use std::path::Path;

use referee_ledger::evidence::Evidence;
use referee_ledger::{State, Store, verify};
use referee_model::evidence_name;
use referee_model::report::{JUDGE_VERSION, Report};
use referee_report::style;

use crate::error::{EngineError, ErrorKind};
use crate::replay;

/// A sealed run.
#[derive(Debug)]
pub struct Recorded {
    /// The report, judged again from the evidence. It equals the sealed report byte for byte, unless a note says
    /// otherwise.
    pub report: Report,
    /// Notes for a person, to read before relying on the run.
    pub notes: Vec<String>,
}

/// Reason why a directory of evidence cannot be relied on.
#[derive(Debug, thiserror::Error)]
pub enum Unreliable {
    /// The evidence does not match its seal, or was never sealed.
    #[error("the evidence does not match its seal: {}", .0.join("; "))]
    Tampered(Vec<String>),
    /// The evidence cannot be read.
    #[error(transparent)]
    Unreadable(#[from] EngineError),
}

impl Unreliable {
    /// Converts this into an error. `what` says what could not be done.
    pub fn problem(&self, what: &str) -> EngineError {
        let kind = match self {
            Self::Tampered(_) => ErrorKind::Evidence,
            Self::Unreadable(_) => ErrorKind::Internal,
        };
        EngineError::new(kind, style::plain(&format!("{what}: {self}")))
    }
}

/// Reads a sealed run: verifies every file against the seal, and the sealed report against the one that the
/// evidence yields.
///
/// # Errors
/// Fails if the directory does not match its seal, or if the report does not follow from the evidence.
pub fn open(directory: &Path, state: Option<&State>) -> Result<Recorded, Unreliable> {
    let integrity = verify::integrity(directory).map_err(EngineError::from)?;
    if integrity.seal.is_none() || !integrity.findings.is_empty() {
        return Err(Unreliable::Tampered(integrity.findings.iter().map(ToString::to_string).collect()));
    }
    let evidence = Evidence::open(directory).map_err(EngineError::from)?;
    let stored = evidence.read(evidence_name::EXECUTION_REPORT).map_err(EngineError::from)?;
    let sealed = referee_model::report::report_document::read(&stored).map_err(EngineError::internal)?;
    let replay = replay::replay(&evidence)?;
    let mut notes = Vec::new();
    if replay.derived.get(evidence_name::EXECUTION_REPORT) != Some(&stored) {
        if sealed.judge_version == JUDGE_VERSION {
            let reason = format!("{} is not what the evidence yields", evidence_name::EXECUTION_REPORT);
            return Err(Unreliable::Tampered(vec![reason]));
        }
        let version = &sealed.judge_version;
        notes.push(format!("sealed under judge {version}, and explained under {JUDGE_VERSION}: the two may differ"));
    }
    notes.extend(later_runs(directory, &replay.report, state)?);
    Ok(Recorded { report: replay.report, notes })
}

/// Returns a note if a later run was started and never sealed, so that this is an earlier state.
fn later_runs(directory: &Path, report: &Report, state: Option<&State>) -> Result<Option<String>, EngineError> {
    let task = &report.plan.task;
    let Some(store) = Store::around(directory, task, state)? else { return Ok(None) };
    let later = store.unfinished(task)?;
    Ok(later
        .first()
        .map(|run| format!("{} was started later and is not sealed: this is an earlier run", run.execution)))
}
