//! Compares a stage's inputs from other stages with what those published, according to the log.

use std::collections::BTreeMap;
use std::rc::Rc;

use referee_judge::stage::checks::Scene;
use referee_judge::stage::checks::source::{
    self, SourceSeen, SourceStanding, TakenFound, TakenSeen, ValueFound, ValueSeen,
};
use referee_judge::stage::query;
use referee_ledger::stages::LogTrust;
use referee_model::id::Digest;
use referee_model::stage::check::Checks;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::parameters::{OUTPUT_PARAMETERS, read_output};
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::workflow::{InputSource, Parameter, ParameterValue, Stage};
use serde_json::{Map, Value};

use super::Seen;
use crate::stage::file_path::{output_data, parameters_path};
use crate::stage::history::{History, StageHistory};
use crate::stage::validation::observation::{self, Read};
use crate::stage::{Opened, StageError, data};

/// Inspects everything that comes from other stages.
pub(super) fn look(
    opened: &Opened,
    stage: &Stage,
    scene: &Scene,
    inputs: &[Seen<'_>],
    checks: &mut Checks,
) -> Result<(), StageError> {
    let mut done: BTreeMap<&StageId, StageHistory> = BTreeMap::new();
    for id in unique(stage) {
        let standing = standing(&opened.history, &opened.stage, id);
        if matches!(standing, SourceStanding::Done | SourceStanding::OtherAttempt { .. }) {
            done.insert(id, opened.history.stage(id));
        }
        checks.checks.push(source::finalized(scene, &SourceSeen { stage: id.clone(), standing }));
    }
    // Files of a stage that is not completed are not looked for.
    for (seen, from) in inputs.iter().filter_map(|seen| Some((seen, seen.input.from.as_ref()?))) {
        let Some(history) = done.get(&from.stage) else { continue };
        if seen.digest.is_none() {
            if history.published.contains_key(from.path.as_str()) {
                checks.warnings.push(format!(
                    "stage {} published {}, and {} was not taken from it: {}",
                    from.stage,
                    from.path.as_str(),
                    seen.judged.path,
                    scene.command("prepare", &scene.stage)
                ));
            }
            continue;
        }
        let found = taken(opened, history, seen, from)?;
        let path = seen.judged.path.clone();
        let source = from.path.as_str().to_owned();
        checks.checks.push(source::taken(scene, &TakenSeen { path, stage: from.stage.clone(), source, found }));
    }
    if stage.parameters.is_empty() {
        return Ok(());
    }
    let mut shelf = DocumentCache { opened, taken: given(opened)?, published: BTreeMap::new() };
    for parameter in &stage.parameters {
        let Some(history) = done.get(&parameter.from_stage) else { continue };
        let found = shelf.value(parameter, history)?;
        let (name, stage) = (parameter.name.clone(), parameter.from_stage.clone());
        checks.checks.push(source::resolved(scene, &ValueSeen { name, stage, found }));
    }
    Ok(())
}

/// Returns the source stages, each once, in the order in which they are first named.
fn unique(stage: &Stage) -> Vec<&StageId> {
    let mut unique: Vec<&StageId> = Vec::new();
    for id in stage.sources() {
        if !unique.contains(&id) {
            unique.push(id);
        }
    }
    unique
}

fn standing(history: &History, this: &StageId, id: &StageId) -> SourceStanding {
    if !history.is_sound() {
        return SourceStanding::Untold(match &history.trust {
            LogTrust::Absent => "the run has no wf-log.jsonl".to_owned(),
            LogTrust::Unknown => "the run's log comes from another place or machine".to_owned(),
            LogTrust::Broken(reason) | LogTrust::Differs(reason) => format!("the run's log: {reason}"),
            LogTrust::Kept => "the run's log says what must not happen".to_owned(),
        });
    }
    let source = history.stage(id);
    if source.state != StageState::Completed {
        return SourceStanding::NotDone(source.state);
    }
    match history.stage(this).sources.get(id) {
        Some(taken) if *taken != source.attempt => {
            SourceStanding::OtherAttempt { taken: *taken, published: source.attempt }
        }
        _ => SourceStanding::Done,
    }
}

fn taken(
    opened: &Opened,
    history: &StageHistory,
    seen: &Seen<'_>,
    from: &InputSource,
) -> Result<TakenFound, StageError> {
    if let PathReference::Outside { fault, .. } = &from.path {
        return Ok(TakenFound::Outside(*fault));
    }
    let Some(published) = history.published.get(from.path.as_str()) else { return Ok(TakenFound::Unpublished) };
    let now = observation::look(opened, &from.stage, &from.path)?.digest;
    Ok(match now {
        None => TakenFound::Gone,
        Some(now) if now != *published => TakenFound::Changed,
        Some(_) if seen.digest != Some(*published) => TakenFound::CopyDiffers,
        Some(_) => TakenFound::AsPublished,
    })
}

/// Reads the parameters of this stage. The inner error says what is wrong with the file.
fn given(opened: &Opened) -> Result<Result<Map<String, Value>, String>, StageError> {
    Ok(match observation::read(opened, &opened.stage, &parameters_path()?)? {
        Read::Nothing(_) => Err("is not there, or no file that holds something".to_owned()),
        Read::TooLarge => Err("is larger than what is read of it".to_owned()),
        Read::Bytes(bytes) => match data::read(&bytes) {
            Ok(Value::Object(values)) => Ok(values),
            Ok(_) => Err("is not an object of names and values".to_owned()),
            Err(error) => Err(format!("is not JSON: {error}")),
        },
    })
}

/// Documents in which values are looked up.
struct DocumentCache<'run> {
    opened: &'run Opened,
    taken: Result<Map<String, Value>, String>,
    /// Published files of other stages, by stage and path, each read once; or why the file is not usable.
    published: BTreeMap<(StageId, StagePath), Result<Rc<Value>, String>>,
}

impl DocumentCache<'_> {
    fn value(&mut self, parameter: &Parameter, history: &StageHistory) -> Result<ValueFound, StageError> {
        let published = match &parameter.value {
            ParameterValue::Published(name) => {
                let path = output_data(OUTPUT_PARAMETERS)?;
                let document = self.document(&parameter.from_stage, &path, history)?;
                document.map(|document| {
                    (document.get("parameters").and_then(|values| values.get(name)).cloned(), name.clone())
                })
            }
            ParameterValue::Queried { source: PathReference::Outside { text, fault }, .. } => {
                return Ok(ValueFound::Outside(text.clone(), *fault));
            }
            ParameterValue::Queried { source: PathReference::Inside(path), query } => {
                let document = self.document(&parameter.from_stage, path, history)?;
                document.map(|document| (query::value(query, &document), format!("at {query} in {path}")))
            }
        };
        Ok(match (published, &self.taken) {
            (Err(reason), _) => ValueFound::SourceBroken(reason),
            (Ok((None | Some(Value::Null), place)), _) => ValueFound::Unpublished(place),
            (Ok(_), Err(reason)) => ValueFound::NoParameters(reason.clone()),
            (Ok((Some(value), _)), Ok(taken)) => match taken.get(&parameter.name) {
                None => ValueFound::NotTaken,
                Some(taken) if *taken != value => ValueFound::Differs,
                Some(_) => ValueFound::AsPublished,
            },
        })
    }

    /// Returns a file as a stage published it. The inner error says why it is not usable.
    fn document(
        &mut self,
        stage: &StageId,
        path: &StagePath,
        history: &StageHistory,
    ) -> Result<Result<Rc<Value>, String>, StageError> {
        let key = (stage.clone(), path.clone());
        if let Some(known) = self.published.get(&key) {
            return Ok(known.clone());
        }
        let read = self.read(stage, path, history)?.map(Rc::new);
        self.published.insert(key, read.clone());
        Ok(read)
    }

    fn read(
        &self,
        stage: &StageId,
        path: &StagePath,
        history: &StageHistory,
    ) -> Result<Result<Value, String>, StageError> {
        let Some(published) = history.published.get(path.as_str()) else {
            return Ok(Err(format!("{path} is not among it")));
        };
        Ok(match observation::read(self.opened, stage, path)? {
            Read::Nothing(_) => Err(format!("{path} is gone")),
            Read::TooLarge => Err(format!("{path} is larger than what is read of a document")),
            Read::Bytes(bytes) if Digest::of(&bytes) != *published => {
                Err(format!("{path} was changed since it was published"))
            }
            Read::Bytes(bytes) => {
                let is_values = path.name() == OUTPUT_PARAMETERS;
                let read = data::read(&bytes).map_err(|error| format!("{path} is not JSON: {error}"));
                match is_values.then(|| read_output(&bytes)) {
                    Some(Err(error)) => Err(format!("{path} holds no published values: {error}")),
                    _ => read,
                }
            }
        })
    }
}
