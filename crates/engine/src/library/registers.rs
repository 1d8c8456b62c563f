//! Pages of the registers of debt and of diagnostics.

use std::path::Path;

use referee_judge::diagnostics::{self, Since};
use referee_ledger::LedgerError;
use referee_ledger::register::{Register, Registers};
use referee_model::debt::{DebtStatus, Destination, RegisteredDebt};
use referee_model::debt_register::{self, DebtListDocument, RegisterDocument};
use referee_model::diagnostic_log::{DiagnosticSource, RegisteredDiagnostic};
use referee_model::diagnostic_register::{self, ListDocument, Listing};
use referee_model::document::DocumentError;
use referee_model::id::{DebtId, ExecutionId, TaskId};
use referee_model::limit;
use referee_model::reading::Level;
use referee_model::severity::Severity;

use super::LibraryError;
use crate::debt::BookError;

/// An error of reading a register.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The content is not a valid register.
    #[error("the register of {0} is corrupt ({1}): the next run moves it aside and creates a new one")]
    Junk(&'static str, DocumentError),
    /// The file cannot be read.
    #[error("cannot read the register of {0}: {1}")]
    Unreadable(&'static str, LedgerError),
}

/// Filter for items of debt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebtQuery {
    /// Task of the items. `None`: all tasks.
    pub task: Option<TaskId>,
    /// Status of the items. `None`: all.
    pub status: Option<DebtStatus>,
    /// Severity of the items. `None`: all.
    pub severity: Option<Severity>,
    /// Destination of the items. `None`: all.
    pub destination: Option<Destination>,
    /// Only items after this one.
    pub after: Option<DebtId>,
    /// Maximum number of items. 0: the page size.
    pub limit: usize,
}

/// Start of the listed diagnostics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DiagnosticSince {
    /// All diagnostics.
    #[default]
    Beginning,
    /// Diagnostics that the latest run of their task was the first to show, or cleared.
    LatestRun,
    /// Diagnostics that a run after this one was the first to show, or cleared.
    After(ExecutionId),
}

/// Filter for diagnostics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticQuery {
    /// Task of the diagnostics. `None`: all tasks.
    pub task: Option<TaskId>,
    /// Level of the diagnostics. `None`: all.
    pub severity: Option<Level>,
    /// Source of the diagnostics. `None`: all.
    pub source: Option<DiagnosticSource>,
    /// Only diagnostics that were first seen, or cleared, since then.
    pub since: DiagnosticSince,
    /// Maximum number of diagnostics. 0: the page size.
    pub limit: usize,
}

pub(super) fn debt(root: &Path, query: &DebtQuery) -> Result<DebtListDocument, LibraryError> {
    let register = read_debt(root)?;
    let registered = register.is_some();
    let register = register.unwrap_or_default();
    let is_asked_for = |debt: &&RegisteredDebt| {
        query.task.as_ref().is_none_or(|task| *task == debt.task)
            && query.status.is_none_or(|status| status == debt.item.status)
            && query.severity.is_none_or(|severity| severity == debt.item.case.severity)
            && query.destination.is_none_or(|destination| destination == debt.item.routing.destination)
    };
    let mut matching: Vec<&RegisteredDebt> = register.iter().filter(is_asked_for).collect();
    matching.sort_by_key(|debt| &debt.item.id);
    let rest = matching.partition_point(|debt| query.after.as_ref().is_some_and(|after| debt.item.id <= *after));
    let rest = matching.get(rest..).unwrap_or_default();
    Ok(debt_register::list(registered, matching.len(), rest, page(query.limit)))
}

pub(super) fn debt_item(root: &Path, id: &DebtId) -> Result<RegisterDocument, LibraryError> {
    let register = read_debt(root)?.unwrap_or_default();
    let found: Vec<RegisteredDebt> = register.into_iter().filter(|debt| debt.item.id == *id).collect();
    if found.is_empty() {
        return Err(LibraryError::Unknown(format!("debt item not found: {id}")));
    }
    Ok(debt_register::document(&found))
}

pub(super) fn diagnostics(root: &Path, query: &DiagnosticQuery) -> Result<ListDocument, LibraryError> {
    const NAME: &str = "diagnostics";
    let bytes = Registers::look(root, Register::Diagnostics).map_err(|error| RegisterError::Unreadable(NAME, error))?;
    let is_registered = bytes.is_some();
    let register = bytes.map(|bytes| diagnostic_register::read(&bytes)).transpose();
    let register = register.map_err(|error| RegisterError::Junk(NAME, error))?.unwrap_or_default();
    let (since, run) = match &query.since {
        DiagnosticSince::Beginning => (Since::Beginning, None),
        DiagnosticSince::LatestRun => (Since::LatestRun, None),
        DiagnosticSince::After(run) => (Since::After(run), Some(run)),
    };
    let mut view = diagnostics::view(&register, query.task.as_ref(), since)
        .ok_or_else(|| LibraryError::Unknown("the register does not know the run under `since`".to_owned()))?;
    let is_asked_for = |known: &&RegisteredDiagnostic| {
        query.severity.is_none_or(|severity| severity == known.entry.severity)
            && query.source.is_none_or(|source| source == known.entry.source)
    };
    view.standing.retain(is_asked_for);
    view.cleared.retain(is_asked_for);
    Ok(diagnostic_register::list(&Listing {
        is_registered,
        latest: &view.latest,
        since: run,
        standing: &view.standing,
        cleared: &view.cleared,
        top: page(query.limit),
    }))
}

fn read_debt(root: &Path) -> Result<Option<Vec<RegisteredDebt>>, RegisterError> {
    const NAME: &str = "debt";
    crate::debt::read(root).map_err(|error| match error {
        BookError::Ledger(error) => RegisterError::Unreadable(NAME, error),
        BookError::Document(error) => RegisterError::Junk(NAME, error),
    })
}

fn page(limit: usize) -> usize {
    match limit {
        0 => limit::REGISTER_LISTED,
        limit => limit.min(limit::REGISTER_LISTED_MAX),
    }
}
