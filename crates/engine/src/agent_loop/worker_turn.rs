//! A turn of an agent on a worker: the workspace goes there, and what the agent made of it comes back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use referee_exec::ExecError;
use referee_exec::agent_process::AgentEnd;
use referee_ledger::LedgerError;
use referee_ledger::agent_runs::Handed;
use referee_ledger::attest::Signer;
use referee_ledger::clean_room::{TreeScope, manifest};
use referee_ledger::pending_turn;
use referee_ledger::private_directory::{self, PrivateDirectory};
use referee_ledger::tree_update;
use referee_ledger::trust::{Role, TrustStore};
use referee_model::enrolment::FleetSettings;
use referee_model::id::{Digest, WorkspacePath};
use referee_model::limit;
use referee_model::order_protocol::{PendingTurn, WorkerOrder};
use referee_model::plan::Plan;
use referee_model::record::{Ending, StartFailure, Stream};
use referee_model::run_order::OrderOutcome;
use referee_model::tree_manifest::{ContentLink, TreeManifest};
use referee_model::turn_order::{HANDED_TURN, HandedTurn, OUTPUT, RESULT_TYPE, TurnOrder, TurnOrderResult};

use super::streams::Streams;
use super::{Agent, AgentRunner, AgentTurn, TurnEnd};
use crate::clean_room;
use crate::context::Context;
use crate::depot::DepotClient;
use crate::error::EngineError;
use crate::event_sink::OrderProgress;
use crate::order_queue::{FleetClient, FleetOptions, OrderAnswer, QUEUE_MS};
use crate::worker_run::{Wait, of_depot, open_result};

/// Maximum size of what comes back of a stream, in bytes: more than a worker keeps.
const OUTPUT_BYTES: u64 = 2 * limit::AGENT_ANSWER_STREAM_BYTES as u64;

/// The workers that run an agent.
#[derive(Clone)]
pub struct AgentWorkers {
    client: FleetClient,
    signer: Arc<Signer>,
    /// Which files of the workspace are sent.
    scope: TreeScope,
    /// Version of Referee, which the worker must have.
    version: String,
}

impl AgentWorkers {
    /// Finds the workers for a project with these tasks. Orders are signed, because no worker runs an agent otherwise.
    ///
    /// # Errors
    /// Fails without a signer, a trusted worker, or the program that speaks with depot and queue.
    pub(crate) fn of_project(
        context: &Context,
        settings: FleetSettings,
        signer: Option<Arc<Signer>>,
        (tasks, workspace): (&[Plan], &Path),
    ) -> Result<Self, EngineError> {
        let signer = signer.ok_or_else(|| {
            EngineError::usage(
                "a worker runs an agent for a signed order alone: name a key with --key or REFEREE_KEY, which the worker \
                 trusts with `referee key trust KEY.pub.pem --name NAME --as runner`"
                    .to_owned(),
            )
        })?;
        let state = context.state([workspace])?;
        let evidence_root = clean_room::evidence_root(tasks, workspace);
        let options = FleetOptions { settings, receipt_age_ms: None };
        let client = FleetClient::new(context, state.as_ref(), &options, &evidence_root)?;
        Ok(Self { client, signer, scope: clean_room::scope(tasks, workspace), version: context.host().version })
    }

    pub(crate) fn depot(&self) -> &DepotClient {
        &self.client.depot
    }

    pub(crate) fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Returns which files of the workspace are sent.
    pub(crate) fn scope(&self) -> &TreeScope {
        &self.scope
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Leaves another directory of the workspace out of what is sent.
    #[must_use]
    pub(crate) fn without(mut self, directory: Option<WorkspacePath>) -> Self {
        self.scope.excluded.extend(directory);
        self
    }
}

/// Reason why a turn could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TurnError {
    /// On this machine.
    #[error(transparent)]
    Here(#[from] ExecError),
    /// On a worker.
    #[error(transparent)]
    Worker(#[from] EngineError),
}

impl AgentRunner<'_> {
    /// Runs a turn of the agent, here or on a worker. Processes that it leaves running are ended with the turn.
    /// Variables name the files of `handed`, which the agent may read.
    pub(crate) fn run(&self, agent: &Agent, handed: &Handed, turn: AgentTurn<'_>) -> Result<TurnEnd, TurnError> {
        match &agent.workers {
            Some(workers) => Ok(run(self, (agent, workers), handed, &turn)?),
            None => Ok(self.run_here(agent, turn)?),
        }
    }

    /// Completes a turn that an earlier process of this loop had a worker run. `None`: there is none.
    pub(crate) fn resume(&self, agent: &Agent, number: u32) -> Result<Option<TurnEnd>, EngineError> {
        match &agent.workers {
            Some(workers) => resume(self, (agent, workers), number),
            None => Ok(None),
        }
    }
}

/// Has a worker run a turn, and takes its changes over into the workspace.
///
/// # Errors
/// Fails if queue or depot cannot be used, if what comes back is not what a trusted worker signed, and if the workspace was
/// changed here meanwhile.
fn run(
    runner: &AgentRunner<'_>,
    (agent, workers): (&Agent, &AgentWorkers),
    handed: &Handed,
    turn: &AgentTurn<'_>,
) -> Result<TurnEnd, EngineError> {
    let depot = &workers.client.depot;
    let before = manifest(runner.directory, &workers.scope).map_err(EngineError::evidence)?;
    let order = WorkerOrder::Turn(TurnOrder {
        project: depot.project().clone(),
        tree: depot.put_tree(runner.directory, before.clone())?,
        handed: hand_over(workers, handed, turn)?,
        run: runner.marker.clone(),
        turn: turn.number,
        timeout_ms: turn.timeout,
        engine_version: workers.version.clone(),
        labels: workers.client.labels.clone(),
    });
    let request = workers.client.request(order, turn.timeout.saturating_add(QUEUE_MS), Some(&workers.signer))?;
    let pending = PendingTurn { request, turn: turn.number, before };
    pending_turn::keep(runner.state, &runner.marker, &pending)?;
    if let (Some(checkpoints), WorkerOrder::Turn(order)) = (&runner.checkpoints, &pending.request.order) {
        checkpoints.take(order.tree, Some(pending.request.clone()))?;
    }
    let answer = ask(runner, (agent, workers), &pending)?;
    complete(runner, (agent, workers), &pending, answer)
}

/// Completes a turn that an earlier process of this loop has ordered, whether a worker has answered meanwhile or not. `None`: it
/// has ordered none.
///
/// # Errors
/// As [`run`].
fn resume(
    runner: &AgentRunner<'_>,
    (agent, workers): (&Agent, &AgentWorkers),
    number: u32,
) -> Result<Option<TurnEnd>, EngineError> {
    let Some(pending) = pending_turn::find(runner.state, &runner.marker, number)? else { return Ok(None) };
    let digest = pending.request.order.digest()?;
    let depot = &workers.client.depot;
    let receipt = depot.find_receipt(digest).map_err(of_depot)?;
    let receipt = receipt.map_err(|failure| of_depot(depot.error(&failure)))?;
    let believed = receipt.filter(|envelope| open(runner, envelope, digest).is_ok());
    let answer = match believed {
        Some(result) => OrderAnswer::Answered(OrderOutcome::Performed { result }),
        None => ask(runner, (agent, workers), &pending)?,
    };
    complete(runner, (agent, workers), &pending, answer).map(Some)
}

/// Waits for what becomes of an order.
fn ask(
    runner: &AgentRunner<'_>,
    (agent, workers): (&Agent, &AgentWorkers),
    pending: &PendingTurn,
) -> Result<OrderAnswer, EngineError> {
    let wait = Wait::until_given_up(runner.host.clock, runner.cancellation);
    wait.ask(&workers.client.queue, &pending.request, &mut |progress| show(agent, progress))
}

/// Takes over what a worker answered.
fn complete(
    runner: &AgentRunner<'_>,
    (agent, workers): (&Agent, &AgentWorkers),
    pending: &PendingTurn,
    answer: OrderAnswer,
) -> Result<TurnEnd, EngineError> {
    let envelope = match answer {
        OrderAnswer::Answered(OrderOutcome::Performed { result }) => result,
        OrderAnswer::Answered(OrderOutcome::Refused { reason }) | OrderAnswer::TimedOut { reason } => {
            pending_turn::forget(runner.state, &runner.marker)?;
            return Ok(not_run(runner, could_not_start(runner, &reason)));
        }
        OrderAnswer::OutOfTime | OrderAnswer::Interrupted { .. } => {
            return Ok(not_run(runner, Ending::Interrupted { killed: false }));
        }
    };
    let result = open(runner, &envelope, pending.request.order.digest()?)?;
    let directory = PrivateDirectory::make(runner.state, &runner.marker)?;
    let tree = directory.path().join("tree");
    let after = fetch(workers, result.tree, &tree)?;
    let end = left(runner, (agent, workers), result, directory.path())?;
    let updated = tree_update::update(runner.directory, (&pending.before, &after), &tree);
    // What was changed on this machine as well stays, so nobody can take the changes over later either.
    if matches!(updated, Err(LedgerError::Unusable { .. })) {
        pending_turn::forget(runner.state, &runner.marker)?;
    }
    updated?;
    pending_turn::forget(runner.state, &runner.marker)?;
    Ok(end)
}

/// Opens what a trusted worker signed about an order.
fn open(runner: &AgentRunner<'_>, envelope: &str, order: Digest) -> Result<TurnOrderResult, EngineError> {
    let keys = TrustStore::read(runner.state)?.believed(Role::Worker, runner.now());
    let opened = open_result(envelope, (RESULT_TYPE, order), &keys, |payload| {
        TurnOrderResult::decode(payload).map(|result| (result.order, result))
    });
    opened.map(|(result, _)| result)
}

/// Stores what the agent is handed: its command, variables and input, and the files that variables name.
fn hand_over(workers: &AgentWorkers, directory: &Handed, turn: &AgentTurn<'_>) -> Result<ContentLink, EngineError> {
    let text = |word: &OsString| {
        let text = word.clone().into_string();
        text.map_err(|word| {
            EngineError::usage(format!("{} is not UTF-8, and cannot be sent to a worker", word.display()))
        })
    };
    let mut handed = HandedTurn {
        command: turn.argv.to_vec(),
        variables: BTreeMap::new(),
        files: BTreeMap::new(),
        input: String::from_utf8(turn.input.to_vec()).map_err(EngineError::internal)?,
        excluded: workers.scope.excluded.clone(),
        outputs: workers.scope.outputs.clone(),
    };
    for (name, value) in &turn.variables {
        let file = Path::new(value).strip_prefix(directory.path()).ok().and_then(Path::to_str);
        match file.map(WorkspacePath::parse) {
            Some(path) => drop(handed.files.insert(text(name)?, path.map_err(EngineError::internal)?)),
            None => drop(handed.variables.insert(text(name)?, text(value)?)),
        }
    }
    directory.write(HANDED_TURN, &handed.encode()?)?;
    let files = manifest(directory.path(), &TreeScope::default()).map_err(EngineError::internal)?;
    let link = workers.client.depot.put_tree(directory.path(), files)?;
    // It is of no use to an agent.
    directory.discard(HANDED_TURN)?;
    Ok(link)
}

fn fetch(workers: &AgentWorkers, tree: ContentLink, into: &Path) -> Result<TreeManifest, EngineError> {
    let depot = &workers.client.depot;
    private_directory::nested(into)?;
    let fetched = depot.fetch_tree(tree, into, limit::ORDER_FETCHED_BYTES).map_err(of_depot)?;
    fetched.map_err(|failure| of_depot(depot.error(&failure)))
}

/// Returns the end of a turn, with what the agent printed.
fn left(
    runner: &AgentRunner<'_>,
    (agent, workers): (&Agent, &AgentWorkers),
    result: TurnOrderResult,
    directory: &Path,
) -> Result<TurnEnd, EngineError> {
    let output = directory.join("output");
    fetch(workers, result.output, &output)?;
    let streams = Streams::new(&runner.redactor, agent.live.clone());
    let mut tap = streams.tap();
    for (name, stream) in OUTPUT.iter().zip([Stream::Stdout, Stream::Stderr]) {
        let bytes = private_directory::read(&output, name, OUTPUT_BYTES)?;
        tap(stream, &bytes.unwrap_or_default());
    }
    let [stdout, stderr] = streams.finish();
    let end = AgentEnd {
        duration_ms: result.ended.milliseconds_since(result.started),
        ending: result.ending,
        started: result.started,
        ended: result.ended,
        leaked: result.leaked,
    };
    Ok(TurnEnd { end, stdout, stderr })
}

fn could_not_start(runner: &AgentRunner<'_>, reason: &str) -> Ending {
    Ending::CouldNotStart { cause: StartFailure::System, message: runner.redactor.text(reason) }
}

fn not_run(runner: &AgentRunner<'_>, ending: Ending) -> TurnEnd {
    let now = runner.now();
    let end = AgentEnd { ending, started: now, ended: now, duration_ms: 0, leaked: Vec::new() };
    let [stdout, stderr] = Streams::new(&runner.redactor, None).finish();
    TurnEnd { end, stdout, stderr }
}

/// Shows what becomes of the order, where the output of the agent is shown.
fn show(agent: &Agent, progress: &OrderProgress) {
    let text = match progress {
        OrderProgress::Queued { attached: true } => "the turn is being run already: waiting for it\n",
        OrderProgress::Queued { attached: false } => "the turn is in the queue of workers\n",
        OrderProgress::NoWorker => "no worker with these labels asks for orders: waiting\n",
        OrderProgress::Receipt(_) | OrderProgress::Event(_) | OrderProgress::Part { .. } => return,
    };
    agent.tell(text);
}
