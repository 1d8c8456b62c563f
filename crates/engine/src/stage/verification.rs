//! The specification that a stage is held to, run by the engine (ruling 28).

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
use crate::gate::{self, Asking, GateResult};
use crate::request::EventSink;
use crate::run::{GateOptions, RunBuilder};

/// Why no lock need know a stage's specification.
const VOUCHED: &str =
    "the specification is the one that the run was composed with, as its log says: the baseline need not know it";

/// Runs the specification of a stage, where it names one. Whatever keeps it from being run is no pass.
///
/// A recorded verdict is never taken: the checks look at what the stage wrote, which is no input of the workspace.
/// `cancellation` is asked for where something runs alone: until then a signal ends the program.
///
/// # Errors
/// Fails where what was typed cannot be done, where evidence cannot be kept, and where Referee itself failed. None of these is a
/// pass either.
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
    // What the pass is said to stand on has to be what it was reached on, so it is held against that once more.
    let tree = verdict::tree(&specification.placed(suite.clone()), builder.state());
    let found = specification.verdict(&gate::hold(&run, &grounds, answer));
    Ok(StageVerdict { tree: tree.filter(|_| found.exit == exit_code::PASSED), ..found })
}

/// Returns the verdict that the log holds for what is there now, outputs and workspace: nothing is run. One over another workspace is
/// none, as is one whose specification cannot be used any more.
///
/// # Errors
/// Fails where the system refuses.
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

/// Reads the specification from the bytes that were composed. The error says why there is nothing to run.
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
