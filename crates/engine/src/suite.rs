//! Runs all tasks of a specification, one after another: one report per task, and one over all of them (ruling 17).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;

use referee_judge::criteria;
use referee_ledger::Store;
use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::plan::Plan;
use referee_model::report::{SuiteReport, SuiteTask};
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};

use crate::clean_room::Workspace;
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::probe::{self, audit};
use crate::request::{Answer, BlockReason, ProbeQuestions, RunRequest, TaskRequest};
use crate::reuse::{self, Setting};
use crate::{earlier, pipeline, redaction, selection, signer};

/// Result of a run of one or more tasks.
#[derive(Debug)]
pub struct SuiteAnswer {
    /// The answers, in the order in which the tasks ran; never empty.
    pub answers: Vec<Answer>,
    /// The report over all tasks. `None`: the specification has only one task.
    pub suite: Option<SealedSuite>,
    /// Decision over all tasks.
    pub decision: Decision,
    /// Exit of the program.
    pub exit: Exit,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
}

/// The report over all tasks, as written.
#[derive(Debug)]
pub struct SealedSuite {
    /// The report.
    pub report: SuiteReport,
    /// The document of the report, `suite-report.json`.
    pub document: Vec<u8>,
    /// Path of the document.
    pub file: PathBuf,
}

/// Runs the requested tasks and their dependencies.
///
/// # Errors
/// Fails if there is no task to run, or as [`pipeline::run`] does.
pub fn run(request: &RunRequest<'_>, events: &mut dyn EventSink) -> Result<SuiteAnswer, EngineError> {
    let tasks = wanted(request.suite, request.tasks);
    if tasks.is_empty() || request.executions.len() < tasks.len() {
        return Err(EngineError::internal("there is no task to run, or no id for one".to_owned()));
    }
    // An earlier report over all tasks must not be mistaken for one of a run that dies midway.
    store(request)?.discard(evidence_name::SUITE_REPORT)?;
    let mut answers: Vec<Answer> = Vec::with_capacity(tasks.len());
    let mut notes = Vec::new();
    let mut standings: BTreeMap<&TaskId, TaskOutcome> = BTreeMap::new();
    let begun = request.exec.clock.now();
    let elapsed_before = request.exec.clock.elapsed_ms();
    for (plan, execution) in tasks.iter().zip(&request.executions) {
        let elapsed = request.exec.clock.elapsed_ms().saturating_sub(elapsed_before);
        let time_left = request.suite.timeout_ms.map(|deadline| deadline.saturating_sub(elapsed));
        let answer = run_task(request, plan, execution, time_left, &standings, &mut notes, events)?;
        let standing = TaskOutcome {
            passed: answer.report.verdict.decision == Decision::Pass,
            reduced: answer.report.run.scope.reduced,
        };
        standings.insert(&plan.task, standing);
        answers.push(answer);
    }
    let ended = request.exec.clock.now();
    let parts: Vec<SuiteTask> = answers.iter().map(part).collect::<Result<_, _>>()?;
    let (decision, exit, reasons) = criteria::suite(&parts);
    let suite = match request.suite.tasks.len() {
        1 => None,
        _ => Some(write(
            request,
            SuiteReport {
                title: request.suite.title.clone(),
                file: request.suite.specification.file.clone(),
                started: begun,
                ended,
                left_out: left_out(request.suite, &tasks),
                tasks: parts,
                decision,
                exit,
                reasons,
            },
        )?),
    };
    Ok(SuiteAnswer { answers, suite, decision, exit, notes })
}

/// Returns a plan for display: without the secrets of the caller and of the plan itself.
pub fn shown(plan: &Plan, caller: &[(OsString, OsString)]) -> Plan {
    redaction::stored(plan, caller)
}

/// Outcome of a task, for the tasks that depend on it.
struct TaskOutcome {
    passed: bool,
    reduced: bool,
}

/// Returns the requested tasks and their dependencies, in the suite's order. `asked` empty: all tasks.
pub fn wanted<'suite>(suite: &'suite Suite, asked: &[TaskId]) -> Vec<&'suite Plan> {
    let mut wanted: BTreeSet<&TaskId> = asked.iter().collect();
    // A task stands after all that it depends on, so one backward pass reaches everything.
    for plan in suite.tasks.iter().rev() {
        if wanted.contains(&plan.task) {
            wanted.extend(&plan.depends_on);
        }
    }
    suite.tasks.iter().filter(|plan| asked.is_empty() || wanted.contains(&plan.task)).collect()
}

fn run_task(
    request: &RunRequest<'_>,
    plan: &Plan,
    execution: &ExecutionId,
    time_left: Option<u64>,
    standings: &BTreeMap<&TaskId, TaskOutcome>,
    notes: &mut Vec<String>,
    events: &mut dyn EventSink,
) -> Result<Answer, EngineError> {
    let passed_before = if request.selection.rerun_failed {
        let earlier = earlier::passed_steps(&redaction::stored(plan, &request.exec.environment), request.state)?;
        notes.extend(earlier.note.map(|note| format!("{}: {note}", plan.task)));
        earlier.steps
    } else {
        BTreeSet::new()
    };
    let mut selected = selection::select(plan, request.selection, &passed_before);
    // A run that depends on a reduced run is itself reduced.
    selected.scope.reduced |= plan.depends_on.iter().any(|task| standings.get(task).is_some_and(|task| task.reduced));
    let task = TaskRequest {
        run: request,
        plan,
        execution: execution.clone(),
        selected,
        time_left,
        block: block_reason(request, plan, time_left, standings),
        probes: Some(ProbeQuestions { change: probe::ask, learned: audit::learned, audit: audit::audit }),
    };
    let mut answer = pipeline::run(&task, events)?;
    answer.notes.extend(reuse::keep(&setting(request), plan, &answer));
    Ok(answer)
}

/// Returns the settings of the runs that their verdicts depend on.
pub(crate) fn setting<'run>(request: &'run RunRequest<'_>) -> Setting<'run> {
    Setting {
        state: request.state,
        is_plain: matches!(request.workspace, Workspace::InPlace) && request.baseline.is_none(),
        world: &request.exec,
        engine_version: &request.host.version,
        sandbox: &request.sandbox,
        signer: signer::key(request.signer.as_deref()),
        protection: request.protection,
    }
}

/// Returns the reason outside a task that keeps it from running. `None`: it runs.
fn block_reason(
    request: &RunRequest<'_>,
    plan: &Plan,
    time_left: Option<u64>,
    standings: &BTreeMap<&TaskId, TaskOutcome>,
) -> Option<BlockReason> {
    if let Workspace::NoCleanRoom { reason } = request.workspace {
        return Some(BlockReason::NoCleanRoom { reason: reason.clone() });
    }
    let is_first = standings.is_empty();
    if !is_first && let Some(signal) = request.cancellation.requests().first().copied() {
        return Some(BlockReason::Interrupted { signal });
    }
    if !is_first && time_left == Some(0) {
        return Some(BlockReason::DeadlinePassed);
    }
    let not_passed = |task: &&TaskId| !standings.get(*task).is_some_and(|task| task.passed);
    plan.depends_on.iter().find(not_passed).map(|task| BlockReason::Dependency(task.clone()))
}

/// Returns the tasks that do not run, in the suite's order.
fn left_out(suite: &Suite, tasks: &[&Plan]) -> Vec<TaskId> {
    let runs = |plan: &&Plan| tasks.iter().any(|task| task.task == plan.task);
    suite.tasks.iter().filter(|plan| !runs(plan)).map(|plan| plan.task.clone()).collect()
}

fn part(answer: &Answer) -> Result<SuiteTask, EngineError> {
    let report = &answer.report;
    Ok(SuiteTask {
        task: report.plan.task.clone(),
        title: report.plan.title.clone(),
        execution: report.run.execution.clone(),
        verdict: report.verdict.clone(),
        scope: report.run.scope,
        duration_ms: report.run.ended.milliseconds_since(report.run.started),
        directory: directory_of(answer)?,
        report_digest: Digest::of(&answer.document),
    })
}

/// Returns the evidence directory of a task, relative to the evidence root.
fn directory_of(answer: &Answer) -> Result<String, EngineError> {
    let below = answer.directory.strip_prefix(&answer.report.plan.evidence_root).unwrap_or(&answer.directory);
    below.to_str().map(str::to_owned).ok_or_else(|| EngineError::internal(format!("{} is not UTF-8", below.display())))
}

fn write(request: &RunRequest<'_>, report: SuiteReport) -> Result<SealedSuite, EngineError> {
    let document = referee_report::suite_report::render(&report).map_err(EngineError::internal)?;
    let file = store(request)?.put(evidence_name::SUITE_REPORT, &document)?;
    Ok(SealedSuite { report, document, file })
}

/// Opens the evidence root, which all tasks of a specification share.
fn store(request: &RunRequest<'_>) -> Result<Store, EngineError> {
    let root = request.suite.tasks.first().map(|plan| plan.evidence_root.as_path());
    Ok(Store::open(root.ok_or_else(|| EngineError::internal("there is no task".to_owned()))?)?)
}
