//! A workflow's files become a run: its folders, its first log line, and a digest of everything that nobody changes afterwards.

use std::collections::BTreeMap;
use std::path::Path;

use referee_ledger::stages::{ComposedRun, Composition, composing};
use referee_model::stage::path::StagePath;
use referee_model::stage::workflow::Workflow;
use referee_wire::stage::{INPUTS, OUTPUT_DATA, OUTPUT_FILES, STAGES};

use super::{StageError, Workshop};

/// What a run is to be composed of.
#[derive(Debug)]
pub struct Order<'order> {
    /// The workflow.
    pub workflow: &'order Workflow,
    /// The files, by their paths in the run's folder.
    pub files: BTreeMap<StagePath, Vec<u8>>,
    /// The workflow's folder, as it was named.
    pub source: &'order str,
    /// The folder that the run's folder goes into. It is made where it is missing.
    pub output: &'order Path,
    /// The folder that specifications of stages are about: absolute.
    pub workspace: &'order Path,
}

/// Composes a run, whole or not at all.
///
/// # Errors
/// Fails where there is no state folder, where a folder has no place in a run, and where the system refuses.
pub fn compose(workshop: &Workshop<'_>, order: Order<'_>) -> Result<ComposedRun, StageError> {
    let Some(state) = workshop.state else {
        let message = "there is no state folder, and without one nothing vouches for a run: set REFEREE_STATE_DIR";
        return Err(StageError::Invalid(message.to_owned()));
    };
    let Order { workflow, files, source, output, workspace } = order;
    let composition = Composition {
        at: workshop.now,
        by: workshop.by.to_owned(),
        source: workshop.redactor.text(source),
        name: workflow.name.to_string(),
        version: workflow.version.clone(),
        workspace: workspace.to_path_buf(),
        stages: workflow.stages.iter().map(|stage| stage.id.clone()).collect(),
        files,
        folders: folders(workflow)?,
    };
    Ok(composing::compose(output, state, &composition)?)
}

/// Returns the folders that stages find empty.
fn folders(workflow: &Workflow) -> Result<Vec<StagePath>, StageError> {
    let of_stage = |id| [INPUTS, OUTPUT_FILES, OUTPUT_DATA].map(|folder| format!("{STAGES}/{id}/{folder}"));
    let folders = workflow.stages.iter().flat_map(|stage| of_stage(&stage.id));
    folders
        .map(|folder| StagePath::parse(&folder).map_err(|fault| StageError::Internal(format!("{folder}: {fault}"))))
        .collect()
}
