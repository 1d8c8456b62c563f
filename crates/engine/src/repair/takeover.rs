//! Goes on with a run whose machine is gone: its last checkpoint becomes a run of this machine, which resumes it.

use std::path::{Path, PathBuf};

use referee_ledger::agent_runs::{self, OwnFile, RunDirectory, WorkspaceLock};
use referee_ledger::clean_room::manifest;
use referee_ledger::private_directory::{self, PrivateDirectory};
use referee_ledger::trust::{Role, TrustStore};
use referee_ledger::{State, attest, pending_turn, tree_update};
use referee_model::agent_checkpoint::{AgentCheckpoint, CHECKPOINT_TYPE};
use referee_model::agent_order::{AgentOrder, PinnedFile};
use referee_model::agent_run::{AgentLoop, AgentRun};
use referee_model::document::to_bytes;
use referee_model::enrolment::FleetSettings;
use referee_model::id::{Digest, ExecutionId, ProjectName};
use referee_model::limit;
use referee_model::order_protocol::{PendingTurn, WorkerOrder};
use referee_model::plan::Plan;
use referee_model::run_file::RunFile;
use referee_model::suite::Suite;
use referee_model::tree_manifest::{ContentLink, TreeManifest};
use referee_readers::agent_run;

use crate::agent_loop::{AgentWorkers, marker, put_checkpoint};
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

/// What a checkpoint led to.
struct Fetched {
    checkpoint: AgentCheckpoint,
    /// Digest of the signed checkpoint.
    digest: Digest,
    run: AgentRun,
    order: AgentOrder,
    /// The documents of the run.
    record: PathBuf,
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
    let state = context.state([workspace.as_path()])?.ok_or_else(|| {
        EngineError::usage(
            "a run of an agent is kept in the state directory: set REFEREE_STATE_DIR, or HOME".to_owned(),
        )
    })?;
    let _lock = WorkspaceLock::take(&state, &workspace)?.ok_or_else(|| {
        EngineError::usage(format!("another run of an agent works in {}: wait for it, or end it", workspace.display()))
    })?;
    let signer = request.signing.signer(context, std::slice::from_ref(&suite))?;
    let workers = AgentWorkers::of_project(context, request.settings.clone(), signer, (&suite.tasks, &workspace))?;
    let marker = marker(run).map_err(EngineError::internal)?;
    let directory = PrivateDirectory::make(&state, &context.new_execution()?)?;
    let takeover = Takeover { request, workers: &workers, suite: &suite, plan, state: &state, room: directory.path() };
    let fetched = takeover.fetch(&marker)?;
    let tree = takeover.workspace(&fetched.checkpoint)?;
    takeover.keep(&marker, fetched, tree)
}

struct Takeover<'run> {
    request: &'run TakeoverRequest<'run>,
    workers: &'run AgentWorkers,
    suite: &'run Suite,
    plan: &'run Plan,
    state: &'run State,
    /// What is fetched goes here.
    room: &'run Path,
}

impl Takeover<'_> {
    /// Fetches the last checkpoint and the documents of the run, and checks that this machine can go on with it.
    fn fetch(&self, marker: &ExecutionId) -> Result<Fetched, EngineError> {
        let (context, run) = (self.request.context, self.request.run);
        let envelope = self.workers.depot().find_checkpoint(marker)?.ok_or_else(|| {
            EngineError::refused(format!("{} has no checkpoint of {run}", self.workers.depot().address()))
        })?;
        let keys = TrustStore::read(self.state)?.believed(Role::Runner, context.now());
        let opened = attest::open(envelope.as_bytes(), CHECKPOINT_TYPE, &keys).map_err(|error| {
            EngineError::refused(format!(
                "the checkpoint of {run} cannot be trusted: {error}. `referee key trust KEY.pub.pem --name NAME --as runner` \
                 trusts a key"
            ))
        })?;
        let checkpoint = AgentCheckpoint::decode(&opened.payload).map_err(EngineError::evidence)?;
        if checkpoint.run_id != run {
            return Err(EngineError::evidence(format!(
                "the checkpoint is that of {}, not of {run}",
                checkpoint.run_id
            )));
        }
        let (own, wanted) = (self.workers.version(), &checkpoint.engine_version);
        if own != wanted {
            return Err(EngineError::refused(format!("{run} was begun with Referee {wanted}, and this is {own}")));
        }
        let record = self.room.join("record");
        self.fetch_tree(checkpoint.record, &record)?;
        let document = |name: &str| {
            let bytes = private_directory::read(&record, name, DOCUMENT_BYTES)?;
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
        let is_same = checkpoint.specification.as_str() == self.plan.specification.file
            && order.specification.first().is_some_and(|pinned| pinned.sha256 == self.suite.specification.digest);
        if !is_same {
            let was = checkpoint.specification.as_str();
            return Err(EngineError::refused(format!("{was} is not here as it was when {run} began")));
        }
        Ok(Fetched { digest: Digest::of(&envelope), checkpoint, run: stored, order, record })
    }

    fn fetch_tree(&self, tree: ContentLink, into: &Path) -> Result<TreeManifest, EngineError> {
        private_directory::nested(into)?;
        let depot = self.workers.depot();
        depot.fetch_tree(tree, into, limit::ORDER_FETCHED_BYTES)?.map_err(|failure| depot.error(&failure))
    }

    /// Brings the workspace from the state in which the run began to that in which its last turn was ordered.
    fn workspace(&self, checkpoint: &AgentCheckpoint) -> Result<TreeManifest, EngineError> {
        let here = manifest(&self.plan.workspace, self.workers.scope()).map_err(EngineError::internal)?;
        let source = self.room.join("tree");
        let tree = self.fetch_tree(checkpoint.tree, &source)?;
        if here == tree {
            return Ok(tree);
        }
        let base = self.fetch_tree(checkpoint.base, &self.room.join("base"))?;
        if here != base {
            let files = |manifest: &TreeManifest| manifest.files.clone();
            let (here, base) = (files(&here), files(&base));
            let differs =
                here.iter().find(|file| !base.contains(file)).or_else(|| base.iter().find(|file| !here.contains(file)));
            let path = differs.map_or("a file", |file| file.path.as_str());
            return Err(EngineError::refused(format!(
                "the workspace is not as it was when the run began: {path} differs. Check out what the run began with"
            )));
        }
        tree_update::update(&self.plan.workspace, (&base, &tree), &source)?;
        Ok(tree)
    }

    /// Has the depot say that this machine goes on with the run, and keeps its documents. The run is one of this machine once
    /// `run.json` is written.
    fn keep(&self, marker: &ExecutionId, fetched: Fetched, tree: TreeManifest) -> Result<(), EngineError> {
        let Fetched { checkpoint, digest, mut run, order, record } = fetched;
        let directory = match RunDirectory::find(self.state, &run.id)? {
            Some(directory) => directory,
            None => RunDirectory::make(self.state, &run.id)?,
        };
        let taken_at = self.request.context.now();
        let next = AgentCheckpoint { previous: Some(digest), taken_at, ..checkpoint.clone() };
        put_checkpoint(self.workers, &directory, marker, &next)?;
        for file in files(&record)? {
            if file != RunFile::Run
                && let Some(bytes) = private_directory::read(&record, &file.to_string(), DOCUMENT_BYTES)?
            {
                directory.write(file, &bytes)?;
            }
        }
        if let Some(bytes) = private_directory::read(&record, OwnFile::Loop.name(), DOCUMENT_BYTES)? {
            let kept: AgentLoop = AgentLoop::KIND.decode(&bytes).map_err(EngineError::evidence)?;
            // The evidence of the last turn's checks lies on the other machine.
            let kept = AgentLoop { reports: Vec::new(), ..kept };
            directory.write_own(OwnFile::Loop, &AgentLoop::KIND.encode(&kept)?)?;
        }
        directory.write_own(OwnFile::Order, &AgentOrder::KIND.encode(&self.order(order)?)?)?;
        if let Some(request) = checkpoint.turn
            && let WorkerOrder::Turn(turn) = &request.order
        {
            let turn = turn.turn;
            pending_turn::keep(self.state, marker, &PendingTurn { request, turn, before: tree })?;
        }
        run.workspace_id = Some(self.plan.workspace.display().to_string());
        directory.write(RunFile::Run, &to_bytes(&run)?)?;
        Ok(())
    }

    /// Returns the order as one of this machine.
    fn order(&self, order: AgentOrder) -> Result<AgentOrder, EngineError> {
        let place = TakeoverPlace {
            specification: self.plan.workspace.join(&self.plan.specification.file),
            workspace: self.plan.workspace.clone(),
            project: self.workers.depot().project().clone(),
        };
        let arguments = (self.request.arguments)(&order, &place)?;
        let pinned =
            PinnedFile { path: place.specification.display().to_string(), sha256: self.suite.specification.digest };
        let directory = super::text(self.request.context.directory.as_os_str(), "the current directory")?;
        Ok(AgentOrder { directory, arguments, specification: vec![pinned], ..order })
    }
}

/// Returns the documents of a run in a directory.
fn files(record: &Path) -> Result<Vec<RunFile>, EngineError> {
    let names = private_directory::names(record)?;
    Ok(RunFile::listed(names.iter().map(String::as_str)))
}
