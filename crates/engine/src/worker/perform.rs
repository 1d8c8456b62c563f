//! Performs one order: fetches its tree, runs the task or the agent in it, and stores what came of it.

use std::sync::Arc;

use referee_exec::sweep_orphans;
use referee_ledger::order_room::OrderRoom;
use referee_model::depot::PushRun;
use referee_model::id::{Digest, ExecutionId};
use referee_model::order_protocol::{PerformRequest, WorkerOrder};
use referee_model::plan::Plan;
use referee_model::run_order::{OrderOutcome, RESULT_TYPE, RunOrder, RunOrderResult};
use referee_model::sandbox::SandboxMode;
use referee_model::selection::Scope;
use referee_model::suite::Suite;
use referee_model::tree_manifest::ContentLink;

use super::{OrderWork, answered, authorization, fetched, refused, turn};
use crate::clean_room::{self, Workspace};
use crate::depot::DepotClient;
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::pipeline;
use crate::request::{Answer, Placement, RunRequest, TaskRequest};
use crate::sandbox::{Kernel, SandboxOptions};
use crate::selection::{Selected, Selection};

/// Performs an order. `None`: it was interrupted. What another worker could not do either is an answer, not an error.
///
/// # Errors
/// Fails if the order could not be performed, or its results not stored or signed here; another attempt may succeed.
pub fn perform(
    work: OrderWork<'_>,
    request: &PerformRequest,
    events: &mut dyn EventSink,
) -> Result<Option<OrderOutcome>, EngineError> {
    let order = &request.order;
    let (own, wanted) = (work.context.host().version, order.engine_version());
    if wanted != own {
        return Ok(Some(refused(format!("the order is for Referee {wanted}, and the worker has {own}"))));
    }
    if let Some(reason) = authorization::refusal(work, request)? {
        return Ok(Some(refused(reason)));
    }
    let (state, digest) = (super::state(work.context)?, order.digest()?);
    let room = OrderRoom::take(&state, digest, &mut |run| drop(sweep_orphans(run)))?
        .ok_or_else(|| EngineError::refused("this machine performs the order already".to_owned()))?;
    let depot = DepotClient::at(work.context, request.depot.clone(), order.project().clone())?;
    let tree = match order {
        WorkerOrder::Run(order) => order.tree,
        WorkerOrder::Turn(order) => order.tree,
    };
    let manifest = match fetched(&depot, tree, &room.tree())? {
        Ok(manifest) => manifest,
        Err(refused) => return Ok(Some(refused)),
    };
    match order {
        WorkerOrder::Run(order) => perform_run(work, (order, digest, request.attempt), (&room, &depot), events),
        WorkerOrder::Turn(order) => {
            turn::perform(work, (order, digest, request.attempt), (&room, &manifest), &depot, events)
        }
    }
}

/// Runs a task whose tree was fetched to the room.
fn perform_run(
    work: OrderWork<'_>,
    (order, digest, attempt): (&RunOrder, Digest, u32),
    (room, depot): (&OrderRoom, &DepotClient),
    events: &mut dyn EventSink,
) -> Result<Option<OrderOutcome>, EngineError> {
    let suite = match suite(room, order) {
        Ok(suite) => suite,
        Err(reason) => return Ok(Some(refused(reason))),
    };
    let sandbox = SandboxOptions::of(work.sandbox.max(order.sandbox));
    if let (SandboxMode::Require, Kernel::Missing { reason }) = (sandbox.mode, &sandbox.kernel) {
        return Ok(Some(refused(format!(
            "commands must be confined, and the worker's machine cannot do it: {reason}"
        ))));
    }
    let execution = work.context.new_execution()?;
    room.begin(&execution)?;
    let answer = run(work, order, (room, &suite, sandbox), execution.clone(), events)?;
    if !work.cancellation.requests().is_empty() {
        return Ok(None);
    }
    let ended = answer.report.run.ended;
    let pushed = depot.push(vec![PushRun { directory: answer.directory, newest: false, earlier: Vec::new() }])?;
    let stored = pushed.into_iter().next().ok_or_else(crate::depot::misunderstood)?.run;
    let result = RunOrderResult {
        order: digest,
        attempt,
        execution,
        seal: ContentLink { sha256: stored.seal_digest, bytes: stored.seal_bytes },
        ended,
    };
    answered(work, (digest, depot), (RESULT_TYPE, &result.encode()?), events).map(Some)
}

/// Returns the specification in the tree, reduced to the task, or why the order cannot be performed.
fn suite(room: &OrderRoom, order: &RunOrder) -> Result<Suite, String> {
    let file = room.tree().join(order.specification.as_str());
    let options = referee_spec::Options { workspace: Some(room.tree()) };
    let loaded = referee_spec::load(&file, &options).map_err(|error| EngineError::from(error).message)?;
    let found = loaded.suite.specification.digest;
    if found != order.specification_digest {
        return Err(format!("{} in the tree is another specification than the order names", order.specification));
    }
    let task = loaded.suite.task(&order.task).cloned();
    let mut plan: Plan = task.ok_or_else(|| format!("{} has no task {}", order.specification, order.task))?;
    plan.evidence_root = room.evidence();
    clean_room::always_set_up(&mut plan);
    Ok(Suite { tasks: vec![plan], ..loaded.suite })
}

fn run(
    work: OrderWork<'_>,
    order: &RunOrder,
    (room, suite, sandbox): (&OrderRoom, &Suite, SandboxOptions),
    execution: ExecutionId,
    events: &mut dyn EventSink,
) -> Result<Answer, EngineError> {
    let state = room.state()?;
    let request = RunRequest {
        suite,
        tasks: &[],
        selection: &Selection::default(),
        baseline: None,
        placement: Placement::Order,
        workspace: &Workspace::InPlace,
        state: Some(&state),
        sandbox,
        signer: Some(Arc::clone(work.signer)),
        protection: None,
        jobs: order.jobs,
        processors: work.context.processors,
        executions: vec![execution.clone()],
        exec: work.context.for_exec()?,
        host: work.context.host(),
        cancellation: work.cancellation,
    };
    let plan = suite.task(&order.task).ok_or_else(|| EngineError::internal(format!("{} is gone", order.task)))?;
    let scope = Scope { profile: plan.profile, reduced: !order.left_out.is_empty() };
    let task = TaskRequest {
        run: &request,
        plan,
        execution,
        selected: Selected { scope, left_out: order.left_out.clone() },
        time_left: order.timeout_ms,
        block: None,
        probes: None,
    };
    pipeline::run(&task, events)
}
