//! A workflow's files become a run: its folders, its first log line, and a digest of everything that nobody changes afterwards.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use referee_ledger::real_path;
use referee_ledger::stages::{ComposedRun, Composition, composing};
use referee_model::stage::path::StagePath;
use referee_model::stage::workflow::Workflow;
use referee_report::protocol;
use referee_spec::workflow::{self, Template, WorkflowError};
use referee_wire::stage::{INPUTS, OUTPUT_DATA, OUTPUT_FILES, STAGES};

use super::{StageError, Workshop};
use crate::context::Context;
use crate::problem::Problem;

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

/// A workflow's folder that is to become a run, as it is named.
#[derive(Debug, Clone, Copy)]
pub struct ComposeRequest<'request> {
    /// The workflow's folder.
    pub workflow: &'request Path,
    /// The folder that the run's folder goes into.
    pub output: &'request Path,
    /// The folder that specifications of stages are about. None: this one.
    pub workspace: Option<&'request Path>,
}

/// Composes a run of a workflow's folder. The inner error is everything that is wrong in the folder.
///
/// # Errors
/// Fails where a folder that is named cannot be used, and as [`compose`].
pub fn compose_folder(
    context: &Context,
    request: ComposeRequest<'_>,
) -> Result<Result<(Template, ComposedRun), WorkflowError>, Problem> {
    let Locations { workflow, output, workspace } = Locations::find(context, request)?;
    let template = match workflow::load(&workflow, &workspace) {
        Ok(template) => template.with_protocol(&protocol::section()),
        Err(error) => return Ok(Err(error)),
    };
    let (state, agent) = (context.state([workspace.as_path()])?, context.host().agent);
    let (now, redactor, by) = (context.now(), &context.redactor(), agent.as_deref().unwrap_or("cli"));
    let order = Order {
        workflow: &template.workflow,
        files: template.files.clone(),
        source: &request.workflow.display().to_string(),
        output: &output,
        workspace: &workspace,
    };
    let run = compose(&Workshop { state: state.as_ref(), now, redactor, by }, order)?;
    Ok(Ok((template, run)))
}

/// The folders that are meant, as far as they are there.
struct Locations {
    workflow: PathBuf,
    output: PathBuf,
    workspace: PathBuf,
}

impl Locations {
    fn find(context: &Context, request: ComposeRequest<'_>) -> Result<Self, Problem> {
        let workflow = folder(context, request.workflow)?;
        let workspace = folder(context, request.workspace.unwrap_or(&context.directory))?;
        let output = to_be(context, request.output)?;
        if output.starts_with(&workflow) {
            return Err(Problem::usage(format!(
                "{} lies in the workflow's own folder, and a run would become part of it: name a folder outside",
                request.output.display()
            )));
        }
        Ok(Self { workflow, output, workspace })
    }
}

fn folder(context: &Context, named: &Path) -> Result<PathBuf, Problem> {
    let path = Some(context.directory.join(named)).filter(|path| path.is_dir());
    path.map(|path| real_path(&path)).ok_or_else(|| Problem::usage(format!("there is no folder {}", named.display())))
}

/// Resolves a folder that need not be there.
fn to_be(context: &Context, named: &Path) -> Result<PathBuf, Problem> {
    let path = context.directory.join(named);
    let found = path.ancestors().find(|above| above.exists()).map(|above| (above, real_path(above)));
    let (there, resolved) =
        found.ok_or_else(|| Problem::usage(format!("there is no folder above {}", named.display())))?;
    if !resolved.is_dir() {
        return Err(Problem::usage(format!(
            "{} cannot be made: {} is no folder",
            named.display(),
            context.shown(there).display()
        )));
    }
    let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
    if !rest.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(Problem::usage(format!("name the folder {} without `..`", named.display())));
    }
    // Without a part that is empty, which would end it with a slash.
    Ok(resolved.join(rest).components().collect())
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
