//! One question: may this be called done? What a project was enrolled with counts for whoever asks about it, whatever was typed
//! or stands in a variable: its held-out checks here, its commit in [`crate::protection_source::baseline`].

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
use crate::request::EventSink;
use crate::run::{GateOptions, RunBuilder};

mod gate_answer;
pub mod held_out;
mod unanswered;
mod verdict_inputs;

pub use self::gate_answer::{Asking, GateResult, ask_about};
pub use self::verdict_inputs::{VerdictInputs, hold};

/// What is asked.
#[derive(Clone, Copy)]
pub struct GateRequest<'request> {
    /// The world.
    pub context: &'request Context,
    /// The specification.
    pub suite: &'request Suite,
    /// How checks run, and what protected files are compared with.
    pub options: &'request GateOptions,
    /// Where checks lie that the agent never sees. None: as the project is enrolled.
    pub held_out: Option<&'request Path>,
    /// Whether what the project was enrolled with is in it, as it was when the first question was asked.
    pub is_settled: bool,
    /// Whether a recorded verdict may answer.
    pub reuse: bool,
    /// Milliseconds after which the answer must be there. None: as long as the checks take.
    pub timeout: Option<u64>,
    /// How it is told to stop.
    pub cancellation: &'request Cancellation,
}

/// Asks the gate.
///
/// # Errors
/// Fails where there is no answer: the specification is wrong, evidence cannot be kept, or Referee itself failed. None of these
/// is a pass.
pub fn ask(request: &GateRequest<'_>, events: &mut dyn EventSink) -> Result<GateAnswer, EngineError> {
    let GateRequest { context, suite, options, timeout, .. } = *request;
    events.on_suite(suite);
    // The time that there is for the answer begins here.
    let builder = RunBuilder::new(context, options, std::slice::from_ref(suite), request.cancellation)?;
    let state = builder.state();
    let (held_out, passed_over) = if request.is_settled {
        (request.held_out.map(Path::to_path_buf), Vec::new())
    } else {
        enrolled_held_out(context, request.held_out, suite, state)?
    };
    let removal = suite.tasks.first().and_then(|plan| enrolment::told_of_removal(state, &plan.workspace));
    let held_out = held_out.map(|place| HeldOutChecks::find(context, &place, suite, state)).transpose()?;
    let prepared = builder.prepare(suite, events)?;
    let run = prepared.request()?;
    let GateResult { mut answer, grounds } = ask_about(&run, Asking { reuse: request.reuse, timeout }, events)?;
    answer.notes.extend(passed_over.into_iter().chain(removal).chain(prepared.doubts()));
    if let Some(checks) = held_out {
        answer = hold(&run, &grounds, checks.add(context, &run, timeout, answer));
    }
    // It ticks boxes in files that may be inputs: nothing is held against these any more.
    if answer.tasks.iter().any(|task| task.basis == Basis::Ran) {
        prepared.record_status(events)?;
    }
    Ok(answer)
}

/// Returns where the held-out checks lie that the project is enrolled with, else those that are named; and what was passed over
/// or is worth knowing, a sentence each.
///
/// # Errors
/// Fails where a record is there and cannot be read, and where two records disagree.
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

/// Says that the question is about another specification than the project is enrolled with.
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
