//! Sealed runs that are missing from the debt register: it was lost, or the process that published them died
//! before writing it.

use std::collections::BTreeSet;

use referee_ledger::evidence::Evidence;
use referee_ledger::{SealedRun, Store, verify};
use referee_model::debt::{ChangedBy, RegisteredDebt};
use referee_model::evidence_name;
use referee_model::id::TaskId;
use referee_model::report::Report;
use serde_json::Value;

use super::Book;
use crate::replay;

/// Maximum number of runs, the latest ones, that a register is rebuilt from. Each is judged again while the
/// current run waits.
const RUNS_MADE_ANEW: usize = 100;

impl Book<'_> {
    /// Adds the sealed runs of the tasks that the register does not have. Failures become notes: they are no
    /// reason to give no verdict.
    pub(super) fn catch_up(&mut self, store: &Store) {
        for task in self.tasks(store) {
            if let Err(reason) = self.catch_up_with(store, &task) {
                self.notes.push(format!("the register of debt lacks the last run of {task}: {reason}"));
            }
        }
    }

    fn tasks(&mut self, store: &Store) -> Vec<TaskId> {
        store.tasks().unwrap_or_else(|error| {
            self.notes.push(format!("the register of debt could not be brought up to date: {error}"));
            Vec::new()
        })
    }

    fn catch_up_with(&mut self, store: &Store, task: &TaskId) -> Result<(), String> {
        let Some(directory) = store.sealed(task) else { return Ok(()) };
        let evidence = Evidence::open(&directory).map_err(|error| error.to_string())?;
        // A run that kept no debt has no such file.
        let Ok(bytes) = evidence.read(evidence_name::TECHNICAL_DEBT) else { return Ok(()) };
        // An unreadable file was changed after sealing, which is detected below.
        let found = serde_json::from_slice::<Value>(&bytes).ok();
        if found.is_some_and(|found| self.has(&found) == Some(true)) {
            return Ok(());
        }
        if let Some(run) = store.chain(task).map_err(|error| error.to_string())?.pop()
            && let Some(report) = sealed_report(&run)?
        {
            self.add(&report);
        }
        Ok(())
    }

    /// Whether the register has the findings of a run. It is written in one step, so it has all of them or none.
    /// `None` if that cannot be determined.
    fn has(&self, found: &Value) -> Option<bool> {
        let run = found["testExecutionId"].as_str()?;
        let item = |id: &str| self.items.iter().find(|item| item.item.id.as_str() == id);
        let is_seen = |id: &str| item(id).is_some_and(|item| item.last_seen.execution.as_str() == run);
        let is_resolved = |id: &str| item(id).is_some_and(|item| is_changed_by(item, run));
        let ids = |list: &'static str| found[list].as_array();
        let seen = ids("debtItems")?.iter().all(|each| each["debtId"].as_str().is_some_and(is_seen));
        let resolved = ids("resolvedItems")?.iter().all(|each| each.as_str().is_some_and(is_resolved));
        Some(seen && resolved)
    }

    /// Rebuilds the register from all sealed runs that are available. Decisions by people that no later run was
    /// sealed with are lost.
    pub(super) fn make_anew(&mut self, store: &Store, why: &str) {
        let mut runs = Vec::new();
        let mut unusable = BTreeSet::new();
        for task in self.tasks(store) {
            match store.chain(&task) {
                Ok(chain) => runs.extend(chain),
                Err(error) => drop(unusable.insert(format!("the register of debt lacks the runs of {task}: {error}"))),
            }
        }
        runs.sort_by(|one, other| (one.sealed_at, &one.execution).cmp(&(other.sealed_at, &other.execution)));
        let left_out = runs.len().saturating_sub(RUNS_MADE_ANEW);
        let mut added = 0_usize;
        for run in &runs[left_out..] {
            match sealed_report(run) {
                Ok(Some(report)) => {
                    self.add(&report);
                    added += 1;
                }
                Ok(None) => {}
                Err(reason) => drop(unusable.insert(format!("the register of debt lacks {}: {reason}", run.execution))),
            }
        }
        // A register without items counts as well: without it every run would judge all earlier ones again.
        self.changed |= !runs.is_empty() && unusable.is_empty();
        if !self.items.is_empty() || !unusable.is_empty() {
            let earlier = if left_out > 0 { format!(", and not from {left_out} earlier ones") } else { String::new() };
            self.notes.push(format!("{why}: it was made again from {added} sealed runs{earlier}"));
        }
        self.notes.extend(unusable);
    }
}

fn is_changed_by(item: &RegisteredDebt, run: &str) -> bool {
    item.history.iter().any(|change| matches!(&change.by, ChangedBy::Run(by) if by.as_str() == run))
}

/// Judges a sealed run again. Returns `None` if it was sealed without debt, by its specification or by an earlier
/// Referee.
fn sealed_report(run: &SealedRun) -> Result<Option<Report>, String> {
    let evidence = Evidence::open(&run.directory).map_err(|error| error.to_string())?;
    let names = evidence.names().map_err(|error| error.to_string())?;
    if !names.iter().any(|name| name == evidence_name::DEBT_STANDING) {
        return Ok(None);
    }
    let integrity = verify::integrity(&run.directory).map_err(|error| error.to_string())?;
    if !integrity.findings.is_empty() {
        return Err("its evidence does not match its seal".to_owned());
    }
    let report = replay::replay(&evidence).map_err(|failure| failure.to_string())?.report;
    Ok(Some(report))
}
