//! The register of technical debt over runs: what it knows goes into the evidence of a run before the run is judged, and
//! what the run found goes into the register after the run is published.
//!
//! A register follows from sealed runs and from what people decided, and never bears on a verdict. So one that cannot be
//! read is set aside and made anew, and one that cannot be written is caught up by the next run.

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

/// The register, held alone as long as the registers are.
#[derive(Debug)]
pub struct Book<'held> {
    registers: &'held Registers,
    items: Vec<RegisteredDebt>,
    notes: Vec<String>,
    /// Whether the items are other than those on disk.
    changed: bool,
}

/// Why the register cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// It cannot be read from disk.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// It is no register.
    #[error(transparent)]
    Document(#[from] referee_model::document::DocumentError),
}

/// Reads the register below an evidence root, and changes nothing. None: there is none yet.
///
/// # Errors
/// Fails where it cannot be read.
pub fn read(root: &Path) -> Result<Option<Vec<RegisteredDebt>>, BookError> {
    let bytes = Registers::look(root, Register::TechnicalDebt)?;
    Ok(bytes.map(|bytes| referee_model::debt_register::read(&bytes)).transpose()?)
}

impl<'held> Book<'held> {
    /// Opens the register and brings it up to date: a sealed run that it does not have yet is added from its evidence,
    /// and a register that is missing or cannot be read is made anew from all sealed runs.
    ///
    /// # Errors
    /// Fails where what is no register cannot be moved out of the way.
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

    /// The items, as they stand now.
    pub fn items(&self) -> &[RegisteredDebt] {
        &self.items
    }

    /// The item of this id, to be changed.
    pub fn item_mut(&mut self, id: &DebtId) -> Option<&mut RegisteredDebt> {
        let item = self.items.iter_mut().find(|item| item.item.id == *id)?;
        self.changed = true;
        Some(item)
    }

    /// Returns the number of the next task of the sprint: after those of these tasks and of all items.
    pub fn next_sprint_task(&self, tasks: &[TaskId]) -> Option<TaskId> {
        let of_items = self.items.iter().filter_map(|item| item.item.routing.sprint_task.as_ref());
        let numbers = tasks.iter().chain(of_items).filter_map(|task| task.as_str().strip_prefix('T')?.parse().ok());
        let last: u32 = numbers.filter(|number| *number <= limit::DEBT_NUMBER_MAX).max().unwrap_or(0);
        TaskId::parse(format!("T{:03}", last + 1)).ok()
    }

    /// What is worth knowing of the register, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns what a run of this task must know of the register.
    pub(crate) fn standing(&self, plan: &Plan, tasks: &[TaskId], ended: Timestamp) -> DebtStanding {
        debt::standing(&self.items, plan, tasks, ended)
    }

    /// Adds what a published run found, where there is one, writes the register, and returns what is worth knowing. The
    /// run is sealed already, so a register that cannot be written costs no verdict: the next run adds what is missing.
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

    /// Writes the register, where it is other than on disk.
    ///
    /// # Errors
    /// Fails where it cannot be written.
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
