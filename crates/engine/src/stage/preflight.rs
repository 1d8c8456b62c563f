//! Inspects the prerequisites of a stage before work on it begins. Writes nothing.

use referee_judge::stage::checks::prerequisite::{self, InputSeen, PathSeen, Since};
use referee_judge::stage::checks::{Scene, Sight, closure, configuration};
use referee_ledger::redact::Redactor;
use referee_model::handback::{ACCEPT, read_accept};
use referee_model::id::Digest;
use referee_model::stage::check::{Check, Checks};
use referee_model::stage::life::StageState;
use referee_model::stage::path::PathReference;
use referee_model::stage::workflow::{Input, ParameterValue, Stage};
use referee_report::stage::checks::StageChecksDocument;

use super::history::StageHistory;
use super::standing::AcceptFound;
use super::validation::observation::Read;
use super::validation::{observation, validation_document};
use super::{Configuration, Opened, StageError, file_path};

mod intake;

/// The state of a stage's prerequisites.
#[derive(Debug, Clone)]
pub struct Preflight {
    /// The checks.
    pub checks: Checks,
    /// Content of `accept.json`.
    pub accept: AcceptFound,
}

/// Inspects the prerequisites of a stage. Reads only.
///
/// The stage's own directory comes first; only if it is in order are inputs from other stages inspected, according
/// to the log (seed 5, preflight). Within each half, all problems are reported at once (PF-05).
///
/// # Errors
/// Fails on an I/O error.
pub fn look(opened: &Opened) -> Result<Preflight, StageError> {
    let scene = observation::scene(opened);
    let composition = observation::composition(opened, &scene)?;
    let seen = observation::configuration(opened);
    let mut checks = Checks { checks: configuration::checks(&scene, &seen), warnings: composition.warnings };
    checks.checks.extend(composition.checks);
    if let Configuration::Read(stage) = &opened.configuration
        && stage.id == opened.stage
    {
        let inputs = inputs(opened, stage)?;
        checks.checks.extend(own(opened, stage, &scene, &inputs)?);
        if checks.is_pass() {
            intake::look(opened, stage, &scene, &inputs, &mut checks)?;
        }
    }
    let accept = accept(opened)?;
    checks.checks.push(closure::accept(match &accept {
        AcceptFound::Absent => "ABSENT: nobody has control yet",
        AcceptFound::Invalid(_) => "INVALID: it gives control to nobody",
        AcceptFound::Present(_) => "PRESENT(agent): an executor has control",
    }));
    Ok(Preflight { checks, accept })
}

/// Returns the result as a document, without secrets.
pub fn document(opened: &Opened, redactor: &Redactor, preflight: &Preflight) -> StageChecksDocument {
    validation_document::document(opened, redactor, &preflight.checks, &preflight.accept)
}

/// An input with its observed state.
struct Seen<'stage> {
    input: &'stage Input,
    judged: InputSeen,
    digest: Option<Digest>,
}

fn inputs<'stage>(opened: &Opened, stage: &'stage Stage) -> Result<Vec<Seen<'stage>>, StageError> {
    let history = opened.history.stage(&opened.stage);
    let one = |input: &'stage Input| {
        let looked = observation::look(opened, &opened.stage, &input.path)?;
        let judged = InputSeen {
            path: input.path.as_str().to_owned(),
            is_required: input.is_required,
            from: input.from.as_ref().map(|from| from.stage.clone()),
            since: since(&history, input.path.as_str(), looked.digest),
            sight: looked.sight,
        };
        Ok(Seen { input, judged, digest: looked.digest })
    };
    stage.inputs.iter().map(one).collect()
}

/// Compares an input with the one given to the executor, which counts while the executor has control; another
/// attempt may have other inputs. An input that was missing then and has been added since is no change: that is
/// how a failed preflight is fixed.
fn since(history: &StageHistory, path: &str, now: Option<Digest>) -> Since {
    if history.state != StageState::Active {
        return Since::Same;
    }
    match (history.inputs.get(path), now) {
        // A missing input was added later: nothing rested on it.
        (None, _) => Since::Same,
        (Some(given), Some(now)) if *given == now => Since::Same,
        (Some(_), Some(_)) => Since::Changed,
        (Some(_), None) => Since::Gone,
    }
}

/// Judges the stage's own directory: paths, prompts, inputs.
fn own(opened: &Opened, stage: &Stage, scene: &Scene, inputs: &[Seen<'_>]) -> Result<Vec<Check>, StageError> {
    let mut prompts = Vec::new();
    for place in [&stage.prompt.entry, &stage.prompt.main] {
        let sight = observation::look(opened, &opened.stage, place)?.sight;
        prompts.push(PathSeen { path: place.as_str().to_owned(), sight });
    }
    let of_inputs =
        inputs.iter().map(|seen| PathSeen { path: seen.judged.path.clone(), sight: seen.judged.sight.clone() });
    let paths: Vec<PathSeen> = prompts.iter().cloned().chain(of_inputs).chain(sources(stage)).collect();
    let mut checks: Vec<Check> = paths.iter().map(|seen| prerequisite::path(scene, seen)).collect();
    checks.extend(prompts.iter().flat_map(|seen| prerequisite::prompt(scene, seen)));
    checks.extend(inputs.iter().flat_map(|seen| prerequisite::input(scene, &seen.judged)));
    Ok(checks)
}

/// Returns the paths in other stages' directories. Their files are inspected only if all else is in order.
fn sources(stage: &Stage) -> impl Iterator<Item = PathSeen> {
    let of_inputs = stage.inputs.iter().filter_map(|input| input.from.as_ref().map(|from| &from.path));
    let of_parameters = stage.parameters.iter().filter_map(|parameter| match &parameter.value {
        ParameterValue::Published(_) => None,
        ParameterValue::Queried { source, .. } => Some(source),
    });
    of_inputs.chain(of_parameters).map(|place| PathSeen {
        path: place.as_str().to_owned(),
        sight: match place {
            PathReference::Inside(_) => Sight::Holds,
            PathReference::Outside { fault, .. } => Sight::Outside(*fault),
        },
    })
}

fn accept(opened: &Opened) -> Result<AcceptFound, StageError> {
    Ok(match observation::read(opened, &opened.stage, &file_path::output_data(ACCEPT)?)? {
        Read::Nothing(Sight::Absent) => AcceptFound::Absent,
        Read::Nothing(Sight::Empty) => AcceptFound::Invalid(vec!["it is empty".to_owned()]),
        Read::Nothing(_) => AcceptFound::Invalid(vec!["it is a link, or no file that can be read".to_owned()]),
        Read::TooLarge => AcceptFound::Invalid(vec!["it is larger than what is read of it".to_owned()]),
        Read::Bytes(bytes) => match read_accept(&bytes) {
            Ok(since) => AcceptFound::Present(since),
            Err(error) => {
                AcceptFound::Invalid(error.complaints.into_iter().map(|complaint| complaint.problem).collect())
            }
        },
    })
}

#[cfg(test)]
mod tests;
