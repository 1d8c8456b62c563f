//! The main job: a plan is run, recorded, judged, sealed and answered.

use std::collections::BTreeMap;

use referee_exec::{ExecError, Schedule};
use referee_ledger::redact::Redactor;
use referee_ledger::staging::Staging;
use referee_ledger::{Published, Store};
use referee_model::event::Happening;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Plan};
use referee_model::record::{RunEnding, RunRecord, SkipReason};
use referee_model::report::Ran;
use referee_model::time::Timestamp;
use referee_wire::evidence_name;

use crate::course::{self, Course, Stage, StagingSink};
use crate::judging;
use crate::redaction;
use crate::request::{Answer, Failure, Hindrance, Listener, RunRequest};

/// Runs a plan and answers with its sealed report.
///
/// # Errors
/// Fails where evidence cannot be kept: then there is no verdict, and the run stays visibly unfinished. A check that
/// fails, a run that is interrupted and an engine that breaks midway are answers, not errors.
pub fn run(request: &RunRequest<'_>, listener: &mut dyn Listener) -> Result<Answer, Failure> {
    let store = Store::open(&request.plan.evidence_root)?;
    let redactor = redaction::redactor(request.plan, &request.world.environment);
    let notices = end_earlier_runs(&store, request.plan, &redactor)?;
    let mut staging = store.begin(&request.plan.task, &request.execution, redactor)?;

    let judged_plan = redaction::plan(request.plan, &|text| staging.redact_text(text));
    let started = request.world.clock.now();
    begin(request, &judged_plan, started, &mut staging, listener)?;

    let stage = Stage::new(staging);
    let mut course = Course::new(&judged_plan, &stage, listener, &request.selected.left_out);
    let ending = perform(request, &judged_plan, &stage, &mut course)?;
    let ended = request.world.clock.now();
    course.end(ended)?;
    let Course { ran, skipped, services, .. } = course;
    let run = RunRecord {
        execution: request.execution.clone(),
        started,
        ended,
        ending,
        host: request.host.clone(),
        skipped,
        scope: request.selected.scope,
        services,
        notices,
    };
    seal(judged_plan, run, ran, stage.into_inner(), listener)
}

/// Journals that the run began, and stores its plan.
fn begin(
    request: &RunRequest<'_>,
    plan: &Plan,
    started: Timestamp,
    staging: &mut Staging,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    let began = staging.append(
        started,
        Happening::RunStarted {
            execution: request.execution.clone(),
            task: plan.task.clone(),
            title: plan.title.clone(),
            actions: plan.actions.len(),
        },
    )?;
    listener.told(&began);
    let document = referee_wire::plan::document(plan);
    staging.put(evidence_name::PLAN, &referee_wire::to_bytes(&document).map_err(Failure::document)?)?;
    Ok(())
}

/// Does what the plan says, or lists why nothing of it is done.
fn perform(
    request: &RunRequest<'_>,
    judged_plan: &Plan,
    stage: &Stage,
    course: &mut Course<'_>,
) -> Result<RunEnding, Failure> {
    if let Some(hindrance) = &request.hindrance {
        return hindered(judged_plan, hindrance, request.world.clock.now(), course);
    }
    let stands_in_the_way = |problem: &&referee_model::plan::SpecificationProblem| match &problem.action {
        Some(action) => !request.selected.left_out.contains_key(action),
        None => true,
    };
    if judged_plan.problems.iter().any(|problem| stands_in_the_way(&problem)) {
        return not_runnable(judged_plan, request, course);
    }
    let sink = StagingSink { plan: judged_plan, stage };
    let schedule = Schedule { jobs: request.jobs, time_left_ms: request.time_left_ms };
    let ended = referee_exec::run(
        request.plan,
        &schedule,
        &request.execution,
        &request.world,
        &sink,
        course,
        request.cancellation,
    );
    match (ended, course.failure.take()) {
        (_, Some(failure)) => Err(failure),
        (Err(ExecError::Sink(error)), None) => Err(Failure::Output(error.to_string())),
        (Err(error), None) => Ok(RunEnding::Failed { message: error.to_string() }),
        (Ok(ending), None) => Ok(ending),
    }
}

/// A task that something outside it keeps from running: every action is skipped with the reason.
fn hindered(plan: &Plan, hindrance: &Hindrance, at: Timestamp, course: &mut Course<'_>) -> Result<RunEnding, Failure> {
    let (reason, ending) = match hindrance {
        Hindrance::Dependency(task) => (SkipReason::DependencyNotPassed(task.clone()), RunEnding::Finished),
        Hindrance::DeadlinePassed => (SkipReason::DeadlinePassed, RunEnding::Finished),
        Hindrance::Interrupted { signal } => (SkipReason::Interrupted, RunEnding::Interrupted { signal: *signal }),
    };
    for action in &plan.actions {
        course.take(at, Happening::ActionSkipped { action: action.id.clone(), reason: reason.clone() })?;
    }
    Ok(ending)
}

/// A task with problems is a specification error: what has a problem is not executed, and nothing else runs (ruling 3).
fn not_runnable(plan: &Plan, request: &RunRequest<'_>, course: &mut Course<'_>) -> Result<RunEnding, Failure> {
    let has_problem = |action: &Action| plan.problems.iter().any(|problem| problem.action.as_ref() == Some(&action.id));
    for action in &plan.actions {
        let at = request.world.clock.now();
        let skipped = |reason| Happening::ActionSkipped { action: action.id.clone(), reason };
        if let Some(reason) = request.selected.left_out.get(&action.id) {
            course.take(at, skipped(SkipReason::LeftOut(*reason)))?;
        } else if has_problem(action) {
            let name = action.name.clone();
            course.take(
                at,
                Happening::ActionStarted { action: action.id.clone(), phase: action.phase, name, attempt: 1 },
            )?;
            course.take(at, Happening::ActionFinished(Box::new(course::not_executed(action, at))))?;
        } else {
            course.take(at, skipped(SkipReason::SpecificationError))?;
        }
    }
    Ok(RunEnding::Finished)
}

/// Deals with earlier runs of the task that were never sealed: ends what they left running, and keeps what they wrote.
fn end_earlier_runs(store: &Store, plan: &Plan, redactor: &Redactor) -> Result<Vec<String>, Failure> {
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
        notices.push(format!("{} was started and never sealed; what it wrote was kept in the history", dead.execution));
    }
    Ok(notices)
}

fn seal(
    plan: Plan,
    run: RunRecord,
    ran: BTreeMap<ActionId, Ran>,
    mut staging: Staging,
    listener: &mut dyn Listener,
) -> Result<Answer, Failure> {
    let ended = run.ended;
    let run_document = referee_wire::run::document(&run);
    staging.put(evidence_name::RUN, &referee_wire::to_bytes(&run_document).map_err(Failure::document)?)?;
    let plan_digest = referee_wire::plan::digest(&plan).map_err(Failure::document)?;

    let report = judging::report(plan, run, ran, |log| staging.log(log))?;
    let document = referee_wire::execution_report::render(&report).map_err(Failure::document)?;
    staging.put(evidence_name::EXECUTION_REPORT, &document)?;
    let finished = staging.append(ended, Happening::RunFinished { decision: report.verdict.decision })?;
    let published = staging.publish(plan_digest, ended)?;
    listener.told(&finished);
    let Published { folder, superseded_by, gap, .. } = published;
    Ok(Answer { report, document, folder, superseded_by, gap })
}
