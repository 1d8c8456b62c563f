//! The gate, at the stop of an agent.

use std::time::Duration;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::gate::{self, GateRequest};
use referee_engine::order_queue::FleetOptions;
use referee_engine::run::GateOptions;
use referee_judge::hook::{Asking, Handover, Stop};
use referee_judge::{claim, hook};
use referee_ledger::State;
use referee_model::enrolment::Enrolment;
use referee_model::gate::GateAnswer;
use referee_model::hook::{HookEvent, HookVerdict};
use referee_model::loop_guard::LoopBudget;
use referee_model::session::{Refusal, StopDecision};
use referee_report::hook as words;

use super::question::{Fault, Question};
use super::{complaint, record, transcript};
use crate::args::duration::{RECEIPT_AGE, receipt_age};
use crate::args::gate::GateInvocation;
use crate::args::gate_options::GateArguments;
use crate::args::hook::Answering;
use crate::follower::notes;
use crate::output;
use crate::resolve;

/// Maximum time reserved before the deadline for stopping and sealing.
const RESERVE: Duration = Duration::from_secs(3);

/// A stop of an agent in an enrolled project.
pub(super) struct Stopping<'stop> {
    pub(super) context: &'stop Context,
    pub(super) enrolment: &'stop Enrolment,
    pub(super) event: &'stop HookEvent,
    pub(super) answering: &'stop Answering,
    pub(super) question: &'stop Question<'stop>,
}

/// Decides whether the agent may hand back.
///
/// | in this order                                          | verdict                                    |
/// |--------------------------------------------------------|--------------------------------------------|
/// | [`hook::asking`] says that the gate is not asked       | nothing                                    |
/// | the gate says pass                                     | yes, with a note for the person            |
/// | only claims were checked, and none is contradicted     | nothing                                    |
/// | a limit of the loop guard is reached, or was           | the turn may end, and nothing has passed   |
/// | any other answer, or none                              | no                                         |
///
/// # Errors
/// Fails if the record of the session cannot be read.
pub(super) fn verdict(stop: &Stopping<'_>, state: &State) -> Result<HookVerdict, Fault> {
    let Stopping { context, enrolment, event, .. } = *stop;
    let standing = record::standing(context, enrolment, state, event)?;
    let message = || transcript::last_message(event, stop.left());
    // If something was changed, the gate is asked whatever the agent says: the message is checked with the answer.
    let early = standing.unchanged.then(message);
    let claims = early.as_ref().and_then(Option::as_deref).is_some_and(|said| !claim::kinds(said).is_empty());
    let record::SessionState { unchanged, failed_before } = standing;
    let asking = hook::asking(Handover { unchanged, failed_before, claims });
    if asking == Asking::No {
        return Ok(HookVerdict::NoOpinion);
    }
    let mut answer = ask(stop);
    if let (Ok(answer), Some(said)) = (&mut answer, early.unwrap_or_else(message)) {
        answer.contradictions = claim::contradictions(&said, answer);
    }
    if asking == Asking::Claims && answer.as_ref().is_ok_and(|answer| !hook::is_borne_by_claims(answer)) {
        return Ok(HookVerdict::NoOpinion);
    }
    let snapshot = answer.as_ref().map_or_else(|_| hook::unanswered(), hook::snapshot);
    let budget = LoopBudget::default();
    let counted = Stop { snapshot, stopped: event.at, began: stop.question.now, answered: resolve::now() };
    let decision = record::count(enrolment, state, event, &budget, counted).unwrap_or_else(|problem| {
        // If the stop cannot be counted, the agent is sent back without a limit.
        drop(output::aside(words::noted(&problem.message).as_bytes()));
        let passed = answer.as_ref().is_ok_and(|answer| hook::snapshot(answer).passed);
        if passed { StopDecision::Passed } else { StopDecision::Refused(Refusal::default()) }
    });
    Ok(told(&answer, decision, &budget))
}

impl Stopping<'_> {
    /// Returns the remaining time for the answer.
    fn left(&self) -> Duration {
        let Question { deadline, began, .. } = *self.question;
        deadline.saturating_sub(RESERVE.min(deadline / 4)).saturating_sub(began.elapsed())
    }
}

fn ask(stop: &Stopping<'_>) -> Result<GateAnswer, String> {
    let hook_context = stop.question.hook_context;
    hook_context.is_asking(true);
    let answer = answer(stop);
    hook_context.is_asking(false);
    answer.map_err(|problem| {
        let enrolled =
            format!("The project {} is enrolled ({}).\n", stop.enrolment.project.display(), stop.enrolment.by.as_str());
        format!("{}{enrolled}", complaint::told(&problem))
    })
}

fn answer(stop: &Stopping<'_>) -> Result<GateAnswer, EngineError> {
    let Stopping { context, enrolment, answering, question, .. } = *stop;
    let timeout = Some(u64::try_from(stop.left().as_millis()).unwrap_or(u64::MAX).max(1));
    let asked = asked(answering, enrolment);
    let suite = crate::command::gate::suite(context, &asked)?;
    let receipt_age_ms = receipt_age(RECEIPT_AGE).ok();
    let fleet = enrolment.fleet.clone().map(|settings| FleetOptions { settings, receipt_age_ms });
    let options = GateOptions { fleet, ..asked.gate.options() };
    let request = GateRequest { timeout, ..asked.request(context, &suite, &options, question.cancellation) };
    gate::ask(&request, &mut notes(context))
}

/// Returns the gate invocation: for the specification of the enrolment, whatever the environment names.
fn asked(answering: &Answering, enrolment: &Enrolment) -> GateInvocation {
    GateInvocation {
        specification: record::specification(enrolment),
        gate: GateArguments { run: answering.run.clone(), trusted: answering.trusted.clone() },
        no_reuse: false,
        held_out: enrolment.held_out.clone(),
    }
}

fn told(answer: &Result<GateAnswer, String>, decision: StopDecision, budget: &LoopBudget) -> HookVerdict {
    match (decision, answer) {
        (StopDecision::Passed, Ok(answer)) => HookVerdict::Allow { note: Some(words::passed(answer)) },
        // There is no pass without an answer.
        (StopDecision::Passed, Err(why)) => HookVerdict::Block { reason: words::unanswered(why, Refusal::default()) },
        (StopDecision::Refused(refusal), Ok(answer)) => HookVerdict::Block { reason: words::refused(answer, refusal) },
        (StopDecision::Refused(refusal), Err(why)) => HookVerdict::Block { reason: words::unanswered(why, refusal) },
        (StopDecision::Escalated { limit, .. }, answer) => {
            let answer = answer.as_ref().map_err(String::as_str);
            HookVerdict::Allow { note: Some(words::escalated(answer, limit, budget)) }
        }
    }
}
