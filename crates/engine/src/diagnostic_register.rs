//! Adds published runs to the register of diagnostics.
//!
//! The register is derived from sealed runs: a failure here changes no verdict, and becomes a note beside the answer.

use referee_judge::diagnostics;
use referee_ledger::Store;
use referee_ledger::evidence::Evidence;
use referee_ledger::register::{Register, Registers};
use referee_model::diagnostic_log::DiagnosticRegister;
use referee_model::id::TaskId;
use referee_model::report::Report;
use referee_model::{diagnostic_register, evidence_name};

use crate::error::EngineError;
use crate::replay;
use crate::request::Answer;

/// Adds the latest sealed run of a task if the register does not contain it: after a crash that followed its
/// publication, or after the register was lost. Call it before another run is published. Returns notes for a
/// person.
pub(crate) fn catch_up(store: &Store, task: &TaskId) -> Vec<String> {
    let mut notes = Vec::new();
    if let Err(failure) = take_standing(store, task, &mut notes) {
        notes.push(format!("the run that stood before could not be taken into the register of diagnostics: {failure}"));
    }
    notes
}

/// Adds a published run. A superseded run is skipped: the published one is newer.
pub(crate) fn apply(store: &Store, answer: &mut Answer) {
    if answer.superseded_by.is_some() {
        return;
    }
    let mut notes = Vec::new();
    if let Err(failure) = take(store, &answer.report, &mut notes) {
        notes.push(format!("the run could not be taken into the register of diagnostics: {failure}"));
    }
    answer.notes.extend(notes);
}

fn take(store: &Store, report: &Report, notes: &mut Vec<String>) -> Result<(), EngineError> {
    let registers = store.registers()?;
    // If another run was published meanwhile, it adds itself.
    if standing(store, &report.plan.task)?.is_none_or(|run| run.execution != report.run.execution) {
        return Ok(());
    }
    fold(&registers, report, notes)
}

fn take_standing(store: &Store, task: &TaskId, notes: &mut Vec<String>) -> Result<(), EngineError> {
    let Some(run) = standing(store, task)? else { return Ok(()) };
    let registers = store.registers()?;
    if read(&registers, notes)?.runs.iter().any(|known| known.execution == run.execution) {
        return Ok(());
    }
    // Another run may have been published while waiting for the register.
    match standing(store, task)? {
        Some(run) => fold(&registers, &replay::replay(&run.evidence)?.report, notes),
        None => Ok(()),
    }
}

fn fold(registers: &Registers, report: &Report, notes: &mut Vec<String>) -> Result<(), EngineError> {
    let mut register = read(registers, notes)?;
    if diagnostics::fold(&mut register, report) {
        let bytes = referee_model::document::to_bytes(&register).map_err(EngineError::internal)?;
        registers.write(Register::Diagnostics, &bytes)?;
    }
    Ok(())
}

/// Reads the register. An unreadable one is set aside, so that nothing is lost, and a new one is started.
fn read(registers: &Registers, notes: &mut Vec<String>) -> Result<DiagnosticRegister, EngineError> {
    let unreadable = match registers.read(Register::Diagnostics) {
        Ok(None) => return Ok(DiagnosticRegister::default()),
        Ok(Some(bytes)) => match diagnostic_register::read(&bytes) {
            Ok(register) => return Ok(register),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    let aside = registers.set_aside(Register::Diagnostics)?;
    notes.push(format!(
        "the register of diagnostics could not be read, and a new one begins; the old one is {}: {unreadable}",
        aside.display()
    ));
    Ok(DiagnosticRegister::default())
}

/// The latest sealed run of a task.
struct LatestRun {
    execution: referee_model::id::ExecutionId,
    evidence: Evidence,
}

fn standing(store: &Store, task: &TaskId) -> Result<Option<LatestRun>, EngineError> {
    let Some(directory) = store.sealed(task) else { return Ok(None) };
    let evidence = Evidence::open(&directory)?;
    let seal = referee_model::seal::read(&evidence.read(evidence_name::SEAL)?).map_err(EngineError::internal)?;
    Ok(Some(LatestRun { execution: seal.execution_id, evidence }))
}
