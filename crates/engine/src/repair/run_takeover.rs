//! Goes on with a run whose machine is gone: its last checkpoint becomes a run of this machine, which resumes it.

use std::path::{Path, PathBuf};

use referee_foreign::agent_run;
use referee_ledger::agent_runs::{self, OwnFile, RunDirectory};
use referee_ledger::private_directory::{self, PrivateDirectory};
use referee_model::agent_checkpoint::AgentLoopId;
use referee_model::agent_order::{AgentOrder, PinnedFile};
use referee_model::agent_run::{AgentLoop, AgentRun};
use referee_model::document::to_bytes;
use referee_model::enrolment::FleetSettings;
use referee_model::id::ProjectName;
use referee_model::plan::Plan;
use referee_model::run_file::RunFile;
use referee_model::suite::Suite;

use super::prepared::lock;
use crate::agent_loop::{AgentWorkers, CheckpointGround, Standby, Takeover, marker};
use crate::context::{Context, SpecificationNames};
use crate::error::EngineError;
use crate::event_sink::NoteSink;
use crate::keys::SigningOptions;

/// Maximum size of a document of a run, in bytes.
const DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the options of an order as words, for the machine that goes on.
pub type OrderArguments<'request> = dyn Fn(&AgentOrder, &TakeoverPlace) -> Result<Vec<String>, EngineError> + 'request;

/// A run that this machine is to go on with.
pub struct TakeoverRequest<'request> {
    /// The context of the call, in the project.
    pub context: &'request Context,
    /// Id of the run.
    pub run: &'request str,
    /// Depot and project of the run.
    pub settings: FleetSettings,
    /// The key that signs the next checkpoints.
    pub signing: SigningOptions,
    /// Returns the options of the order for this machine.
    pub arguments: &'request OrderArguments<'request>,
    /// Waits until the other machine is gone. `None`: it is.
    pub standby: Option<Standby<'request>>,
    /// Receives notes.
    pub notes: NoteSink,
}

/// Where a run goes on.
pub struct TakeoverPlace {
    /// The specification.
    pub specification: PathBuf,
    /// The workspace.
    pub workspace: PathBuf,
    /// The project, as the depot names it.
    pub project: ProjectName,
}

/// Makes the last checkpoint of a run a run of this machine, which can be resumed. The workspace must be as it was when the
/// run began, and becomes as it was when its last turn was ordered.
///
/// # Errors
/// Fails, before anything is changed, if the depot has no checkpoint of the run that a trusted key signed, if the run is over, if
/// the project here is another one, and if another machine takes the run over at this moment.
pub fn take_over(request: &TakeoverRequest<'_>) -> Result<(), EngineError> {
    let TakeoverRequest { context, run, .. } = *request;
    if !agent_runs::is_run_id(run) {
        return Err(EngineError::usage(format!("no id of a run of an agent: {run}")));
    }
    let refusal = "a run of an agent works for one specification: change to its directory";
    let names = SpecificationNames { files: Vec::new(), workspace: None };
    let suite = context.load_single(&names, refusal, &mut request.notes.clone())?;
    let plan = suite.tasks.first().ok_or_else(|| EngineError::usage("the specification has no task".to_owned()))?;
    let workspace = plan.workspace.clone();
    let (state, _lock) = lock(context, &suite.tasks, &workspace)?;
    let signer = request.signing.signer(context, std::slice::from_ref(&suite))?;
    let workers = AgentWorkers::of_project(context, request.settings.clone(), signer, (&suite.tasks, &workspace))?;
    let room = PrivateDirectory::make(&state, &context.new_execution()?)?;
    let takeover = Takeover {
        of: AgentLoopId::Run(run.to_owned()),
        workers: &workers,
        ground: CheckpointGround { state: &state, marker: marker(run).map_err(EngineError::internal)? },
        specification: (&suite, plan.specification.file.as_str()),
        workspace: &workspace,
        standby: request.standby.as_ref(),
        now: context.now(),
    };
    let look = |room: &Path| {
        let fetched = takeover.fetch(room)?;
        Ok((inspect(run, &fetched.record)?, takeover.fetch_workspace(&fetched, room)?, fetched))
    };
    let ((stored, order), files, fetched) = takeover.when_silent(room.path(), &look)?;
    takeover.claim(&fetched, &files)?;
    let directory = match RunDirectory::find(&state, run)? {
        Some(directory) => directory,
        None => RunDirectory::make(&state, run)?,
    };
    keep(&directory, &fetched.record)?;
    let order = order_here(request, order, (&suite, plan), &workers)?;
    directory.write_own(OwnFile::Order, &AgentOrder::KIND.encode(&order)?)?;
    // It is a run of this machine from here on.
    let stored = AgentRun { workspace_id: Some(workspace.display().to_string()), ..stored };
    Ok(directory.write(RunFile::Run, &to_bytes(&stored)?)?)
}

/// Reads the documents of a run, and checks that this machine can go on with it.
fn inspect(run: &str, record: &Path) -> Result<(AgentRun, AgentOrder), EngineError> {
    let document = |name: &str| {
        let bytes = private_directory::read(record, name, DOCUMENT_BYTES)?;
        bytes.ok_or_else(|| EngineError::evidence(format!("the checkpoint of {run} has no {name}")))
    };
    let stored = agent_run::read(&document(&RunFile::Run.to_string())?).map_err(EngineError::evidence)?;
    if let Some(result) = stored.result {
        return Err(EngineError::usage(format!("{run} is over ({}): begin another one", result.as_str())));
    }
    let order: AgentOrder =
        AgentOrder::KIND.decode(&document(OwnFile::Order.name())?).map_err(EngineError::evidence)?;
    if order.held_out.is_some() {
        let why = "its held-out checks lie on the machine that began it";
        return Err(EngineError::refused(format!("{run} cannot be taken over: {why}")));
    }
    Ok((stored, order))
}

/// Keeps the documents of a run, all but those that make it one of this machine.
fn keep(directory: &RunDirectory, record: &Path) -> Result<(), EngineError> {
    for file in files(record)? {
        if file != RunFile::Run
            && let Some(bytes) = private_directory::read(record, &file.to_string(), DOCUMENT_BYTES)?
        {
            directory.write(file, &bytes)?;
        }
    }
    if let Some(bytes) = private_directory::read(record, OwnFile::Loop.name(), DOCUMENT_BYTES)? {
        let kept: AgentLoop = AgentLoop::KIND.decode(&bytes).map_err(EngineError::evidence)?;
        // The evidence of the last turn's checks lies on the other machine.
        let kept = AgentLoop { reports: Vec::new(), ..kept };
        directory.write_own(OwnFile::Loop, &AgentLoop::KIND.encode(&kept)?)?;
    }
    Ok(())
}

/// Returns the order as one of this machine.
fn order_here(
    request: &TakeoverRequest<'_>,
    order: AgentOrder,
    (suite, plan): (&Suite, &Plan),
    workers: &AgentWorkers,
) -> Result<AgentOrder, EngineError> {
    let place = TakeoverPlace {
        specification: plan.workspace.join(&plan.specification.file),
        workspace: plan.workspace.clone(),
        project: workers.depot().project().clone(),
    };
    let arguments = (request.arguments)(&order, &place)?;
    let pinned = PinnedFile { path: place.specification.display().to_string(), sha256: suite.specification.digest };
    let directory = super::text(request.context.directory.as_os_str(), "the current directory")?;
    Ok(AgentOrder { directory, arguments, specification: vec![pinned], ..order })
}

/// Returns the documents of a run in a directory.
fn files(record: &Path) -> Result<Vec<RunFile>, EngineError> {
    let names = private_directory::names(record)?;
    Ok(RunFile::listed(names.iter().map(String::as_str)))
}
