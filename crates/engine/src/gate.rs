//! One question: may this be called done? A recorded verdict answers it where nothing that it rests on has changed; else
//! the checks run. Of several who ask about one workspace at once one runs the checks, and the others find what it recorded.

use referee_judge::gate::{self, Judged};
use referee_ledger::receipts::{self, Turn};
use referee_model::gate::{Basis, GateAnswer};
use referee_model::held_out::HeldOut;
use referee_model::outcome::Outcome;
use referee_model::plan::Plan;
use referee_model::report::Report;
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_wire::evidence_name;

use self::unanswered::Unanswered;
use crate::request::{Answer, Failure, Listener};
use crate::reuse::{self, Trees};
use crate::suite::{self, SuiteAnswer, SuiteRequest};

mod unanswered;

/// Time that a run takes beside its checks, in milliseconds: what was asked of inputs before, sealing, processes that
/// are stopped.
const BESIDE_MS: u64 = 1_000;

/// Most of the time that is kept free beside the checks, in milliseconds, and the part of the whole that it is.
const SPARE_MS: u64 = 5_000;
const SPARE_PART: u64 = 20;

/// The question.
pub struct GateRequest<'request> {
    /// What runs where no recorded verdict answers.
    pub run: SuiteRequest<'request>,
    /// Whether a recorded verdict may answer.
    pub reuse: bool,
    /// Milliseconds after which the answer must be there, by the clock of the run's world. None: as long as it takes.
    pub deadline_ms: Option<u64>,
    /// What held-out checks came to. None: there are none.
    pub held_out: Option<HeldOut>,
}

/// Asks it.
///
/// # Errors
/// As [`suite::run`].
pub fn ask(request: GateRequest<'_>, listener: &mut dyn Listener) -> Result<GateAnswer, Failure> {
    let GateRequest { run, reuse, deadline_ms, held_out } = request;
    let mut why_not = None;
    if reuse {
        match recorded(&run) {
            Ok(judged) => return Ok(gate::answer(judged, held_out)),
            Err(reason) => why_not = Some(reason),
        }
    }
    let turn = match turn(&run, deadline_ms, listener)? {
        Ok(turn) => turn,
        Err(unanswered) => return Ok(unanswered.answer(&run.suite.tasks, held_out)),
    };
    if reuse && turn.as_ref().is_some_and(|turn| turn.waited) {
        match recorded(&run) {
            Ok(judged) => return Ok(gate::answer(judged, held_out)),
            Err(reason) => why_not = Some(reason),
        }
    }
    let mut answer = run_checks(run, deadline_ms, held_out, listener)?;
    answer.notes.extend(why_not.map(|reason| format!("no recorded verdict was reused: {reason}")));
    drop(turn);
    Ok(answer)
}

/// The recorded verdicts of all tasks; or why one of them has none that answers.
fn recorded(run: &SuiteRequest<'_>) -> Result<Vec<Judged>, String> {
    let setting = suite::setting(run);
    let mut trees = Trees::default();
    let tasks = suite::wanted(run.suite, run.tasks);
    let several = tasks.len() > 1;
    let find = |plan: &&Plan| {
        let found = reuse::find(&setting, plan, &mut trees);
        found.map_err(|reason| if several { format!("{}: {reason}", plan.task) } else { reason })
    };
    tasks.iter().map(find).collect()
}

/// Waits for the turn to ask about the workspace. None: there is no state folder, so nobody can be waited for.
fn turn(
    run: &SuiteRequest<'_>,
    deadline_ms: Option<u64>,
    listener: &mut dyn Listener,
) -> Result<Result<Option<Turn>, Unanswered>, Failure> {
    let (Some(state), Some(plan)) = (run.state, run.suite.tasks.first()) else { return Ok(Ok(None)) };
    let mut unanswered = None;
    let mut goes_on = || {
        listener.idle();
        unanswered = if let Some(signal) = run.cancellation.requests().first() {
            Some(Unanswered::Interrupted { signal: *signal })
        } else {
            let over = deadline_ms.filter(|deadline| run.world.clock.elapsed_ms() >= *deadline);
            over.map(|deadline_ms| Unanswered::OthersAsk { deadline_ms })
        };
        unanswered.is_none()
    };
    let taken = receipts::take_turn(state, &plan.workspace, &mut goes_on)?;
    Ok(match (taken, unanswered) {
        (Some(turn), _) => Ok(Some(turn)),
        (None, Some(unanswered)) => Err(unanswered),
        (None, None) => Err(Unanswered::OthersAsk { deadline_ms: deadline_ms.unwrap_or_default() }),
    })
}

/// Runs the checks, in the time that is left.
fn run_checks(
    run: SuiteRequest<'_>,
    deadline_ms: Option<u64>,
    held_out: Option<HeldOut>,
    listener: &mut dyn Listener,
) -> Result<GateAnswer, Failure> {
    let Some(deadline_ms) = deadline_ms else {
        return Ok(answered(&suite::run(&run, listener)?, held_out));
    };
    let tasks = suite::wanted(run.suite, run.tasks);
    let time_ms = time_for_checks(deadline_ms, run.world.clock.elapsed_ms(), &tasks);
    let last_ms = tasks.iter().filter_map(|plan| reuse::took_ms(plan, &run.world)).reduce(u64::saturating_add);
    if let Some(last_ms) = last_ms.filter(|last_ms| *last_ms > time_ms) {
        let unanswered = Unanswered::TookTooLong { last_ms, deadline_ms };
        return Ok(unanswered.answer(&run.suite.tasks, held_out));
    }
    if time_ms == 0 {
        return Ok(Unanswered::NoTimeLeft { deadline_ms }.answer(&run.suite.tasks, held_out));
    }
    let is_ours = run.suite.deadline_ms.is_none_or(|of_suite| time_ms < of_suite);
    let suite = Suite { deadline_ms: run.suite.deadline_ms.into_iter().chain([time_ms]).min(), ..run.suite.clone() };
    let run = SuiteRequest { suite: &suite, ..run };
    let ran = suite::run(&run, listener)?;
    let mut answer = answered(&ran, held_out);
    if is_ours && answer.exit == Exit::Timeout {
        let held_out_failed = answer.held_out.as_ref().is_some_and(|held_out| held_out.decision == Decision::Fail);
        if !held_out_failed && ran.answers.iter().all(|answer| is_cut_off(&answer.report)) {
            answer.decision = Decision::Blocked;
        }
        answer.next = unanswered::run_first();
        answer.notes.insert(
            0,
            format!(
                "the answer was wanted within {}: what was not over then was stopped",
                unanswered::seconds(deadline_ms)
            ),
        );
    }
    Ok(answer)
}

/// Milliseconds that the checks may take, so that the answer is there in time: what is stopped has its grace, and the run is
/// to be sealed.
fn time_for_checks(deadline_ms: u64, elapsed_ms: u64, tasks: &[&Plan]) -> u64 {
    let graces = tasks.iter().flat_map(|plan| &plan.actions).map(|action| action.grace_ms);
    let spare = graces.max().unwrap_or(0) + BESIDE_MS + (deadline_ms / SPARE_PART).min(SPARE_MS);
    deadline_ms.saturating_sub(elapsed_ms).saturating_sub(spare.min(deadline_ms / 2))
}

/// Whether nothing speaks against a run but that its time was up.
fn is_cut_off(report: &Report) -> bool {
    let no_check_failed = matches!(report.verdict.exit, Exit::Passed | Exit::Timeout | Exit::NothingRan);
    let mut blocking = report.actions.iter().filter_map(|action| action.ran()).filter(|ran| ran.judgement.blocking);
    no_check_failed && blocking.all(|ran| ran.judgement.outcome == Outcome::Timeout)
}

fn answered(ran: &SuiteAnswer, held_out: Option<HeldOut>) -> GateAnswer {
    let mut answer = gate::answer(ran.answers.iter().map(judged).collect(), held_out);
    answer.notes.extend(ran.notes.iter().cloned());
    answer.notes.extend(ran.answers.iter().flat_map(|answer| answer.notes.iter().cloned()));
    answer
}

fn judged(answer: &Answer) -> Judged {
    let file = answer.folder.join(evidence_name::EXECUTION_REPORT);
    gate::judged(&answer.report, Basis::Ran, &file.display().to_string())
}

#[cfg(test)]
mod tests;
