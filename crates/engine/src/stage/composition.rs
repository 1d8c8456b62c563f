//! Composes a run from a workflow's files: its directories, its first log line, and a digest of everything that
//! must not change afterwards.

use std::path::{Component, Path, PathBuf};

use referee_ledger::real_path;
use referee_ledger::stages::{ComposedRun, Composition, composition};
use referee_model::stage::path::StagePath;
use referee_model::stage::workflow::Workflow;
use referee_model::stage::{INPUTS, OUTPUT_DATA, OUTPUT_FILES, STAGES};
use referee_report::protocol;
use referee_spec::workflow::{self, Template, WorkflowError};

use super::{StageError, file_path};
use crate::context::Context;
use crate::error::EngineError;

/// A requested composition of a run from a workflow's directory.
#[derive(Debug, Clone, Copy)]
pub struct ComposeRequest<'request> {
    /// The workflow's directory.
    pub workflow: &'request Path,
    /// Parent directory of the run's directory.
    pub output: &'request Path,
    /// Workspace of the stages' specifications. `None`: the current directory.
    pub workspace: Option<&'request Path>,
}

/// Composes a run of a workflow's directory, completely or not at all. The inner error has everything that is
/// wrong in the directory.
///
/// # Errors
/// Fails if a given directory cannot be used, if there is no state directory, or on an I/O error.
pub fn compose_directory(
    context: &Context,
    request: ComposeRequest<'_>,
) -> Result<Result<(Template, ComposedRun), WorkflowError>, EngineError> {
    let Locations { workflow, output, workspace } = Locations::find(context, request)?;
    let template = match workflow::load(&workflow, &workspace) {
        Ok(template) => template.with_protocol(&protocol::section()),
        Err(error) => return Ok(Err(error)),
    };
    let Some(state) = context.state([workspace.as_path()])? else {
        let message = "there is no state directory, and without one nothing vouches for a run: set REFEREE_STATE_DIR";
        return Err(EngineError::usage(message.to_owned()));
    };
    let composition = Composition {
        at: context.now(),
        by: context.host().agent.unwrap_or_else(|| "cli".to_owned()),
        source: context.redactor().text(&request.workflow.display().to_string()),
        name: template.workflow.name.to_string(),
        version: template.workflow.version.clone(),
        workspace,
        stages: template.workflow.stages.iter().map(|stage| stage.id.clone()).collect(),
        files: template.files.clone(),
        directories: empty_directories(&template.workflow)?,
    };
    let run = composition::compose(&output, &state, &composition).map_err(StageError::from)?;
    Ok(Ok((template, run)))
}

/// The resolved directories of a request.
struct Locations {
    workflow: PathBuf,
    output: PathBuf,
    workspace: PathBuf,
}

impl Locations {
    fn find(context: &Context, request: ComposeRequest<'_>) -> Result<Self, EngineError> {
        let workflow = directory(context, request.workflow)?;
        let workspace = directory(context, request.workspace.unwrap_or(&context.directory))?;
        let output = to_be(context, request.output)?;
        if output.starts_with(&workflow) {
            return Err(EngineError::usage(format!(
                "{} is in the workflow's own directory, and a run would become part of it: name a directory outside",
                request.output.display()
            )));
        }
        Ok(Self { workflow, output, workspace })
    }
}

fn directory(context: &Context, named: &Path) -> Result<PathBuf, EngineError> {
    let path = Some(context.directory.join(named)).filter(|path| path.is_dir());
    path.map(|path| real_path(&path))
        .ok_or_else(|| EngineError::usage(format!("directory not found: {}", named.display())))
}

/// Resolves a directory that need not exist.
fn to_be(context: &Context, named: &Path) -> Result<PathBuf, EngineError> {
    let path = context.directory.join(named);
    let found = path.ancestors().find(|above| above.exists()).map(|above| (above, real_path(above)));
    let (there, resolved) =
        found.ok_or_else(|| EngineError::usage(format!("no parent directory: {}", named.display())))?;
    if !resolved.is_dir() {
        return Err(EngineError::usage(format!(
            "{} cannot be made: {} is not a directory",
            named.display(),
            context.shown(there).display()
        )));
    }
    let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
    if !rest.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(EngineError::usage(format!("name the directory {} without `..`", named.display())));
    }
    // Drops an empty last component, which would add a final slash.
    Ok(resolved.join(rest).components().collect())
}

/// Returns the directories that are created empty for stages.
fn empty_directories(workflow: &Workflow) -> Result<Vec<StagePath>, StageError> {
    let of_stage = |id| [INPUTS, OUTPUT_FILES, OUTPUT_DATA].map(|directory| format!("{STAGES}/{id}/{directory}"));
    let directories = workflow.stages.iter().flat_map(|stage| of_stage(&stage.id));
    directories.map(|directory| file_path::path(&directory)).collect()
}
