//! The answer about a run: a recorded verdict if nothing that it rests on has changed, else a run of the checks.
//! If several callers ask about one workspace at once, one runs the checks and the others reuse its recorded
//! verdict.

use std::ffi::OsString;

use referee_judge::gate::{self, Judged};
use referee_ledger::receipts::{self, Turn};
use referee_model::evidence_name;
use referee_model::gate::{Basis, GateAnswer};
use referee_model::outcome::Outcome;
use referee_model::plan::Plan;
use referee_model::report::Report;
use referee_model::run_context::SharedReceipt;
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_syntax::duration;

use super::unanswered::{self, Unanswered};
use super::verdict_inputs::{VerdictInputs, hold};
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::inputs;
use crate::request::{Answer, Placement, RunRequest};
use crate::reuse::{self, Trees};
use crate::suite::{self, SuiteAnswer};

/// Milliseconds that a run takes in addition to its checks: listing inputs, sealing, stopping processes.
const BESIDE_MS: u64 = 1_000;

/// Maximum time kept free in addition to the checks, in milliseconds, and the fraction (1/n) of the time limit
/// that it is.
const SPARE_MS: u64 = 5_000;
const SPARE_PART: u64 = 20;

/// How the gate may answer, and by when.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    /// Whether a recorded verdict may answer.
    pub reuse: bool,
    /// Milliseconds after which the answer must be given, by the clock of the run. `None`: as long as the checks take.
    pub timeout: Option<u64>,
}

/// The answer of the gate and its basis.
#[derive(Debug)]
pub struct GateResult {
    /// The answer.
    pub answer: GateAnswer,
    /// The inputs that the verdicts were reached on. A caller that passes on a pass compares it with these last,
    /// see [`hold`].
    pub grounds: VerdictInputs,
}

/// Asks the gate about a run. A pass on a tree other than the current one is no pass.
///
/// # Errors
/// As [`suite::run`].
pub fn ask_about(run: &RunRequest<'_>, asking: Asking, events: &mut dyn EventSink) -> Result<GateResult, EngineError> {
    let GateResult { answer, grounds } = ask(run, asking, events)?;
    let answer = hold(run, &grounds, answer);
    Ok(GateResult { answer, grounds })
}

/// Asks the gate about a run, without comparing the answer with the current tree.
pub(super) fn ask(run: &RunRequest<'_>, asking: Asking, events: &mut dyn EventSink) -> Result<GateResult, EngineError> {
    let Asking { reuse, timeout } = asking;
    // Runs of workers are reused by their receipts in the depot.
    let reuse = reuse && !matches!(run.placement, Placement::Fleet(_));
    let mut why_not = None;
    if reuse {
        match recorded(run) {
            Ok((judged, grounds)) => return Ok(GateResult { answer: gate::answer(judged, None), grounds }),
            Err(reason) => why_not = Some(reason),
        }
    }
    let turn = match turn(run, timeout, events)? {
        Ok(turn) => turn,
        Err(unanswered) => return Ok(without_grounds(unanswered.answer(&run.suite.tasks))),
    };
    if reuse && turn.as_ref().is_some_and(|turn| turn.waited) {
        match recorded(run) {
            Ok((judged, grounds)) => return Ok(GateResult { answer: gate::answer(judged, None), grounds }),
            Err(reason) => why_not = Some(reason),
        }
    }
    let mut result = run_checks(run, timeout, events)?;
    result.answer.reuse.extend(why_not.map(|reason| format!("no recorded verdict was reused: {reason}")));
    drop(turn);
    Ok(result)
}

fn without_grounds(answer: GateAnswer) -> GateResult {
    GateResult { answer, grounds: VerdictInputs::default() }
}

/// Returns the recorded verdicts of all tasks and the inputs that they are about; or why one of them has none that
/// answers.
fn recorded(run: &RunRequest<'_>) -> Result<(Vec<Judged>, VerdictInputs), String> {
    let setting = suite::setting(run);
    let mut trees = Trees::default();
    let tasks = suite::wanted(run.suite, run.tasks);
    let several = tasks.len() > 1;
    let find = |plan: &&Plan| {
        let found = reuse::find(&setting, plan, &mut trees);
        found.map_err(|reason| if several { format!("{}: {reason}", plan.task) } else { reason })
    };
    let (mut judged, mut grounds) = (Vec::new(), VerdictInputs::default());
    for found in tasks.iter().map(find) {
        let (one, inputs) = found?;
        grounds.add(&one.task.task, Some(inputs));
        judged.push(one);
    }
    Ok((judged, grounds))
}

/// Waits for the turn to ask about the workspace. The turn is `None` if there is no state directory, and so no turns.
fn turn(
    run: &RunRequest<'_>,
    timeout: Option<u64>,
    events: &mut dyn EventSink,
) -> Result<Result<Option<Turn>, Unanswered>, EngineError> {
    let (Some(state), Some(plan)) = (run.state, run.suite.tasks.first()) else { return Ok(Ok(None)) };
    let mut unanswered = None;
    let mut goes_on = || {
        events.on_idle();
        unanswered = if is_within_a_run(&run.exec) {
            Some(Unanswered::WithinARun)
        } else if let Some(signal) = run.cancellation.requests().first() {
            Some(Unanswered::Interrupted { signal: *signal })
        } else {
            let over = timeout.filter(|timeout| run.exec.clock.elapsed_ms() >= *timeout);
            over.map(|timeout| Unanswered::OthersAsk { timeout })
        };
        unanswered.is_none()
    };
    let taken = receipts::take_turn(state, &plan.workspace, &mut goes_on)?;
    Ok(match (taken, unanswered) {
        (Some(turn), _) => Ok(Some(turn)),
        (None, Some(unanswered)) => Err(unanswered),
        (None, None) => Err(Unanswered::OthersAsk { timeout: timeout.unwrap_or_default() }),
    })
}

/// Whether the caller is a command of a run: the turn that it waits for may be held by that very run. The mark of
/// an agent with an execution of its own (`exec-run-…`) does not count as such a command.
fn is_within_a_run(world: &referee_exec::Host) -> bool {
    let is_mark = |name: &OsString| name == referee_exec::environment::EXECUTION;
    let mark = world.environment.iter().find(|(name, _)| is_mark(name));
    mark.is_some_and(|(_, value)| !value.as_encoded_bytes().starts_with(b"exec-run-"))
}

/// Runs the checks in the time that is left.
fn run_checks(
    run: &RunRequest<'_>,
    timeout: Option<u64>,
    events: &mut dyn EventSink,
) -> Result<GateResult, EngineError> {
    let Some(timeout) = timeout else {
        return Ok(of_run(&suite::run(run, events)?));
    };
    let tasks = suite::wanted(run.suite, run.tasks);
    let time_ms = time_for_checks(timeout, run.exec.clock.elapsed_ms(), &tasks);
    let is_reused = run.workspace.room().is_none() && tasks.iter().all(|plan| reuse::never(plan).is_none());
    let last_ms = tasks.iter().filter_map(|plan| reuse::took_ms(plan, &run.exec)).reduce(u64::saturating_add);
    if let Some(last_ms) = last_ms.filter(|last_ms| *last_ms > time_ms) {
        let unanswered = Unanswered::TookTooLong { last_ms, time_ms, timeout, is_reused };
        return Ok(without_grounds(unanswered.answer(&run.suite.tasks)));
    }
    if time_ms == 0 {
        let unanswered = Unanswered::NoTimeLeft { timeout, is_reused };
        return Ok(without_grounds(unanswered.answer(&run.suite.tasks)));
    }
    let is_ours = run.suite.timeout_ms.is_none_or(|of_suite| time_ms < of_suite);
    let suite = Suite { timeout_ms: run.suite.timeout_ms.into_iter().chain([time_ms]).min(), ..run.suite.clone() };
    let run = RunRequest { suite: &suite, ..run.clone() };
    let ran = suite::run(&run, events)?;
    let GateResult { mut answer, grounds } = of_run(&ran);
    if is_ours && answer.exit == Exit::Timeout {
        if ran.answers.iter().all(|answer| is_cut_off(&answer.report)) {
            answer.decision = Decision::Blocked;
        }
        let hang = ran.answers.iter().find_map(|answer| gate::hang(&answer.report));
        answer.next = hang.unwrap_or_else(|| unanswered::ask_without_deadline(is_reused));
        answer.notes.insert(
            0,
            format!(
                "the answer was wanted within {}, of which the checks had {}: what was not over then was stopped",
                duration::short(timeout),
                duration::short(time_ms)
            ),
        );
    }
    Ok(GateResult { answer, grounds })
}

/// Milliseconds that the checks may take for the answer to be in time: stopped processes have their grace period,
/// and the run must be sealed.
fn time_for_checks(timeout: u64, elapsed_ms: u64, tasks: &[&Plan]) -> u64 {
    let graces = tasks.iter().flat_map(|plan| &plan.actions).map(|action| action.grace_ms);
    let spare = graces.max().unwrap_or(0) + BESIDE_MS + (timeout / SPARE_PART).min(SPARE_MS);
    timeout.saturating_sub(elapsed_ms).saturating_sub(spare.min(timeout / 2))
}

/// Whether nothing but the time limit speaks against a run.
fn is_cut_off(report: &Report) -> bool {
    let no_check_failed = matches!(report.verdict.exit, Exit::Passed | Exit::Timeout | Exit::NothingRan);
    let mut blocking = report.actions.iter().filter_map(|action| action.ran()).filter(|ran| ran.judgement.blocking);
    no_check_failed && blocking.all(|ran| ran.judgement.outcome == Outcome::Timeout)
}

/// Returns the answer about a run of the checks, with the inputs that it rests on. They are not compared with the
/// current tree.
pub fn of_run(ran: &SuiteAnswer) -> GateResult {
    let mut answer = gate::answer(ran.answers.iter().map(judged).collect(), None);
    answer.notes.extend(ran.notes.iter().cloned());
    answer.notes.extend(ran.answers.iter().flat_map(|answer| answer.notes.iter().cloned()));
    let mut grounds = VerdictInputs::default();
    for Answer { report, .. } in ran.answers.iter().filter(|answer| answer.report.run.run_context.clean_room.is_none())
    {
        let moved = report.run.run_context.tree.as_ref().and_then(inputs::moved);
        let told = moved.map(|moved| format!("no verdict of this run of {} is reused: {moved}", report.plan.task));
        answer.reuse.extend(told);
    }
    for Answer { report, .. } in &ran.answers {
        if let Some(receipt @ SharedReceipt::NotTaken { .. }) = &report.run.run_context.shared_receipt {
            answer.reuse.push(receipt.sentence());
        }
    }
    for answer in &ran.answers {
        let inputs = answer.inputs.as_ref().map(|seen| seen.snapshot.clone());
        grounds.add(&answer.report.plan.task, inputs);
    }
    GateResult { answer, grounds }
}

fn judged(answer: &Answer) -> Judged {
    let file = answer.directory.join(evidence_name::EXECUTION_REPORT);
    gate::judged(&answer.report, Basis::Ran, &file.display().to_string())
}

#[cfg(test)]
mod tests;
