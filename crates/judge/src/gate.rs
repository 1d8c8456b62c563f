//! The gate's answer to whether work is done: a summary of judged runs.

use referee_model::diagnostic_log::{DiagnosticSource, Finding};
use referee_model::gate::{Basis, Cause, CheckStanding, Edit, GateAnswer, GateCheck, GateTask};
use referee_model::held_out::HeldOut;
use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::plan::{Phase, Work};
use referee_model::reading::{Excerpt, TestCounts};
use referee_model::record::Facts;
use referee_model::report::{ActionReport, Report};
use referee_model::run_context::SharedReceipt;
use referee_model::run_context::protection::{Drift, DriftChange};
use referee_model::test_file::is_of_tests;
use referee_model::verdict::{Decision, Exit};
use referee_syntax::count::list;
use referee_syntax::{ansi, line};

use crate::{criteria, finding, hang, progress};

/// Maximum number of drifted files named in the next step.
const NAMED: usize = 5;

/// A task of the answer, and the reasons why it did not pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub task: GateTask,
    /// Top causes, most severe first; at most [`limit::GATE_CAUSES`].
    pub causes: Vec<Cause>,
    /// Total number of distinct causes.
    pub causes_in_all: u64,
    /// How to undo drift that prevents judgement, one entry per file.
    pub undoing: Vec<String>,
}

/// Summarizes the task of a report. `file` is the path of the sealed report.
pub fn judged(report: &Report, basis: Basis, file: &str) -> Judged {
    let verdict = &report.verdict;
    let (basis, ended) = match &report.run.run_context.shared_receipt {
        Some(SharedReceipt::Taken { ended, .. }) => (Basis::Shared, *ended),
        Some(SharedReceipt::NotTaken { .. }) | None => (basis, report.run.ended),
    };
    let task = GateTask {
        task: report.plan.task.clone(),
        title: report.plan.title.clone(),
        execution: report.run.execution.clone(),
        basis,
        decision: verdict.decision,
        exit: verdict.exit,
        reduced: report.run.scope.reduced,
        reasons: verdict.reasons.clone(),
        edited: edited(report),
        weaker: criteria::weaker(report),
        report: file.to_owned(),
        ended,
        tests: tests(report),
        checks: report.actions.iter().filter(|action| action.action.phase == Phase::Step).map(check).collect(),
        snapshot: progress::snapshot(report),
    };
    let (causes, causes_in_all) = causes(report);
    Judged { task, causes, causes_in_all, undoing: undoing(report) }
}

/// Returns how to undo drift that prevents judgement, such as `restore referee.yaml`.
fn undoing(report: &Report) -> Vec<String> {
    let run_context = &report.run.run_context;
    let drift = run_context.protection.iter().flat_map(|protection| &protection.drift);
    let standing = drift.filter(|drift| criteria::stands(drift, run_context, report.run.started));
    let mut undoing: Vec<String> = standing
        .map(|drift| match drift.change {
            DriftChange::Added => format!("take {} away", drift.path),
            DriftChange::Modified | DriftChange::Removed | DriftChange::Unreadable => format!("restore {}", drift.path),
        })
        .collect();
    undoing.dedup();
    undoing
}

/// Returns the protected files that differ without preventing judgement. Those that prevent it are among the reasons.
fn edited(report: &Report) -> Vec<Edit> {
    let run_context = &report.run.run_context;
    let Some(protection) = &run_context.protection else { return Vec::new() };
    let since = protection.baseline.name();
    let is_quiet = |drift: &&Drift| !criteria::stands(drift, run_context, report.run.started);
    let mut quiet: Vec<&Drift> = protection.drift.iter().filter(is_quiet).collect();
    quiet.sort_by_key(|drift| !is_of_tests(&drift.path));
    let edit = |drift: &Drift| Edit {
        path: drift.pointer.as_ref().map_or_else(|| drift.path.clone(), |pointer| format!("{}#{pointer}", drift.path)),
        since: since.clone(),
        detail: match &drift.removed {
            Some(removed) if !drift.blocks => format!("removed: {removed}"),
            _ => drift.detail.clone(),
        },
    };
    quiet.into_iter().map(edit).collect()
}

fn check(report: &ActionReport) -> GateCheck {
    let standing = match report.ran().map(|ran| &ran.judgement) {
        None => CheckStanding::Skipped,
        Some(judgement) if judgement.blocking => CheckStanding::Blocking,
        Some(judgement) if judgement.outcome == Outcome::Success => CheckStanding::Passed,
        Some(_) => CheckStanding::NotBlocking,
    };
    let judgement = report.ran().map(|ran| &ran.judgement);
    let (source, role) = match &report.action.work {
        Work::Http(_) | Work::Interaction(_) => (DiagnosticSource::Test, None),
        Work::Command(command) => {
            let judged = judgement.and_then(|judgement| judgement.role);
            let role = judged.unwrap_or_else(|| crate::role::tell(command).role);
            (finding::source_of(role), Some(role))
        }
        _ => (DiagnosticSource::Runtime, None),
    };
    GateCheck {
        action: report.action.id.clone(),
        name: report.action.name.clone(),
        source,
        standing,
        role,
        outcome: judgement.map(|judgement| judgement.outcome),
        tests: judgement.and_then(|judgement| judgement.counted_tests),
        duration_ms: report.ran().map(|ran| ran.record.span.duration_ms),
    }
}

/// Returns the tests of all actions together. None: no number is known.
fn tests(report: &Report) -> Option<TestCounts> {
    let counted = report.actions.iter().filter_map(|action| action.ran()?.judgement.counted_tests);
    counted.reduce(|sum, next| TestCounts {
        passed: sum.passed.saturating_add(next.passed),
        failed: sum.failed.saturating_add(next.failed),
        skipped: sum.skipped.saturating_add(next.skipped),
        total: sum.total.saturating_add(next.total),
    })
}

/// Returns the blocking findings; if no finding explains the block, the reasons of the verdict.
fn causes(report: &Report) -> (Vec<Cause>, u64) {
    if report.verdict.decision == Decision::Pass {
        return (Vec::new(), 0);
    }
    let blocking: Vec<&Finding> = report.diagnostics.entries.iter().filter(|entry| entry.blocking).collect();
    if blocking.is_empty() {
        let of_reason = |reason: &String| {
            Cause::whole(Some(report.plan.task.clone()), line::bounded(reason, limit::SUMMARY_MESSAGE_CHARACTERS))
        };
        let reasons = &report.verdict.reasons;
        return (reasons.iter().take(limit::GATE_CAUSES).map(of_reason).collect(), reasons.len() as u64);
    }
    // The output of a check is included once, if none of its findings has a location.
    let is_first = |entry: &Finding| {
        let of_action = || blocking.iter().filter(|other| other.action == entry.action);
        of_action().all(|other| other.file.is_none())
            && of_action().next().is_some_and(|first| std::ptr::eq(*first, entry))
    };
    let of_entry = |entry: &&Finding| Cause {
        task: Some(report.plan.task.clone()),
        check: Some(entry.action_name.clone()),
        tool: entry.tool.clone(),
        severity: entry.severity,
        file: entry.file.clone(),
        line: entry.line(),
        column: entry.column(),
        code: entry.code.clone(),
        message: line::bounded(&entry.message, limit::SUMMARY_MESSAGE_CHARACTERS),
        output: if is_first(entry) { last_output(report, &entry.action) } else { Vec::new() },
    };
    (blocking.iter().take(limit::GATE_CAUSES).map(of_entry).collect(), blocking.len() as u64)
}

/// Returns advice for a command that was stopped at a deadline and would not have ended with more time. None:
/// there is none.
pub fn hang(report: &Report) -> Option<String> {
    let stopped = |action: &ActionReport| {
        let ran = action.ran().filter(|ran| ran.judgement.blocking && ran.judgement.outcome == Outcome::Timeout)?;
        let tool = ran.judgement.tool.as_deref();
        let hang = hang::of(&action.action.work, tool, &ran.record.notices, &ran.reading)?;
        Some(format!("{}: {}", action.action.name, hang.advice))
    };
    report.actions.iter().find_map(stopped)
}

/// Returns the last lines that a command or service printed: half of them per stream, or more if the other has
/// fewer; standard error last.
fn last_output(report: &Report, action: &ActionId) -> Vec<String> {
    let of_action = report.actions.iter().find(|report| report.action.id == *action);
    let ran = of_action.and_then(ActionReport::ran);
    let printed = ran.filter(|ran| matches!(ran.record.facts, Facts::Command(_) | Facts::Service(_)));
    let Some(excerpts) = printed.map(|ran| &ran.reading.excerpts) else { return Vec::new() };
    let [stdout, stderr] = [&excerpts.stdout, &excerpts.stderr].map(last_lines);
    let half = limit::GATE_OUTPUT_LINES / 2;
    let of_errors = stderr.len().min(limit::GATE_OUTPUT_LINES - stdout.len().min(half));
    let of_rest = stdout.len().min(limit::GATE_OUTPUT_LINES - of_errors);
    [&stdout[stdout.len() - of_rest..], &stderr[stderr.len() - of_errors..]].concat()
}

/// Returns the non-blank lines at the end of a stream. Of an overwritten line the last state counts.
fn last_lines(excerpt: &Excerpt) -> Vec<String> {
    let end = ansi::strip(excerpt.end());
    let lines = end.lines().rev().filter_map(|line| line.rsplit('\r').find(|state| !state.trim().is_empty()));
    let shortened = |line: &str| line.trim_end().chars().take(limit::QUOTED_LINE_CHARACTERS).collect();
    let mut lines: Vec<String> = lines.take(limit::GATE_OUTPUT_LINES).map(shortened).collect();
    lines.reverse();
    lines
}

/// Combines the tasks and the held-out checks.
///
/// | in this order                                   | decision |
/// |-------------------------------------------------|----------|
/// | nothing was judged                              | BLOCKED  |
/// | a task failed, or held-out checks did           | FAIL     |
/// | a task did not pass, or held-out checks did not | BLOCKED  |
/// | a task was not checked as a whole (ruling 17)   | BLOCKED  |
/// | any other                                       | PASS     |
pub fn answer(judged: Vec<Judged>, held_out: Option<HeldOut>) -> GateAnswer {
    let mut causes: Vec<Cause> = Vec::new();
    let mut causes_in_all = 0;
    let mut undoing: Vec<String> = Vec::new();
    let mut tasks = Vec::new();
    for one in judged {
        causes.extend(one.causes);
        causes_in_all += one.causes_in_all;
        undoing.extend(one.undoing);
        tasks.push(one.task);
    }
    causes.truncate(limit::GATE_CAUSES);
    let decisions = || tasks.iter().map(|task| task.decision).chain(held_out.iter().map(|held_out| held_out.decision));
    let is_whole = tasks.iter().all(|task| !task.reduced);
    let decision = if tasks.is_empty() {
        Decision::Blocked
    } else if decisions().any(|decision| decision == Decision::Fail) {
        Decision::Fail
    } else if is_whole && decisions().all(|decision| decision == Decision::Pass) {
        Decision::Pass
    } else {
        Decision::Blocked
    };
    let exits = tasks.iter().map(|task| task.exit).chain(held_out.iter().map(|held_out| held_out.exit));
    let exit = match (decision, exits.min().unwrap_or(Exit::NothingRan)) {
        // All that ran passed, but not all ran.
        (Decision::Blocked | Decision::Fail, Exit::Passed) => Exit::NothingRan,
        (_, exit) => exit,
    };
    GateAnswer {
        next: next(decision, &tasks, &undoing),
        causes,
        causes_in_all,
        held_out,
        ..GateAnswer::of(decision, exit, tasks)
    }
}

fn next(decision: Decision, tasks: &[GateTask], undoing: &[String]) -> String {
    let reduced = tasks.iter().any(|task| task.reduced);
    match decision {
        Decision::Pass => "nothing is left to do: it may be called done".to_owned(),
        Decision::Fail => "fix what blocks, then ask again".to_owned(),
        Decision::Blocked if !undoing.is_empty() => {
            format!("{}, then ask again; a person can accept the change instead", list(undoing, NAMED))
        }
        Decision::Blocked if reduced => "let the whole run take place: a reduced one never counts as done".to_owned(),
        Decision::Blocked => "take away what keeps it from being judged, then ask again".to_owned(),
    }
}
