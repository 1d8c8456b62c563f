//! The gate: decides whether the work is done. The settings that a project was enrolled with apply to every
//! caller, whatever the command line or environment says: its held-out checks here, its trusted commit in
//! [`crate::protection_source::baseline`].

use std::path::{Path, PathBuf};

use referee_exec::signal::Cancellation;
use referee_ledger::{State, real_path};
use referee_model::enrolment::Enrolment;
use referee_model::gate::{Basis, GateAnswer};
use referee_model::suite::Suite;

use self::held_out::HeldOutChecks;
use crate::context::Context;
use crate::enrolment;
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::run::{GateOptions, RunBuilder};

mod gate_answer;
pub mod held_out;
mod refusal;
mod unanswered;
mod verdict_inputs;

pub use self::gate_answer::{Asking, GateResult, ask_about, of_run};
pub use self::refusal::Refusal;
pub use self::verdict_inputs::{VerdictInputs, hold};

/// A request to the gate.
#[derive(Clone, Copy)]
pub struct GateRequest<'request> {
    /// Environment and clock of the caller.
    pub context: &'request Context,
    /// The specification to decide about.
    pub suite: &'request Suite,
    /// How checks run, and the baseline of protected files.
    pub options: &'request GateOptions,
    /// Path of the held-out checks, which the agent never sees. `None`: those that the project is enrolled with.
    pub held_out: Option<&'request Path>,
    /// Whether the request already contains the enrolled settings, as they were when the gate was first asked.
    pub is_settled: bool,
    /// Whether a recorded verdict may be reused.
    pub reuse: bool,
    /// Time limit for the answer, in milliseconds. `None`: as long as the checks take.
    pub timeout: Option<u64>,
    /// Signals a request to stop.
    pub cancellation: &'request Cancellation,
}

/// Answers a gate request.
///
/// # Errors
/// Fails if there is no answer: the specification is wrong, evidence cannot be stored, or Referee itself failed.
/// None of these is a pass.
pub fn ask(request: &GateRequest<'_>, events: &mut dyn EventSink) -> Result<GateAnswer, EngineError> {
    let GateRequest { context, suite, options, timeout, .. } = *request;
    events.on_suite(suite);
    // The time limit starts here.
    let builder = RunBuilder::new(context, options, std::slice::from_ref(suite), request.cancellation)?;
    let state = builder.state();
    let (held_out, passed_over) = if request.is_settled {
        (request.held_out.map(Path::to_path_buf), Vec::new())
    } else {
        enrolled_held_out(context, request.held_out, suite, state)?
    };
    let removal = suite.tasks.first().and_then(|plan| enrolment::told_of_removal(state, &plan.workspace));
    if held_out.is_some() && options.fleet.is_some() {
        return Err(EngineError::usage(
            "held-out checks never leave this machine, and workers are to run the others: leave out --fleet".to_owned(),
        ));
    }
    let held_out = held_out.map(|place| HeldOutChecks::find(context, &place, suite, state)).transpose()?;
    let prepared = builder.prepare(suite, events)?;
    let run = prepared.request()?;
    let GateResult { mut answer, grounds } = ask_about(&run, Asking { reuse: request.reuse, timeout }, events)?;
    answer.notes.extend(passed_over.into_iter().chain(removal).chain(prepared.doubts()));
    if let Some(checks) = held_out {
        answer = hold(&run, &grounds, checks.add(context, &run, timeout, answer));
    }
    // This ticks boxes in files that may be inputs, so it comes after all comparisons of inputs.
    if answer.tasks.iter().any(|task| task.basis != Basis::Recorded) {
        prepared.record_status(events)?;
    }
    Ok(answer)
}

/// Returns the path of the held-out checks that the project is enrolled with, otherwise of those named; and
/// notes about ignored or noteworthy settings, one sentence each.
///
/// # Errors
/// Fails if a record exists and cannot be read, or if two records disagree.
pub fn enrolled_held_out(
    context: &Context,
    named: Option<&Path>,
    suite: &Suite,
    state: Option<&State>,
) -> Result<(Option<PathBuf>, Vec<String>), EngineError> {
    let Some(plan) = suite.tasks.first() else { return Ok((named.map(Path::to_path_buf), Vec::new())) };
    let mut enrolments = enrolment::everywhere(context, &plan.workspace, state)?;
    enrolments.retain(|enrolment| enrolment.project == plan.workspace);
    let mut notes: Vec<String> =
        other_specification(context, &plan.workspace.join(&suite.specification.file), &enrolments)
            .into_iter()
            .collect();
    let mut held_out: Vec<PathBuf> = enrolments.into_iter().filter_map(|enrolment| enrolment.held_out).collect();
    held_out.dedup();
    if held_out.len() > 1 {
        return Err(EngineError::specification(
            "two state directories have the project enrolled, with other held-out checks each: let a person enrol it again"
                .to_owned(),
        ));
    }
    let named = named.map(|named| context.directory.join(named));
    let Some(enrolled) = held_out.pop() else { return Ok((named, notes)) };
    if named.is_some_and(|named| named != enrolled && real_path(&named) != enrolled) {
        notes.push(
            "the held-out checks that were named are not those that this project is enrolled with, and were passed over"
                .to_owned(),
        );
    }
    Ok((Some(enrolled), notes))
}

/// Returns a note if the request is about another specification than the enrolled one.
fn other_specification(context: &Context, file: &Path, enrolments: &[Enrolment]) -> Option<String> {
    let file = real_path(file);
    let enrolled = enrolments.iter().find(|enrolment| real_path(&enrolment.specification) != file)?;
    Some(format!(
        "this answers for {}, and the project is enrolled with {}: hooks ask for that one",
        context.shown(&file).display(),
        context.shown(&enrolled.specification).display()
    ))
}

#[cfg(test)]
mod tests;
