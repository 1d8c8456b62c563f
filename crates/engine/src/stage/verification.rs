//! Runs the specification of a stage (ruling 28).

use referee_exec::Cancellation;
use referee_ledger::State;
use referee_model::exit_code;
use referee_model::stage::log::StageVerdict;
use referee_model::suite::Suite;
use referee_spec::{Options, SpecError};
use referee_syntax::count;

use super::Opened;
use super::outputs::Outputs;
use super::standing::{self, Verdict};
use super::verdict::{self, StageSpecification, VerdictRequest};
use crate::context::Context;
use crate::error::{EngineError, ErrorKind};
use crate::event_sink::EventSink;
use crate::gate::{self, Asking, GateResult};
use crate::run::{GateOptions, RunBuilder};

/// Note on why no lock need have a stage's specification.
const VOUCHED: &str =
    "the specification is the one that the run was composed with, as its log says: the baseline need not know it";

/// Runs the specification of a stage, if it names one. Anything that keeps it from running is no pass.
///
/// A recorded verdict is never reused: the checks look at the stage's outputs, which are no inputs of the
/// workspace. `cancellation` is called only when something begins to run: until then a signal ends the program.
///
/// # Errors
/// Fails if the options cannot be satisfied, if evidence cannot be stored, and on an internal error. None of these
/// is a pass either.
pub fn verify(
    context: &Context,
    options: &GateOptions,
    opened: &Opened,
    events: &mut dyn EventSink,
    cancellation: impl FnOnce() -> Result<Cancellation, EngineError>,
) -> Result<Verdict, EngineError> {
    let found = match verdict::asked(opened)? {
        VerdictRequest::Nothing => return Ok(Verdict::NotAsked),
        VerdictRequest::Blocked(verdict) => verdict,
        VerdictRequest::Specification(specification) => {
            match judged(context, options, &specification, events, &cancellation()?) {
                Ok(verdict) => verdict,
                Err(problem) if problem.kind == ErrorKind::Specification => verdict::blocked(&problem.message),
                Err(problem) => return Err(problem),
            }
        }
    };
    let redactor = context.redactor();
    Ok(Verdict::Known(StageVerdict { reason: redactor.text(&found.reason), ..found }))
}

/// Runs a specification.
///
/// # Errors
/// As [`verify`].
pub fn judged(
    context: &Context,
    options: &GateOptions,
    specification: &StageSpecification,
    events: &mut dyn EventSink,
    cancellation: &Cancellation,
) -> Result<StageVerdict, EngineError> {
    let suite = match loaded(specification) {
        Ok(suite) => suite,
        Err(why) => return Ok(verdict::blocked(&why)),
    };
    let builder = RunBuilder::new(context, options, std::slice::from_ref(&suite), cancellation)?.vouched(VOUCHED);
    let mut ready = builder.prepare(&suite, events)?;
    if let Some(why) = specification.differs(&ready.suite) {
        return Ok(verdict::blocked(&why));
    }
    ready.suite = specification.placed(ready.suite);
    let run = ready.request()?;
    events.on_suite(&suite);
    let asking = Asking { reuse: false, timeout: None };
    let GateResult { answer, grounds } = gate::ask_about(&run, asking, events)?;
    // The inputs recorded for the pass must be those that it was reached on, so they are compared once more.
    let tree = verdict::tree(&specification.placed(suite.clone()), builder.state());
    let found = specification.verdict(&gate::hold(&run, &grounds, answer));
    Ok(StageVerdict { tree: tree.filter(|_| found.exit == exit_code::PASSED), ..found })
}

/// Returns the verdict that the log has for the current outputs and workspace, without running anything. A verdict
/// over another workspace does not count, nor does one whose specification is no longer usable.
///
/// # Errors
/// Fails on an I/O error.
pub fn recorded(state: Option<&State>, opened: &Opened, outputs: &Outputs) -> Result<Verdict, EngineError> {
    let recorded = standing::recorded_verdict(opened, outputs);
    let specification = match verdict::asked(opened)? {
        VerdictRequest::Specification(specification) => specification,
        VerdictRequest::Nothing | VerdictRequest::Blocked(_) => return Ok(recorded),
    };
    let now = || {
        let suite = loaded(&specification).ok()?;
        verdict::tree(&specification.placed(suite), state)
    };
    Ok(verdict::standing(recorded, now))
}

/// Loads the specification from the composed bytes. The error says why there is nothing to run.
fn loaded(specification: &StageSpecification) -> Result<Suite, String> {
    let StageSpecification { workspace, file, bytes, .. } = specification;
    if !workspace.is_dir() {
        return Err(format!(
            "the workspace {} is gone, which the run was composed for: put it back, or compose another run",
            workspace.display()
        ));
    }
    let options = Options { workspace: Some(workspace.clone()) };
    let suite = referee_spec::load_text(file, bytes, &options).map_err(unusable)?.suite;
    let suite = specification.located(suite)?;
    specification.differs(&suite).map_or(Ok(suite), Err)
}

fn unusable(error: SpecError) -> String {
    let problem = EngineError::from(error);
    let errors: Vec<_> =
        problem.complaints.iter().filter(|complaint| complaint.level == referee_spec::Level::Error).collect();
    match errors.as_slice() {
        [] => format!("the specification cannot be used: {}", problem.message),
        [first, more @ ..] => {
            let more = count::more(more.len());
            format!("the specification is wrong: {}:{}: {}{more}", first.file, first.line, first.message)
        }
    }
}
