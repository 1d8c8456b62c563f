//! The registers of debt and of diagnostics, a page at a time.

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

/// Why a register is not shown.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// It is no register.
    #[error("the register of {0} is corrupt ({1}): the next run moves it aside and creates a new one")]
    Junk(&'static str, DocumentError),
    /// It cannot be read from disk.
    #[error("cannot read the register of {0}: {1}")]
    Unreadable(&'static str, LedgerError),
}

/// Which items of debt are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebtQuery {
    /// Those of this task. None: of all.
    pub task: Option<TaskId>,
    /// Those that stand so. None: all.
    pub status: Option<DebtStatus>,
    /// Those that are so grave. None: all.
    pub severity: Option<Severity>,
    /// Those that went there. None: all.
    pub destination: Option<Destination>,
    /// Those after this one.
    pub after: Option<DebtId>,
    /// How many at most. 0: as many as a page has.
    pub limit: usize,
}

/// From when on diagnostics are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DiagnosticSince {
    /// All of them.
    #[default]
    Beginning,
    /// What the latest run of its task was the first to show, or cleared.
    LatestRun,
    /// What runs after this one were the first to show, or cleared.
    After(ExecutionId),
}

/// Which diagnostics are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticQuery {
    /// Those of this task. None: of all.
    pub task: Option<TaskId>,
    /// Those that are so bad. None: all.
    pub severity: Option<Level>,
    /// Those from there. None: all.
    pub source: Option<DiagnosticSource>,
    /// Only what was first seen, or cleared, from then on.
    pub since: DiagnosticSince,
    /// How many at most. 0: as many as a page has.
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
