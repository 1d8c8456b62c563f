//! The current basis of the work: inputs, and the stages that they come from.

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::stage::standing::Source;
use referee_model::id::Digest;
use referee_model::stage::life::StageState;
use referee_model::stage::path::StagePath;

use crate::stage::history::StageHistory;
use crate::stage::{Configuration, Opened, StageError};

/// Returns the digests of the current inputs: those that existed at the accept, and those that are declared. An
/// input whose path leads outside is not read, and so counts as gone.
pub(super) fn present(opened: &Opened, history: &StageHistory) -> Result<BTreeMap<String, Digest>, StageError> {
    if history.state != StageState::Active {
        return Ok(BTreeMap::new());
    }
    let mut paths: BTreeSet<StagePath> = history.inputs.keys().filter_map(|path| StagePath::parse(path).ok()).collect();
    if let Configuration::Read(stage) = &opened.configuration {
        paths.extend(stage.inputs.iter().filter_map(|input| input.path.inside().cloned()));
    }
    let mut present = BTreeMap::new();
    for path in paths {
        if let Some(seen) = opened.run.look(&opened.stage, &path)? {
            present.insert(path.into(), seen.digest);
        }
    }
    Ok(present)
}

/// Returns the current state of the stages that the stage was prepared from.
pub(super) fn sources(opened: &Opened, history: &StageHistory) -> Vec<Source> {
    let source = |(stage, taken): (&_, &u32)| {
        let standing = opened.history.stage(stage);
        let published = (standing.state == StageState::Completed).then_some(standing.attempt);
        Source { stage: Clone::clone(stage), taken: *taken, published }
    };
    history.sources.iter().map(source).collect()
}
