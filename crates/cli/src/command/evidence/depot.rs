//! `referee evidence push` and `pull`, and the depot of `referee run`, `gate` and `ci`.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::depot::{self, DepotClient, PullRequest};
use referee_engine::error::EngineError;
use referee_engine::keys;
use referee_engine::order_queue::FleetOptions;
use referee_engine::verification::Verifier;
use referee_ledger::State;
use referee_ledger::incoming_run::IncomingOutcome;
use referee_model::depot::{DepotAddress, DepotPrune, PrunedDepot, PrunedOrders, PulledRun, PushRun, PushedRun};
use referee_model::enrolment::FleetSettings;
use referee_model::exit_code;
use referee_model::id::{ProjectName, TaskId};
use referee_model::suite::Suite;
use referee_syntax::size;

use super::evidence_list;
use crate::args::agent_fleet::AgentFleet;
use crate::args::depot::{Pull, Push, RunDepot};
use crate::args::fleet::{Fleet, FleetWorkers};
use crate::args::{DepotProject, EvidenceRoot};
use crate::command::person;
use crate::output;

/// Pushes runs to a depot.
pub(in crate::command) fn push(context: &Context, arguments: &Push) -> Result<u8, EngineError> {
    let root = root(context, &arguments.root)?;
    let client = client(context, &arguments.to, &arguments.project, &root)?;
    let state = context.state_if_any()?;
    let runs = if arguments.runs.is_empty() {
        depot::newest_runs(&root, state.as_ref())?
    } else {
        let named = arguments.runs.iter().map(|run| named(context, &arguments.root, run, state.as_ref()));
        named.collect::<Result<Vec<_>, _>>()?
    };
    if runs.is_empty() {
        let shown = context.shown(&root).display();
        return Err(EngineError::usage(format!("no sealed run in {shown}: run `referee run` first")));
    }
    let pushed = client.push(runs)?;
    let text: String = pushed.iter().map(|run| pushed_line(run, &client)).collect();
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

/// Pulls the newest runs of a depot, or copies one run.
pub(in crate::command) fn pull(context: &Context, arguments: &Pull) -> Result<u8, EngineError> {
    if arguments.unsigned {
        person::refuse_to_move_the_gate(context, "accept evidence that nobody signed")?;
    }
    let root = root(context, &arguments.root)?;
    let client = client(context, &arguments.from, &arguments.project, &root)?;
    let state = context.state([root.as_path()])?;
    let keys = arguments.keys.iter().map(|key| keys::public(context, key)).collect::<Result<_, _>>()?;
    let verifier = super::verifier(keys, state.as_ref());
    if let (Some(task), Some(out)) = (&arguments.task, &arguments.out) {
        return copy(context, &client, arguments, (task, out), &verifier);
    }
    let tasks = match &arguments.task {
        Some(task) => vec![task.clone()],
        None => client.heads()?.into_iter().map(|head| head.task_id).collect(),
    };
    if tasks.is_empty() {
        let message = format!("depot {}: no run of project {} (see --project)", client.address(), client.project());
        return Err(EngineError::refused(message));
    }
    for task in &tasks {
        let request = request(arguments, task, &verifier);
        let (pulled, outcome) = depot::pull(context, &client, &root, state.as_ref(), &request)?;
        output::answer(pulled_line(context, &pulled, &outcome).as_bytes())?;
    }
    Ok(exit_code::PASSED)
}

fn request<'request>(arguments: &Pull, task: &'request TaskId, verifier: &'request Verifier) -> PullRequest<'request> {
    PullRequest { task, verifier, accept_unsigned: arguments.unsigned, max_bytes: arguments.max_bytes }
}

fn copy(
    context: &Context,
    client: &DepotClient,
    arguments: &Pull,
    (task, out): (&TaskId, &Path),
    verifier: &Verifier,
) -> Result<u8, EngineError> {
    let out = context.directory.join(out);
    let state = context.state([out.as_path()])?;
    let state = state.ok_or_else(|| EngineError::usage("--out needs a state directory: set HOME".to_owned()))?;
    let request = request(arguments, task, verifier);
    let pulled = depot::pull_copy(context, client, (&state, &out), arguments.run.as_ref(), &request)?;
    let (execution, files) = (&pulled.run.execution_id, pulled.files);
    let text = format!(
        "{task} {execution}: {files} files, {} in {}\n",
        size::short(pulled.bytes),
        context.shown(&out).display()
    );
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

/// Returns the depot of the runs of a specification, if one is given.
pub(in crate::command) fn of_suite(
    context: &Context,
    typed: &RunDepot,
    suite: &Suite,
) -> Result<Option<DepotClient>, EngineError> {
    let root = suite.tasks.first().map_or(Path::new(""), |plan| plan.evidence_root.as_path());
    of_run(context, typed, root)
}

/// Returns the depot of a run, if one is given. A depot that cannot be used is told before anything runs.
pub(in crate::command) fn of_run(
    context: &Context,
    typed: &RunDepot,
    evidence_root: &Path,
) -> Result<Option<DepotClient>, EngineError> {
    typed.depot.as_ref().map(|depot| client(context, depot, &typed.project, evidence_root)).transpose()
}

fn client(context: &Context, depot: &str, project: &DepotProject, root: &Path) -> Result<DepotClient, EngineError> {
    DepotClient::new(context, depot::address(context, depot)?, project.project.as_ref(), root)
}

/// Returns which workers perform the checks, if some are to.
pub(in crate::command) fn fleet(
    context: &Context,
    typed: &Fleet,
    depot: &RunDepot,
) -> Result<Option<FleetOptions>, EngineError> {
    if !typed.fleet {
        return Ok(None);
    }
    let settings = fleet_settings(context, &typed.workers, depot.depot.as_deref(), &depot.project)?;
    Ok(Some(FleetOptions { settings, receipt_age_ms: None }))
}

/// Returns the workers that were typed, with the depot of the environment where none was.
pub(in crate::command) fn fleet_settings(
    context: &Context,
    typed: &FleetWorkers,
    depot: Option<&str>,
    project: &DepotProject,
) -> Result<FleetSettings, EngineError> {
    let (depot, project) = (fleet_depot(context, "--fleet", depot)?, project.project.clone());
    Ok(FleetSettings { labels: typed.label.iter().cloned().collect(), depot, project, parts: typed.parts })
}

/// Returns which workers run the agent, if some are to.
pub(in crate::command) fn agent_workers(
    context: &Context,
    typed: &AgentFleet,
) -> Result<Option<FleetSettings>, EngineError> {
    if typed.label.is_empty() {
        return Ok(None);
    }
    let depot = fleet_depot(context, "--agent-label", typed.depot.as_deref())?;
    let (labels, project) = (typed.label.iter().cloned().collect(), typed.project.project.clone());
    Ok(Some(FleetSettings { labels, depot, project, parts: None }))
}

/// Returns the depot that servers of a fleet show.
pub(in crate::command) fn fleet_client(
    context: &Context,
    typed: Option<&str>,
    project: &DepotProject,
) -> Result<DepotClient, EngineError> {
    let depot = fleet_depot(context, "--fleet", typed)?;
    DepotClient::new(context, depot, project.project.as_ref(), Path::new(""))
}

/// Returns the depot that servers of a fleet write their audit logs to, which are those of no project.
pub(in crate::command) fn audit_client(context: &Context, typed: Option<&str>) -> Result<DepotClient, EngineError> {
    let depot = fleet_depot(context, "--session-key", typed)?;
    let none = ProjectName::parse("audit").map_err(EngineError::internal)?;
    DepotClient::new(context, depot, Some(&none), Path::new(""))
}

fn fleet_depot(context: &Context, option: &str, typed: Option<&str>) -> Result<DepotAddress, EngineError> {
    let of_environment = || context.variable("REFEREE_DEPOT").and_then(|depot| depot.to_str());
    let depot = typed.or_else(of_environment).ok_or_else(|| {
        EngineError::usage(format!("{option} needs a depot: name it with --evidence, or set REFEREE_DEPOT"))
    })?;
    depot::address(context, depot)
}

/// Pushes the runs that an answer rests on before it is given: evidence that is not where it has to be is none.
pub(in crate::command) fn push_runs(
    context: &Context,
    client: Option<&DepotClient>,
    directories: &[PathBuf],
) -> Result<(), EngineError> {
    // A gate that had no time to begin answers without a run.
    let Some(client) = client.filter(|_| !directories.is_empty()) else { return Ok(()) };
    let state = context.state_if_any()?;
    let runs = directories.iter().map(|directory| depot::run_at(directory, state.as_ref()));
    let pushed = client.push(runs.collect::<Result<Vec<PushRun>, _>>()?).map_err(|error| {
        let kept = directories.first().map(|directory| context.shown(directory).display().to_string());
        let message = format!(
            "{}. The run is kept in {}: push it with `referee evidence push`",
            error.message,
            kept.unwrap_or_default()
        );
        EngineError::evidence(message)
    })?;
    output::notes(pushed.iter().map(|run| pushed_line(run, client).trim_end().to_owned()))?;
    Ok(())
}

/// Removes files of old runs from a depot.
pub(super) fn prune(
    context: &Context,
    from: &str,
    (project, root): (&DepotProject, &EvidenceRoot),
    prune: DepotPrune,
) -> Result<u8, EngineError> {
    let root = self::root(context, root)?;
    let client = client(context, from, project, &root)?;
    let did = if prune.dry_run { "would be removed" } else { "were removed" };
    let PrunedDepot { runs, orders, receipts } = client.prune(prune)?;
    let mut text = String::new();
    for run in &runs {
        let line = format!("{} {}: {} files, {}\n", run.task_id, run.execution_id, run.files, size::short(run.bytes));
        text.push_str(&line);
    }
    let (files, bytes) = runs.iter().fold((0, 0_u64), |(files, bytes), run| (files + run.files, bytes + run.bytes));
    let all = format!("{} runs: {files} files, {} {did} from {}\n", runs.len(), size::short(bytes), client.address());
    text.push_str(&all);
    if orders != PrunedOrders::default() {
        let PrunedOrders { runs, trees, files, bytes } = orders;
        let bytes = size::short(bytes);
        let of_orders = format!("{runs} runs and {trees} trees of orders: {files} files, {bytes} {did}\n");
        text.push_str(&of_orders);
    }
    if receipts > 0 {
        let of_orders = format!("{receipts} receipts of orders that no run answers any more {did}\n");
        text.push_str(&of_orders);
    }
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

/// Returns the evidence root, which a new machine does not have yet.
fn root(context: &Context, root: &EvidenceRoot) -> Result<PathBuf, EngineError> {
    match &root.evidence {
        Some(directory) => Ok(context.directory.join(directory)),
        None => evidence_list::root(context, root),
    }
}

/// Returns the run that an evidence directory holds, or that an id names.
fn named(context: &Context, root: &EvidenceRoot, run: &str, state: Option<&State>) -> Result<PushRun, EngineError> {
    let directory = context.directory.join(run);
    if directory.is_dir() {
        return depot::run_at(&directory, state);
    }
    depot::run_at(Path::new(&evidence_list::find(context, root, run)?.directory), state)
}

fn pushed_line(pushed: &PushedRun, client: &DepotClient) -> String {
    let PushedRun { run, files, bytes, present } = pushed;
    format!(
        "{} {}: pushed to {} as {}, {files} files, {} ({present} were there)\n",
        run.task_id,
        run.execution_id,
        client.address(),
        client.project(),
        size::short(*bytes)
    )
}

fn pulled_line(context: &Context, pulled: &PulledRun, outcome: &IncomingOutcome) -> String {
    let (task, execution) = (&pulled.run.task_id, &pulled.run.execution_id);
    match outcome {
        IncomingOutcome::Published { directory } => {
            let shown = context.shown(directory).display();
            format!("{task} {execution}: pulled to {shown}, {} files, {}\n", pulled.files, size::short(pulled.bytes))
        }
        _ => format!("{task} {execution}: up to date\n"),
    }
}
