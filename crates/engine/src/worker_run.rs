//! Runs that a worker performed on another machine (design, "Fleet"): ordered, verified, and played into the recorder of
//! this one, which judges them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use referee_ledger::evidence::Evidence;
use referee_ledger::key::{KeyId, PublicKey};
use referee_ledger::private_directory::PrivateDirectory;
use referee_ledger::trust::{Role, TrustStore};
use referee_ledger::{attest, verify};
use referee_model::document::DocumentError;
use referee_model::id::{ActionId, Digest, TaskId, WorkspacePath};
use referee_model::order_protocol::{OrderRequest, WorkerOrder};
use referee_model::plan::{Action, Plan};
use referee_model::record::{Host, RunEnding, RunRecord};
use referee_model::run_context::SharedReceipt;
use referee_model::run_order::{OrderOutcome, RESULT_TYPE, RunOrder, RunOrderResult};
use referee_model::seal::Seal;
use referee_model::selection::LeftOut;
use referee_model::{evidence_name, limit};
use referee_syntax::cut;

use crate::error::{EngineError, ErrorKind};
use crate::event_sink::{EventSink, OrderProgress};
use crate::order_queue::{FleetClient, OrderAnswer, QUEUE_MS, fault};
use crate::request::{BlockReason, TaskRequest};
use crate::{agreement, redaction, verification};

mod assembly;
mod division;
mod part_orders;
mod play;
mod receipt;
mod tree_union;
mod wait;

pub(crate) use self::assembly::Assembly;
#[cfg(test)]
pub(crate) use self::assembly::PartRun;
#[cfg(test)]
pub(crate) use self::division::{Split, divide};
pub(crate) use self::play::play;
#[cfg(test)]
pub(crate) use self::receipt::{out_of_date, take};
pub(crate) use self::wait::Wait;
use self::wait::longest_ms;

/// The time of a run in an order is a multiple of this, in milliseconds, so that equal questions are equal orders.
const TIME_STEP_MS: u64 = 10_000;

/// Where a task is performed.
pub(crate) enum Placed {
    /// On this machine.
    Here,
    /// Nowhere.
    Blocked(BlockReason),
    /// On another machine: its sealed run.
    Worker(Box<WorkerRun>),
    /// On other machines, in parts: their sealed runs.
    Parts(Box<Assembly>),
}

/// A sealed run of a worker that answers an order. The seal, the signatures and the inputs are verified.
pub(crate) struct WorkerRun {
    pub(crate) evidence: Evidence,
    pub(crate) seal: Seal,
    /// The plan as the worker stored it, in its own directory.
    pub(crate) plan: Plan,
    pub(crate) run: RunRecord,
    /// The signed result.
    pub(crate) envelope: String,
    pub(crate) signer: KeyId,
    /// Why it is the run of the whole task, although parts were asked for. `None`: none were, or it is that of one.
    pub(crate) whole: Option<String>,
    /// What became of the receipt of the order. `None`: there was none, or none was looked for.
    pub(crate) receipt: Option<SharedReceipt>,
    /// Holds the evidence. `None`: somebody else does.
    pub(crate) _directory: Option<PrivateDirectory>,
}

/// What a run must be to answer an order.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'run> {
    pub(crate) order: Digest,
    pub(crate) task: &'run TaskId,
    /// The plan as this machine would store it.
    pub(crate) plan: &'run Plan,
    /// Digest of the inputs.
    pub(crate) inputs: Digest,
}

/// Has workers perform a task, or takes the receipt of an earlier run of the same order, and verifies the runs. `obstacle`
/// says why no receipt may be taken here.
///
/// # Errors
/// Fails if the queue or the depot cannot be used, and if what a worker answers is not what it signed.
pub(crate) fn place(
    fleet: &FleetClient,
    request: &TaskRequest<'_>,
    (inputs, obstacle, plan): (Option<Digest>, Option<&str>, &Plan),
    redact: &dyn Fn(&str) -> String,
    events: &mut dyn EventSink,
) -> Result<Placed, EngineError> {
    let (Some(state), Some(room)) = (request.run.state, request.room()) else {
        return Err(EngineError::internal("an order has no state directory, or no clean room".to_owned()));
    };
    let Some(inputs) = inputs else {
        return Ok(not_performed("the state of the inputs is not known", redact));
    };
    let Ok(specification) = WorkspacePath::parse(&request.plan.specification.file) else {
        return Ok(not_performed("the specification is not in the workspace", redact));
    };
    let keys = TrustStore::read(state)?.believed(Role::Worker, request.run.exec.clock.now());
    let manifest = room.room().manifest().map_err(EngineError::evidence)?;
    let tree = fleet.depot.put_tree(room.room().tree(), manifest).map_err(of_depot)?;
    let order = RunOrder {
        project: fleet.depot.project().clone(),
        tree,
        inputs,
        specification,
        specification_digest: request.run.suite.specification.digest,
        task: request.plan.task.clone(),
        left_out: request.selected.left_out.clone(),
        jobs: request.run.jobs,
        timeout_ms: request.time_left.map(|time| time.div_ceil(TIME_STEP_MS) * TIME_STEP_MS),
        sandbox: request.run.sandbox.mode,
        engine_version: request.run.host.version.clone(),
        labels: fleet.labels.clone(),
    };
    let receiver = Receiver { fleet, request, plan, inputs, keys: &keys, redact };
    let receipt = match receipt::find(&receiver, order.digest()?, obstacle)? {
        Some(Ok(run)) => {
            run.receipt.iter().for_each(|taken| events.on_order(&OrderProgress::Receipt(taken.clone())));
            return Ok(Placed::Worker(Box::new(run)));
        }
        Some(Err(reason)) => {
            let not_taken = SharedReceipt::NotTaken { reason: redact(&reason) };
            events.on_order(&OrderProgress::Receipt(not_taken.clone()));
            Some(not_taken)
        }
        None => None,
    };
    let division = parts(fleet, request, plan);
    if let Some(Ok(parts)) = division {
        let orders = parts.into_iter().map(|left_out| RunOrder { left_out, ..order.clone() }).collect();
        return part_orders::place(&receiver, state, (orders, receipt), events);
    }
    let whole = division.and_then(Result::err);
    let wait = Wait::of(request, request.run.cancellation);
    let envelope =
        match wait.ask(&fleet.queue, &receiver.asked(order.clone())?, &mut |progress| events.on_order(progress))? {
            OrderAnswer::Answered(OrderOutcome::Performed { result }) => result,
            OrderAnswer::Answered(OrderOutcome::Refused { reason }) | OrderAnswer::TimedOut { reason } => {
                return Ok(not_performed(&reason, redact));
            }
            OrderAnswer::OutOfTime => return Ok(Placed::Blocked(BlockReason::DeadlinePassed)),
            OrderAnswer::Interrupted { signal } => return Ok(Placed::Blocked(BlockReason::Interrupted { signal })),
        };
    let directory = PrivateDirectory::of_workers(state, &request.execution)?;
    Ok(match receiver.fetch(&order, envelope, directory.path())? {
        Ok(run) => Placed::Worker(Box::new(WorkerRun { receipt, _directory: Some(directory), whole, ..run })),
        Err(reason) => not_performed(&reason, redact),
    })
}

/// Returns the parts that the task is ordered in, or why it is ordered whole although parts were asked for. `None`: none were.
fn parts(
    fleet: &FleetClient,
    request: &TaskRequest<'_>,
    plan: &Plan,
) -> Option<Result<Vec<BTreeMap<ActionId, LeftOut>>, String>> {
    let parts = fleet.parts.filter(|parts| parts.get() > 1)?;
    let split = division::Split { parts, jobs: request.run.jobs };
    let cost = |action: &Action| division::last_duration_ms(plan, action);
    Some(division::divide(plan, &request.selected.left_out, split, &cost))
}

fn not_performed(reason: &str, redact: &dyn Fn(&str) -> String) -> Placed {
    let reason = redact(&cut::first_line(reason, limit::PROTECTION_TEXT_CHARACTERS));
    Placed::Blocked(BlockReason::NotPerformed { reason })
}

/// Fetches and verifies what workers answer to the orders of a task.
struct Receiver<'run> {
    fleet: &'run FleetClient,
    request: &'run TaskRequest<'run>,
    /// The plan as this machine would store it.
    plan: &'run Plan,
    inputs: Digest,
    keys: &'run [PublicKey],
    redact: &'run dyn Fn(&str) -> String,
}

impl Receiver<'_> {
    /// Returns what the queue is asked for an order.
    fn asked(&self, order: RunOrder) -> Result<OrderRequest, EngineError> {
        let timeout_ms = longest_ms(self.request).saturating_add(QUEUE_MS);
        self.fleet.request(WorkerOrder::Run(order), timeout_ms, self.request.run.signer.as_deref())
    }

    /// Fetches the run that answers an order to a directory. The reason is that why it was not performed.
    fn fetch(&self, order: &RunOrder, envelope: String, into: &Path) -> Result<Result<WorkerRun, String>, EngineError> {
        let digest = order.digest()?;
        let (result, signers) = open(&envelope, digest, self.keys)?;
        let depot = &self.fleet.depot;
        let fetched = depot.fetch_run(result.seal, into, limit::ORDER_FETCHED_BYTES).map_err(of_depot)?;
        fetched.map_err(|failure| of_depot(depot.error(&failure)))?;
        self.verify(into, (envelope, &result, &signers), digest)
    }

    /// Verifies the run that was fetched to a directory, as [`receive`] does.
    fn verify(
        &self,
        fetched: &Path,
        signed: (String, &RunOrderResult, &[KeyId]),
        order: Digest,
    ) -> Result<Result<WorkerRun, String>, EngineError> {
        let expected = Expected { order, task: &self.request.plan.task, plan: self.plan, inputs: self.inputs };
        receive(&fetched.join("run"), signed, expected, self.redact)
    }
}

/// Returns the error of a depot, without which there is no verdict.
pub(crate) fn of_depot(error: EngineError) -> EngineError {
    match error.kind {
        ErrorKind::Refused => EngineError { kind: ErrorKind::Evidence, ..error },
        _ => error,
    }
}

/// Opens the signed result of an order.
///
/// # Errors
/// Fails if no trusted worker signed it, or if it is that of another order.
pub(crate) fn open(
    envelope: &str,
    order: Digest,
    keys: &[PublicKey],
) -> Result<(RunOrderResult, Vec<KeyId>), EngineError> {
    open_result(envelope, (RESULT_TYPE, order), keys, |payload| {
        RunOrderResult::decode(payload).map(|result| (result.order, result))
    })
}

/// Opens the signed result of an order of any kind. `decode` returns what it answers, and itself.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_result<Content>(
    envelope: &str,
    (payload_type, order): (&str, Digest),
    keys: &[PublicKey],
    decode: impl FnOnce(&[u8]) -> Result<(Digest, Content), DocumentError>,
) -> Result<(Content, Vec<KeyId>), EngineError> {
    let wrong = |why: String| fault(format!("the answer of a worker cannot be trusted: {why}"));
    let opened = attest::open(envelope.as_bytes(), payload_type, keys).map_err(|error| wrong(error.to_string()))?;
    let (answered, result) = decode(&opened.payload).map_err(|error| wrong(error.to_string()))?;
    if answered != order {
        return Err(wrong(format!("it answers the order {answered}, and {order} was asked")));
    }
    Ok((result, opened.signers))
}

/// Verifies a run that was fetched: that it is the one that the result names, unchanged since it was sealed, and signed by
/// the same key. Otherwise there is no verdict. A run of another plan, or about another tree, is returned as the reason why
/// the task was not performed.
///
/// # Errors
/// Fails if the run is not what the worker signed.
pub(crate) fn receive(
    directory: &Path,
    (envelope, result, signers): (String, &RunOrderResult, &[KeyId]),
    expected: Expected<'_>,
    redact: &dyn Fn(&str) -> String,
) -> Result<Result<WorkerRun, String>, EngineError> {
    let wrong = |why: String| fault(format!("{} of a worker cannot be trusted: {why}", result.execution));
    let integrity = verify::integrity(directory)?;
    if let Some(finding) = integrity.findings.first() {
        return Err(wrong(finding.to_string()));
    }
    let evidence = Evidence::open(directory)?;
    let seal = integrity.seal.ok_or_else(|| wrong("it is not sealed".to_owned()))?;
    let sealed = evidence.read(evidence_name::SEAL)?;
    let rows = [
        (Digest::of(&sealed) == result.seal.sha256, "its seal is not the one that was signed"),
        (seal.execution_id == result.execution, "its seal names another run"),
        (seal.task_id == *expected.task, "it is the run of another task"),
        (result.order == expected.order, "it answers another order"),
    ];
    if let Some((_, why)) = rows.iter().find(|(holds, _)| !holds) {
        return Err(wrong((*why).to_owned()));
    }
    let signer = signers.iter().find(|key| verification::is_signed_by(&evidence, &seal, key.digest()));
    let signer = *signer.ok_or_else(|| wrong("the key that signed the answer did not sign the run".to_owned()))?;
    let contradictions = agreement::of_headers(&evidence, &seal).map_err(|error| wrong(error.message))?;
    if let Some(contradiction) = contradictions.first() {
        return Err(wrong(contradiction.clone()));
    }
    let plan = referee_model::plan::plan_document::read(&evidence.read(evidence_name::PLAN)?);
    let run = referee_model::record::header::read(&evidence.read(evidence_name::RUN)?);
    let plan = plan.map_err(|error| wrong(error.to_string()))?;
    let run = run.map_err(|error| wrong(error.to_string()))?;
    let plan = redaction::plan(&Plan { evidence_root: expected.plan.evidence_root.clone(), ..plan }, redact);
    if !is_same(&plan, expected.plan)? {
        return Ok(Err("the plan of the worker is another one than that of this machine".to_owned()));
    }
    let before = run.run_context.tree.as_ref().map(|tree| tree.before.digest);
    match before {
        Some(before) if before != expected.inputs => {
            Ok(Err("the inputs on the worker are others than those on this machine".to_owned()))
        }
        None if run.ending == RunEnding::Finished => {
            Ok(Err("the worker does not know the state of the inputs".to_owned()))
        }
        _ => Ok(Ok(WorkerRun {
            evidence,
            seal,
            plan,
            run,
            envelope,
            signer,
            whole: None,
            receipt: None,
            _directory: None,
        })),
    }
}

/// Returns whether two plans differ at most in the directory of the workspace.
fn is_same(of_worker: &Plan, own: &Plan) -> Result<bool, EngineError> {
    let there = of_worker.workspace.to_string_lossy().into_owned();
    let here = own.workspace.to_string_lossy().into_owned();
    let mut own = serde_json::to_value(own)?;
    replace(&mut own, (&here, &there));
    Ok(own == serde_json::to_value(of_worker)?)
}

/// Replaces a path in all texts of a document.
fn replace(value: &mut serde_json::Value, (from, to): (&str, &str)) {
    match value {
        serde_json::Value::String(text) if text.contains(from) => *text = text.replace(from, to),
        serde_json::Value::Array(values) => values.iter_mut().for_each(|value| replace(value, (from, to))),
        serde_json::Value::Object(members) => members.values_mut().for_each(|value| replace(value, (from, to))),
        _ => {}
    }
}

impl Placed {
    /// Returns the plan as the workers stored it. `None`: no worker performed the task.
    pub(crate) fn plan(&self) -> Option<Plan> {
        match self {
            // Paths in what it printed lie in the workspace that it had.
            Self::Worker(worker) => Some(worker.plan.clone()),
            Self::Parts(assembly) => assembly.plan(),
            Self::Here | Self::Blocked(_) => None,
        }
    }

    /// Returns what workers signed, with the names of the files that hold it.
    pub(crate) fn results(&self) -> Vec<(String, &str)> {
        match self {
            Self::Worker(worker) => vec![(evidence_name::FLEET_RESULT.to_owned(), worker.envelope.as_str())],
            Self::Parts(assembly) => assembly.results().collect(),
            Self::Here | Self::Blocked(_) => Vec::new(),
        }
    }

    /// Adds where the task was performed to the header of the run.
    pub(crate) fn add_to(&self, run: &mut RunRecord, redact: &dyn Fn(&str) -> String) {
        match self {
            Self::Worker(worker) => worker.add_to(run, redact),
            Self::Parts(assembly) => assembly.add_to(run, redact),
            Self::Blocked(BlockReason::NotPerformed { reason }) => {
                run.notices.push(format!("no worker performed the run: {reason}"));
            }
            Self::Here | Self::Blocked(_) => {}
        }
    }
}

/// Adds what became of the receipt of the order.
fn add_receipt(receipt: Option<&SharedReceipt>, run: &mut RunRecord) {
    run.notices.extend(receipt.map(SharedReceipt::sentence));
    run.run_context.shared_receipt = receipt.cloned();
}

impl WorkerRun {
    /// Adds what the worker observed around the checks to the header of this run.
    pub(crate) fn add_to(&self, run: &mut RunRecord, redact: &dyn Fn(&str) -> String) {
        let theirs = &self.run;
        // The agent is the one that asked.
        run.host = Host { agent: run.host.agent.take(), ..theirs.host.clone() };
        self.widen(run);
        run.run_context.tree.clone_from(&theirs.run_context.tree);
        run.run_context.stale_tests.clone_from(&theirs.run_context.stale_tests);
        run.run_context.confinement.clone_from(&theirs.run_context.confinement);
        run.notices.push(format!("performed by a worker as {}, signed by {}", theirs.execution, self.signer));
        run.notices.extend(self.whole.iter().map(|why| redact(&format!("the run was not split into parts: {why}"))));
        add_receipt(self.receipt.as_ref(), run);
        let notices: BTreeSet<&String> = theirs.notices.iter().collect();
        run.notices.extend(notices.into_iter().map(|notice| redact(&format!("on the worker: {notice}"))));
    }

    /// Has a run begin before and end after what the worker did for it: who attaches to an order asks for what has begun already,
    /// and no two machines have the same time. Of an earlier run that answers, the receipt has the times.
    fn widen(&self, run: &mut RunRecord) {
        if matches!(self.receipt, Some(SharedReceipt::Taken { .. })) {
            return;
        }
        run.started = run.started.min(self.run.started);
        run.ended = run.ended.max(self.run.ended);
    }
}
