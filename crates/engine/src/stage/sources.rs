//! The inputs that a stage takes from the stages before it: only published files, unchanged.

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::stage::query;
use referee_ledger::stages::{FileContent, StageRun};
use referee_model::id::Digest;
use referee_model::stage::INPUTS;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::parameters::{OUTPUT_PARAMETERS, read_output};
use referee_model::stage::path::StagePath;
use referee_model::stage::workflow::{Input, InputSource, Parameter, ParameterValue, Stage};
use serde_json::{Map, Value};

use super::change::command;
use super::file_path::output_data;
use super::history::StageHistory;
use super::{Opened, StageError};

/// The inputs that a stage takes from others.
#[derive(Debug, Default)]
pub(super) struct Taking {
    /// The source stages, each with the attempt whose outputs are taken.
    pub(super) sources: BTreeMap<StageId, u32>,
    pub(super) files: Vec<TakenFile>,
    /// Optional inputs that are not published: name and path.
    pub(super) left_out: Vec<(String, StagePath)>,
    /// The values, by name in this stage.
    pub(super) parameters: Map<String, Value>,
    /// Everything that is missing or differs from what was published, a sentence with its remedy each.
    pub(super) problems: Vec<String>,
}

#[derive(Debug)]
pub(super) struct TakenFile {
    pub(super) name: String,
    pub(super) from: StageId,
    pub(super) source: StagePath,
    pub(super) target: StagePath,
    pub(super) digest: Digest,
}

/// Collects the inputs that a stage takes from others. Reads only.
pub(super) fn look(opened: &Opened, stage: &Stage) -> Result<Taking, StageError> {
    let mut looking = Looking { opened, sound: BTreeMap::new(), taking: Taking::default() };
    let sources: BTreeSet<&StageId> = stage.sources().collect();
    for source in sources {
        looking.source(source)?;
    }
    for input in &stage.inputs {
        if let Some(from) = &input.from {
            looking.input(input, from);
        }
    }
    for parameter in &stage.parameters {
        looking.parameter(parameter)?;
    }
    Ok(looking.taking)
}

struct Looking<'look> {
    opened: &'look Opened,
    /// The completed stages whose files are as they were published.
    sound: BTreeMap<StageId, StageHistory>,
    taking: Taking,
}

impl Looking<'_> {
    fn problem(&mut self, problem: String) {
        self.taking.problems.push(problem);
    }

    fn source(&mut self, id: &StageId) -> Result<(), StageError> {
        let history = self.opened.history.stage(id);
        if history.state != StageState::Completed {
            let finalize = command(self.opened, "stage finalize", id, "");
            self.problem(format!(
                "stage {id} is {}, and its outputs are not published: end it first (`{finalize}`)",
                history.state.as_str()
            ));
            return Ok(());
        }
        let changed = changed(&self.opened.run, id, &history.published)?;
        for path in &changed {
            let again = command(self.opened, "stage accept", id, "--again");
            self.problem(format!(
                "{path} of stage {id} is not what was published: put it back as it was, or have the stage done again (`{again}`)"
            ));
        }
        if changed.is_empty() {
            self.taking.sources.insert(id.clone(), history.attempt);
            self.sound.insert(id.clone(), history);
        }
        Ok(())
    }

    fn input(&mut self, input: &Input, from: &InputSource) {
        let Some(history) = self.sound.get(&from.stage) else { return };
        let name = &input.name;
        let (source, target) = match (from.path.inside(), input.path.inside()) {
            (Some(source), Some(target)) if target.is_below(INPUTS) => (source.clone(), target.clone()),
            _ => {
                let (source, target) = (from.path.as_str(), input.path.as_str());
                let problem = format!(
                    "input {name}: {source} or {target} leads out of where it belongs: fix wf.yaml, and compose again"
                );
                return self.problem(problem);
            }
        };
        match history.published.get(source.as_str()) {
            Some(digest) => self.taking.files.push(TakenFile {
                name: name.clone(),
                from: from.stage.clone(),
                source,
                target,
                digest: *digest,
            }),
            None if input.is_required => {
                let stage = &from.stage;
                self.problem(format!(
                    "input {name}: stage {stage} published no {source}: have it done again so that it does, or fix wf.yaml"
                ));
            }
            None => self.taking.left_out.push((name.clone(), target)),
        }
    }

    fn parameter(&mut self, parameter: &Parameter) -> Result<(), StageError> {
        let Some(history) = self.sound.get(&parameter.from_stage) else { return Ok(()) };
        let (name, stage) = (&parameter.name, &parameter.from_stage);
        let value = match &parameter.value {
            ParameterValue::Published(published) => {
                let path = output_data(OUTPUT_PARAMETERS)?;
                let bytes = self.published(history, stage, &path)?;
                let document = bytes.and_then(|bytes| read_output(&bytes).ok());
                let value = document.and_then(|document| document.parameters.get(published).cloned());
                value.ok_or_else(|| format!("stage {stage} published no value {published}"))
            }
            ParameterValue::Queried { source, query } => match source.inside() {
                Some(path) => {
                    let bytes = self.published(history, stage, path)?;
                    let document = bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
                    let value = document.and_then(|document| query::value(query, &document));
                    value
                        .filter(|value| !value.is_null())
                        .ok_or_else(|| format!("{path} of stage {stage} has no {query}"))
                }
                None => Err(format!("{} leads out of stage {stage}", source.as_str())),
            },
        };
        match value {
            Ok(value) => drop(self.taking.parameters.insert(name.clone(), value)),
            Err(problem) => self.problem(format!(
                "parameter {name}: {problem}: have that stage done again so that it has one, or fix wf.yaml"
            )),
        }
        Ok(())
    }

    /// Reads a published file. Returns `None` if it is not published, or differs from what was published.
    fn published(
        &self,
        history: &StageHistory,
        stage: &StageId,
        path: &StagePath,
    ) -> Result<Option<Vec<u8>>, StageError> {
        let Some(expected) = history.published.get(path.as_str()) else { return Ok(None) };
        match self.opened.run.read(stage, path)? {
            FileContent::Bytes(bytes) if Digest::of(&bytes) == *expected => Ok(Some(bytes)),
            FileContent::Bytes(_) | FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => Ok(None),
        }
    }
}

/// Returns the files of a stage whose digests are no longer these.
pub(super) fn changed(
    run: &StageRun,
    stage: &StageId,
    expected: &BTreeMap<String, Digest>,
) -> Result<Vec<String>, StageError> {
    let mut changed = Vec::new();
    for (text, digest) in expected {
        let holds = match StagePath::parse(text) {
            Ok(path) => run.look(stage, &path)?.is_some_and(|seen| seen.digest == *digest),
            Err(_) => false,
        };
        if !holds {
            changed.push(text.clone());
        }
    }
    Ok(changed)
}
