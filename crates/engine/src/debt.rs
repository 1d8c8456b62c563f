//! The register of technical debt across runs. Its state is stored in the evidence of a run before the run is
//! judged, and the findings of the run are added to the register after the run is published.
//!
//! A register is derived from sealed runs and people's decisions, and never affects a verdict. An unreadable
//! register is therefore set aside and rebuilt, and one that cannot be written is brought up to date by the next
//! run.

use std::path::Path;

use referee_judge::debt;
use referee_ledger::register::{Register, Registers};
use referee_ledger::{LedgerError, Store};
use referee_model::debt::{DebtStanding, RegisteredDebt};
use referee_model::diagnostic_log::Sighting;
use referee_model::id::{DebtId, TaskId};
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::report::Report;
use referee_model::time::Timestamp;

use crate::error::EngineError;

mod missing_runs;

/// The register, locked for as long as the registers are.
#[derive(Debug)]
pub struct Book<'held> {
    registers: &'held Registers,
    items: Vec<RegisteredDebt>,
    notes: Vec<String>,
    /// Whether the items differ from those on disk.
    changed: bool,
}

/// Error that keeps the register from being read.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The file is not a register.
    #[error(transparent)]
    Document(#[from] referee_model::document::DocumentError),
}

/// Reads the register below an evidence root, without changing anything. `None`: there is no register yet.
///
/// # Errors
/// Fails if the register cannot be read.
pub fn read(root: &Path) -> Result<Option<Vec<RegisteredDebt>>, BookError> {
    let bytes = Registers::look(root, Register::TechnicalDebt)?;
    Ok(bytes.map(|bytes| referee_model::debt_register::read(&bytes)).transpose()?)
}

impl<'held> Book<'held> {
    /// Opens the register and brings it up to date: adds sealed runs that it does not contain yet, and rebuilds
    /// a missing or unreadable register from all sealed runs.
    ///
    /// # Errors
    /// Fails if an unreadable register cannot be set aside.
    pub fn open(store: &Store, registers: &'held Registers) -> Result<Self, EngineError> {
        let mut book = Self { registers, items: Vec::new(), notes: Vec::new(), changed: false };
        let read = registers.read(Register::TechnicalDebt).map_err(BookError::from).and_then(|bytes| {
            bytes.map(|bytes| referee_model::debt_register::read(&bytes).map_err(BookError::from)).transpose()
        });
        match read {
            Ok(Some(items)) => {
                book.items = items;
                book.catch_up(store);
            }
            Ok(None) => book.make_anew(store, "there was no register of debt"),
            Err(error) => {
                let aside = registers.set_aside(Register::TechnicalDebt)?;
                let reason =
                    format!("the register of debt could not be read ({error}) and was moved to {}", aside.display());
                book.notes.push(reason);
                book.make_anew(store, "the register of debt was lost");
            }
        }
        Ok(book)
    }

    /// Returns all items.
    pub fn items(&self) -> &[RegisteredDebt] {
        &self.items
    }

    /// Returns the item with this id, mutably.
    pub fn item_mut(&mut self, id: &DebtId) -> Option<&mut RegisteredDebt> {
        let item = self.items.iter_mut().find(|item| item.item.id == *id)?;
        self.changed = true;
        Some(item)
    }

    /// Returns the id of the next sprint task: one higher than all of `tasks` and all sprint tasks of items.
    pub fn next_sprint_task(&self, tasks: &[TaskId]) -> Option<TaskId> {
        let of_items = self.items.iter().filter_map(|item| item.item.routing.sprint_task.as_ref());
        let numbers = tasks.iter().chain(of_items).filter_map(|task| task.as_str().strip_prefix('T')?.parse().ok());
        let last: u32 = numbers.filter(|number| *number <= limit::DEBT_NUMBER_MAX).max().unwrap_or(0);
        TaskId::parse(format!("T{:03}", last + 1)).ok()
    }

    /// Returns notes about the register, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the state of the register that a run of this task needs.
    pub(crate) fn standing(&self, plan: &Plan, tasks: &[TaskId], ended: Timestamp) -> DebtStanding {
        debt::standing(&self.items, plan, tasks, ended)
    }

    /// Adds the findings of a published run, if there is one, writes the register, and returns its notes. The
    /// run is already sealed, so a failed write costs no verdict: the next run adds what is missing.
    pub(crate) fn close(&mut self, published: Option<&Report>) -> Vec<String> {
        if let Some(report) = published {
            self.add(report);
        }
        if let Err(failure) = self.save() {
            let note =
                format!("the register of debt could not be written ({failure}); the next run adds what is missing");
            self.notes.push(note);
        }
        std::mem::take(&mut self.notes)
    }

    /// Writes the register if it differs from the one on disk.
    ///
    /// # Errors
    /// Fails if the register cannot be written.
    pub fn save(&mut self) -> Result<(), EngineError> {
        if self.changed {
            let document = referee_model::debt_register::document(&self.items);
            let bytes = referee_model::document::to_bytes(&document).map_err(EngineError::internal)?;
            self.registers.write(Register::TechnicalDebt, &bytes)?;
            self.changed = false;
        }
        Ok(())
    }

    fn add(&mut self, report: &Report) {
        if report.debt.items.is_empty() && report.debt.resolved.is_empty() {
            return;
        }
        let seen = Sighting { execution: report.run.execution.clone(), at: report.run.ended };
        debt::apply(&mut self.items, &report.plan.task, &report.debt, &seen);
        self.changed = true;
    }
}
