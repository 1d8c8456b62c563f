//! Captures from a run that Referee sealed: its report, and the end of the log of the first failure.

use std::path::Path;

use referee_ledger::evidence::Evidence;
use referee_ledger::{LedgerError, State};
use referee_model::plan::Phase;
use referee_model::record::http::HttpEnding;
use referee_model::record::{Facts, Log};
use referee_model::report::{ActionReport, Ran, Report};
use referee_model::{evidence_name, limit};

use super::{CaptureRequest, CapturedFile};
use crate::error::EngineError;
use crate::recorded::{self, Unreliable};
use crate::request::Answer;
use crate::tail::Tail;

/// Begins a capture from the sealed run in a directory, which is verified against its seal. `shown` is the name of
/// the directory in messages.
///
/// # Errors
/// Fails if the directory is not as it was sealed, or cannot be read.
pub(super) fn of_directory(directory: &Path, shown: &str, state: Option<&State>) -> Result<CaptureRequest, Unreliable> {
    let recorded = recorded::open(directory, state)?;
    let evidence = Evidence::open(directory).map_err(EngineError::from)?;
    let document = evidence.read(evidence_name::EXECUTION_REPORT).map_err(EngineError::from)?;
    Ok(begun(&recorded.report, document, &evidence, shown)?)
}

/// Begins a capture from a run that was sealed just now. `shown` is the name of its directory in messages.
///
/// # Errors
/// Fails if its evidence cannot be read.
pub(super) fn of_answer(answer: &Answer, shown: &str) -> Result<CaptureRequest, EngineError> {
    let evidence = Evidence::open(&answer.directory)?;
    begun(&answer.report, answer.document.clone(), &evidence, shown)
}

fn begun(report: &Report, document: Vec<u8>, evidence: &Evidence, shown: &str) -> Result<CaptureRequest, EngineError> {
    let log = match first_log(report) {
        Some(log) => Some(CapturedFile { path: format!("{shown}/{}", log.file), bytes: end(evidence, log)? }),
        None => None,
    };
    let path = format!("{shown}/{}", evidence_name::EXECUTION_REPORT);
    let red = red(report);
    Ok(CaptureRequest { report: Some(CapturedFile { path, bytes: document }), log, red, ..CaptureRequest::default() })
}

/// Returns the failed steps as command lines. If none failed, because something that they need did, returns those
/// that it kept from running.
fn red(report: &Report) -> Vec<String> {
    let blocks = |action: &&ActionReport| action.ran().is_some_and(|ran| ran.judgement.blocking);
    let steps = || report.actions.iter().filter(|action| action.action.phase == Phase::Step);
    let line = |action: &ActionReport| action.action.work.as_line();
    let failed: Vec<String> = steps().filter(blocks).map(line).collect();
    if failed.is_empty() && report.actions.iter().any(|action| blocks(&action)) {
        return steps().filter(|action| action.ran().is_none()).map(line).collect();
    }
    failed
}

/// Returns the log of the first action that blocks.
fn first_log(report: &Report) -> Option<&Log> {
    let first = report.verdict.blocking.first()?;
    let found = report.actions.iter().find(|found| &found.action.id == first)?;
    let Ran { record, .. } = found.ran()?;
    match &record.facts {
        Facts::Command(facts) => facts.log.as_ref(),
        Facts::Service(facts) => facts.log.as_ref().or_else(|| {
            let mut services = report.run.services.iter();
            let own = services.find(|service| service.action == record.action && service.attempt == record.attempt);
            own.and_then(|service| service.log.as_ref())
        }),
        Facts::Http(facts) => match &facts.ending {
            HttpEnding::Answered(answer) => answer.body.as_ref(),
            _ => None,
        },
        Facts::Interaction(facts) => facts.answer.as_ref(),
        Facts::File(_) | Facts::Glob(_) | Facts::NotExecuted => None,
    }
}

/// Returns the end of a log, with enough before it for redaction. The log itself can be far larger than memory.
fn end(evidence: &Evidence, log: &Log) -> Result<Vec<u8>, EngineError> {
    let file = evidence.log(log);
    file.check()?;
    let most = usize::try_from(limit::INCIDENT_FILE_BYTES).unwrap_or(usize::MAX / 2);
    let tail = file.whole().and_then(|whole| Tail::of(whole, most));
    tail.map_err(|source| {
        EngineError::from(LedgerError::Io { operation: "read", path: Path::new(&log.file).to_path_buf(), source })
    })
}
