//! The register of diagnostics takes runs in, after they are published.
//!
//! It follows from sealed runs: nothing that goes wrong here changes a verdict, it is a note beside the answer.

use referee_judge::diagnostics;
use referee_ledger::Store;
use referee_ledger::evidence::Evidence;
use referee_ledger::register::{Register, Registers};
use referee_model::diagnostic_log::DiagnosticRegister;
use referee_model::diagnostic_register;
use referee_model::evidence_name;
use referee_model::id::TaskId;
use referee_model::report::Report;

use crate::error::EngineError;
use crate::replay;
use crate::request::Answer;

/// Takes in the sealed run that stands in a task's place, where the register does not know it: a crash after its
/// publication, or a register that was lost. To be called before another run takes that place. Returns what a person should
/// know.
pub(crate) fn catch_up(store: &Store, task: &TaskId) -> Vec<String> {
    let mut notes = Vec::new();
    if let Err(failure) = take_standing(store, task, &mut notes) {
        notes.push(format!("the run that stood before could not be taken into the register of diagnostics: {failure}"));
    }
    notes
}

/// Takes a published run in. One that was superseded is left alone: what stands in its place is newer.
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
    // Whoever was published meanwhile stands in this run's place, and takes itself in.
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
    // Nobody else may have been published while the register was waited for.
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

/// Reads the register. One that cannot be read is set aside, so that nothing in it is lost, and a new one begins.
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

/// The sealed run that stands in a task's place.
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
