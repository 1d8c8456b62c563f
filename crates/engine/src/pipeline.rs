//! The main pipeline: runs, records, judges and seals a plan.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use referee_exec::{ExecError, Schedule};
use referee_judge::criteria;
use referee_judge::waiver::Waivers;
use referee_ledger::attest::Signer;
use referee_ledger::redact::Redactor;
use referee_ledger::staging::Staging;
use referee_ledger::{Published, Store};
use referee_model::event::EventKind;
use referee_model::evidence_name;
use referee_model::id::{ActionId, ExecutionId, TaskId};
use referee_model::plan::{Action, Plan};
use referee_model::record::{RunEnding, RunRecord, SkipReason};
use referee_model::report::{Ran, Report};
use referee_model::run_context::RunContext;
use referee_model::time::Timestamp;

use crate::debt::Book;
use crate::environment_probe::EnvironmentProbe;
use crate::error::EngineError;
use crate::evaluation::Answered;
use crate::event_sink::EventSink;
use crate::judgement::{self, Question};
use crate::recorder::{self, Beside, RunRecorder, Stage, StagingSink};
use crate::request::{Answer, BlockReason, Placement, TaskRequest};
use crate::stored_baseline::{self, StoredBaseline};
use crate::worker_run::{self, Placed};
use crate::{diagnostic_register, earlier_tests, redaction, signer, silent_files, status, waivers};

mod probes;

/// Runs a plan, and returns its sealed report.
///
/// # Errors
/// Fails if evidence cannot be stored: then there is no verdict, and the run stays visibly unfinished. A failing
/// check, an interrupted run and an engine that fails midway are answers, not errors.
pub fn run(request: &TaskRequest<'_>, events: &mut dyn EventSink) -> Result<Answer, EngineError> {
    let begun = request.run.exec.clock.elapsed_ms();
    let store = Store::open_with(&request.plan.evidence_root, request.run.state)?;
    let redactor = redaction::redactor(request.plan, &request.run.exec.environment);
    let notices = end_earlier_runs(&store, request.plan, &redactor)?;
    let register_notes = diagnostic_register::catch_up(&store, &request.plan.task);
    let mut staging = store.begin(&request.plan.task, &request.execution, redactor)?;

    let mut judged_plan = redaction::plan(request.plan, &|text| staging.redact_text(text));
    let started = request.run.exec.clock.now();
    begin(&request.execution, &judged_plan, started, &mut staging, events)?;
    let held = hold(request, &judged_plan, &mut staging)?;
    let redact = |text: &str| staging.redact_text(text);
    // The stored plan may name another directory: a secret in its path is redacted.
    let waivers = waivers::found(request.plan, request.run.state, started, &redact);
    let surroundings = EnvironmentProbe::before(request, &store, &judged_plan, (&waivers, started), &redact)?;
    let placed = place(request, &surroundings, &judged_plan, &redact, events)?;
    for (name, envelope) in placed.results() {
        staging.put(&name, envelope.as_bytes())?;
    }
    judged_plan = placed.plan().unwrap_or(judged_plan);
    store_plan(&judged_plan, &mut staging)?;

    let stage = Stage::new(staging);
    let beside = Beside { held: held.as_ref(), waivers: Waivers::new(&waivers, started) };
    let mut recorder = RunRecorder::new(&judged_plan, &stage, events, &request.selected.left_out, beside);
    recorder.room = request.room();
    let ending = perform(request, (&surroundings, &placed), &judged_plan, &stage, &mut recorder)?;
    recorder.end(request.run.exec.clock.now())?;
    let mut run = run_record(request, (started, ending), notices, &mut recorder);
    let redact = |text: &str| stage.redact(text);
    run.notices.extend(recorder.unkept.take().map(|why| redact(&why)));
    run.notices.append(&mut recorder.notices);
    let (confined, seen) = surroundings.after(request, &mut run, &redact)?;
    placed.add_to(&mut run, &redact);
    run.run_context.silent_files = silent_files::find(request.plan, &recorder.ran, request.run.protection);
    probes::ask(request, &judged_plan, &mut run, (&stage, held.as_ref(), begun), &mut recorder)?;
    ask_evaluator(
        request,
        &confined.evaluators_world(request),
        &judged_plan,
        &mut run,
        (&stage, held.as_ref()),
        &mut recorder,
    )?;
    drop(confined);
    let RunRecorder { ran, evaluator, .. } = recorder;
    let staging = stage.into_inner();
    let answered = evaluator.map(|record| Answered::read(record, |log| staging.log(log))).transpose()?;
    let tasks: Vec<TaskId> = request.run.suite.tasks.iter().map(|plan| plan.task.clone()).collect();
    let sealing = Sealing {
        store: &store,
        tasks: &tasks,
        workspace: &request.plan.workspace,
        held: held.as_ref(),
        signer: request.run.signer.as_ref(),
    };
    let mut answer = seal(&sealing, judged_plan, run, Judged { ran, answered }, staging, events)?;
    answer.inputs = seen;
    answer.notes.extend(register_notes);
    let baseline = request.run.protection.map(|baseline| &baseline.trusted);
    answer.notes.extend(earlier_tests::keep(request.run.state, request.plan, baseline, &answer.report));
    answer.notes.extend(request.run.state.is_none().then(|| NO_STATE.to_owned()));
    diagnostic_register::apply(&store, &mut answer);
    Ok(answer)
}

/// Returns the header of a run whose actions are over.
fn run_record(
    request: &TaskRequest<'_>,
    (started, ending): (Timestamp, RunEnding),
    notices: Vec<String>,
    recorder: &mut RunRecorder<'_>,
) -> RunRecord {
    RunRecord {
        execution: request.execution.clone(),
        started,
        ended: request.run.exec.clock.now(),
        ending,
        host: request.run.host.clone(),
        skipped: std::mem::take(&mut recorder.skipped),
        scope: request.selected.scope,
        services: std::mem::take(&mut recorder.services),
        notices,
        run_context: RunContext::default(),
    }
}

/// Note for a run without a state directory.
const NO_STATE: &str = "there is no directory for the user's state (REFEREE_STATE_DIR, XDG_STATE_HOME and HOME name none), so \
     nothing out of the workspace's reach says which run is the latest";

/// The judged actions, and the evaluator's answer.
struct Judged {
    ran: BTreeMap<ActionId, Ran>,
    answered: Option<Answered>,
}

/// Judges the run so far by the rules alone.
fn by_rules(
    plan: &Plan,
    run: &RunRecord,
    (stage, held): (&Stage, Option<&StoredBaseline>),
    recorder: &RunRecorder<'_>,
) -> Result<Report, EngineError> {
    let beside = judgement::Beside { question: Question::ByRules, held, standing: None };
    judgement::report(plan.clone(), run.clone(), recorder.ran.clone(), beside, |log| stage.lock().log(log))
}

/// Asks the evaluator, if the plan names one and the run is to be evaluated. The evaluator receives the report
/// by the rules alone. The run then ends with the evaluator's answer.
fn ask_evaluator(
    request: &TaskRequest<'_>,
    world: &referee_exec::Host,
    judged_plan: &Plan,
    run: &mut RunRecord,
    (stage, held): (&Stage, Option<&StoredBaseline>),
    recorder: &mut RunRecorder<'_>,
) -> Result<(), EngineError> {
    let Some(evaluator) = &request.plan.evaluator else { return Ok(()) };
    // It evaluates the verdict, which is the asker's.
    if matches!(request.run.placement, Placement::Order) {
        return Ok(());
    }
    let report = by_rules(judged_plan, run, (stage, held), recorder)?;
    if criteria::why_not_asked(run, &report.actions).is_some() {
        return Ok(());
    }
    let question = referee_report::execution_report::render(&report).map_err(EngineError::internal)?;
    let sink = StagingSink { plan: judged_plan, stage };
    let ended = referee_exec::ask(
        request.plan,
        (evaluator, &question),
        &request.execution,
        world,
        &sink,
        recorder,
        request.run.cancellation,
    );
    run.ending = ending(ended, recorder)?;
    run.ended = run.ended.max(request.run.exec.clock.now());
    Ok(())
}

/// Adds the start of the run to the journal.
fn begin(
    execution: &ExecutionId,
    plan: &Plan,
    started: Timestamp,
    staging: &mut Staging,
    events: &mut dyn EventSink,
) -> Result<(), EngineError> {
    let began = staging.append(
        started,
        EventKind::RunStarted {
            execution: execution.clone(),
            task: plan.task.clone(),
            title: plan.title.clone(),
            actions: plan.actions.len(),
        },
    )?;
    events.on_event(&began);
    Ok(())
}

/// Stores the plan that the run is judged by.
fn store_plan(plan: &Plan, staging: &mut Staging) -> Result<(), EngineError> {
    let document = referee_model::plan::plan_document::KIND.encode(plan).map_err(EngineError::internal)?;
    staging.put(evidence_name::PLAN, &document)?;
    Ok(())
}

/// Stores the baseline that the run is compared with, if there is one.
fn hold(request: &TaskRequest<'_>, plan: &Plan, staging: &mut Staging) -> Result<Option<StoredBaseline>, EngineError> {
    let Some(known) = request.baseline() else { return Ok(None) };
    let bytes = stored_baseline::stored(&plan.task, known, &|text| staging.redact_text(text))?;
    staging.put(evidence_name::BASELINE, &bytes)?;
    // The stored document is judged, as on replay.
    stored_baseline::read(&plan.task, &bytes).map(Some)
}

/// Has a worker perform the task, if one is to and nothing stands in the way of it.
fn place(
    request: &TaskRequest<'_>,
    surroundings: &EnvironmentProbe<'_>,
    judged_plan: &Plan,
    redact: &dyn Fn(&str) -> String,
    events: &mut dyn EventSink,
) -> Result<Placed, EngineError> {
    match &request.run.placement {
        Placement::Fleet(fleet) if surroundings.block.is_none() && !has_problem(request, judged_plan) => {
            let obstacle = surroundings.obstacle_to_receipts(request);
            let known = (surroundings.inputs(), obstacle.as_deref(), judged_plan);
            worker_run::place(fleet, request, known, redact, events)
        }
        Placement::Here | Placement::Order | Placement::Fleet(_) => Ok(Placed::Here),
    }
}

/// Returns whether the specification has a problem with an action that is to run, or with the task.
fn has_problem(request: &TaskRequest<'_>, plan: &Plan) -> bool {
    plan.problems.iter().any(|problem| match &problem.action {
        Some(action) => !request.selected.left_out.contains_key(action),
        None => true,
    })
}

/// Executes the plan, plays the run of the worker that executed it, or records why none of it is executed.
fn perform(
    request: &TaskRequest<'_>,
    (surroundings, placed): (&EnvironmentProbe<'_>, &Placed),
    judged_plan: &Plan,
    stage: &Stage,
    recorder: &mut RunRecorder<'_>,
) -> Result<RunEnding, EngineError> {
    if let Some(block) = &surroundings.block {
        return hindered(judged_plan, block, request.run.exec.clock.now(), recorder);
    }
    if has_problem(request, judged_plan) {
        return not_runnable(judged_plan, request, recorder);
    }
    match placed {
        Placed::Here => {}
        Placed::Blocked(block) => return hindered(judged_plan, block, request.run.exec.clock.now(), recorder),
        Placed::Worker(worker) => return worker_run::play(worker, judged_plan, stage, recorder),
        Placed::Parts(assembly) => return assembly.play(judged_plan, stage, recorder),
    }
    let sink = StagingSink { plan: judged_plan, stage };
    let schedule = Schedule { jobs: request.jobs(), time_left_ms: request.time_left };
    let ended = referee_exec::run(
        request.plan,
        &schedule,
        &request.execution,
        &surroundings.confined.world,
        &sink,
        recorder,
        request.run.cancellation,
    );
    ending(ended, recorder)
}

/// Returns how a run ended. Fails if its events could not be stored.
fn ending(ended: Result<RunEnding, ExecError>, recorder: &mut RunRecorder<'_>) -> Result<RunEnding, EngineError> {
    match (ended, recorder.failure.take()) {
        (_, Some(failure)) => Err(failure),
        (Err(ExecError::Sink(error)), None) => Err(EngineError::evidence(error)),
        (Err(error), None) => Ok(RunEnding::Failed { message: error.to_string() }),
        (Ok(ending), None) => Ok(ending),
    }
}

/// Skips every action of a task that is blocked, with the reason.
fn hindered(
    plan: &Plan,
    block: &BlockReason,
    at: Timestamp,
    recorder: &mut RunRecorder<'_>,
) -> Result<RunEnding, EngineError> {
    let (reason, ending) = match block {
        BlockReason::Dependency(task) => (SkipReason::DependencyNotPassed(task.clone()), RunEnding::Finished),
        BlockReason::ProtectedFilesDrifted => (SkipReason::ProtectedFilesDrifted, RunEnding::Finished),
        BlockReason::NotConfined => (SkipReason::NotConfined, RunEnding::Finished),
        BlockReason::NoCleanRoom { .. } => (SkipReason::NoCleanRoom, RunEnding::Finished),
        BlockReason::NotPerformed { .. } => (SkipReason::NotPerformed, RunEnding::Finished),
        BlockReason::DeadlinePassed => (SkipReason::DeadlinePassed, RunEnding::Finished),
        BlockReason::Interrupted { signal } => (SkipReason::Interrupted, RunEnding::Interrupted { signal: *signal }),
    };
    for action in &plan.actions {
        recorder.take(at, EventKind::ActionSkipped { action: action.id.clone(), reason: reason.clone() })?;
    }
    Ok(ending)
}

/// Handles a plan with problems, which is a specification error: actions with a problem are recorded as not
/// executed, and nothing else runs (ruling 3).
fn not_runnable(
    plan: &Plan,
    request: &TaskRequest<'_>,
    recorder: &mut RunRecorder<'_>,
) -> Result<RunEnding, EngineError> {
    let has_problem = |action: &Action| plan.problems.iter().any(|problem| problem.action.as_ref() == Some(&action.id));
    for action in &plan.actions {
        let at = request.run.exec.clock.now();
        let skipped = |reason| EventKind::ActionSkipped { action: action.id.clone(), reason };
        if let Some(reason) = request.selected.left_out.get(&action.id) {
            recorder.take(at, skipped(SkipReason::LeftOut(*reason)))?;
        } else if has_problem(action) {
            let name = action.name.clone();
            recorder.take(
                at,
                EventKind::ActionStarted { action: action.id.clone(), phase: action.phase, name, attempt: 1 },
            )?;
            recorder.take(at, EventKind::ActionFinished(Box::new(recorder::not_executed(action, at))))?;
        } else {
            recorder.take(at, skipped(SkipReason::SpecificationError))?;
        }
    }
    Ok(RunEnding::Finished)
}

/// Handles earlier runs of the task that were never sealed: ends their leftover processes, and keeps their files.
fn end_earlier_runs(store: &Store, plan: &Plan, redactor: &Redactor) -> Result<Vec<String>, EngineError> {
    let mut notices = Vec::new();
    for unfinished in store.unfinished(&plan.task)? {
        if unfinished.live {
            notices.push(format!("{} of this task was still running when this run began", unfinished.execution));
        } else {
            for process in referee_exec::sweep_orphans(&unfinished.execution) {
                notices.push(format!(
                    "{} had left a process running, which was ended: {} (pid {})",
                    unfinished.execution,
                    redactor.text(&process.command),
                    process.pid
                ));
            }
        }
    }
    for dead in store.recover(&plan.task)? {
        let became = match dead.path {
            Some(_) => "what it wrote was kept in the history",
            None => "its files were removed",
        };
        notices.push(format!("{} was started and never sealed; {became}", dead.execution));
    }
    Ok(notices)
}

/// What the sealing of a run needs.
struct Sealing<'run> {
    store: &'run Store,
    tasks: &'run [TaskId],
    /// The workspace on this machine.
    workspace: &'run Path,
    /// The baseline that the run was compared with. `None`: there is none.
    held: Option<&'run StoredBaseline>,
    signer: Option<&'run Arc<Signer>>,
}

/// Judges the task, seals the run and publishes it. The register of debt is locked from before it is read until
/// it contains the findings of this run, so that no two runs assign the same number.
fn seal(
    beside: &Sealing<'_>,
    plan: Plan,
    run: RunRecord,
    judged: Judged,
    mut staging: Staging,
    events: &mut dyn EventSink,
) -> Result<Answer, EngineError> {
    let ended = run.ended;
    let header = referee_model::record::header::KIND.encode(&run).map_err(EngineError::internal)?;
    staging.put(evidence_name::RUN, &header)?;
    let plan_digest = referee_model::plan::plan_document::digest(&plan).map_err(EngineError::internal)?;

    staging.sync_large_files()?;
    // The lock of the registers is taken before the lock of the task, which publishing takes.
    let registers = plan.debt.enabled.then(|| beside.store.registers()).transpose()?;
    let mut book = registers.as_ref().map(|registers| Book::open(beside.store, registers)).transpose()?;
    let mut tasks = beside.tasks.to_vec();
    // Other specifications may keep their evidence here, too.
    tasks.extend(beside.store.tasks()?);
    // An item must not become a sprint task under a number that is already in the list.
    let unlisted = if book.is_some() {
        status::listed_tasks(beside.workspace).map(|listed| tasks.extend(listed)).err()
    } else {
        None
    };
    let standing = book.as_ref().map(|book| book.standing(&plan, &tasks, ended));
    if let Some(standing) = &standing {
        let bytes = referee_model::document::to_bytes(standing).map_err(EngineError::internal)?;
        staging.put(evidence_name::DEBT_STANDING, &bytes)?;
    }
    let question = Question::Verdict(judged.answered.as_ref());
    let judged_beside = judgement::Beside { question, held: beside.held, standing: standing.as_ref() };
    let report = judgement::report(plan, run, judged.ran, judged_beside, |log| staging.log(log))?;
    for (name, bytes) in judgement::projections(&report)? {
        staging.put(&name, &bytes)?;
    }
    let document = referee_report::execution_report::render(&report).map_err(EngineError::internal)?;
    staging.put(evidence_name::EXECUTION_REPORT, &document)?;
    signer::attest(beside.signer, &report, &document, &mut staging)?;
    let finished = staging.append(ended, EventKind::RunFinished { decision: report.verdict.decision })?;
    if let Some(tree) = &report.run.run_context.tree {
        staging.bind_trees(tree.before.digest, tree.after.digest);
    }
    let published = staging.publish(plan_digest, ended)?;
    events.on_event(&finished);
    let Published { directory, superseded_by, gap, .. } = published;
    let mut notes = match &mut book {
        Some(book) => book.close(superseded_by.is_none().then_some(&report)),
        None => Vec::new(),
    };
    let of_list =
        |failure| format!("the list of tasks was not read, so numbers of the sprint may repeat its own: {failure}");
    notes.extend(unlisted.map(of_list));
    Ok(Answer { report, document, directory, superseded_by, gap, notes, inputs: None })
}

#[cfg(test)]
mod tests;
