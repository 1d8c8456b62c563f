//! Turns an event into the verdict of a hook.

use std::time::Duration;

use referee_engine::context::Context;
use referee_engine::enrolment;
use referee_ledger::State;
use referee_model::enrolment::Enrolment;
use referee_model::hook::{HookEvent, HookMoment, HookVerdict};
use referee_model::limit;

use super::event;
use super::question::{Fault, Question};
use super::{guard, project, record, stop};
use crate::output;
use crate::resolve;

/// Returns the verdict.
///
/// | in this order                                             | verdict                      |
/// |-----------------------------------------------------------|------------------------------|
/// | the project was never enrolled                            | nothing                      |
/// | the event cannot be read                                  | no: a fault                  |
/// | a session begins, or a person speaks                      | nothing; it is recorded      |
/// | a tool would change a file that arms the gate             | no                           |
/// | the host's changed settings no longer have the gate       | no                           |
/// | any other event that is not gated                         | nothing                      |
/// | a person stopped the agent, or it failed                  | nothing                      |
/// | the rest of the arguments cannot be parsed                | no: a fault                  |
/// | any other                                                 | as [`stop::verdict`] says    |
///
/// # Errors
/// Fails if the verdict cannot be determined. The context knows whether that sends the agent back.
pub(super) fn verdict(question: &Question<'_>) -> Result<HookVerdict, Fault> {
    let Question { hook_context, now, .. } = *question;
    let context = resolve::look(question.global)?;
    let patience = Duration::from_millis(limit::HOOK_EVENT_MS).min(question.deadline / 2);
    let event = event::read(hook_context.host(), patience);
    if let Ok(event) = &event {
        hook_context.heard(event);
    }
    let (enrolments, state) = enrolled(&context, question, event.as_ref().ok())?;
    if enrolments.is_empty() {
        hook_context.is_silent();
        return Ok(HookVerdict::NoOpinion);
    }
    let (event, state) = (event.map_err(Fault)?, state?);
    record::follow(&state, &event, now)?;
    let of_each = |enrolment| match event.moment {
        HookMoment::SessionBegins | HookMoment::PersonSpeaks => {
            record::begin(&context, enrolment, &state, &event, now)?;
            Ok(HookVerdict::NoOpinion)
        }
        HookMoment::ToolIsUsed => {
            record::works(enrolment, &state, &event, now)?;
            Ok(guard::edit(&context, enrolment, &event))
        }
        HookMoment::ConfigurationChanges => Ok(guard::settings(&context, enrolment, &event)),
        moment if moment.is_gated() && !event.aborted => {
            let answering = question.answering.as_ref().map_err(|error| Fault(error.clone()))?;
            let stop = stop::Stopping { context: &context, enrolment, event: &event, answering, question };
            stop::verdict(&stop, &state)
        }
        _ => Ok(HookVerdict::NoOpinion),
    };
    in_all(enrolments.iter().map(of_each))
}

/// Combines the verdicts of several projects: one refusal is enough, and ends the evaluation.
fn in_all(verdicts: impl Iterator<Item = Result<HookVerdict, Fault>>) -> Result<HookVerdict, Fault> {
    let mut all = HookVerdict::NoOpinion;
    for verdict in verdicts {
        all = match (all, verdict?) {
            (_, HookVerdict::Block { reason }) => return Ok(HookVerdict::Block { reason }),
            (before, HookVerdict::NoOpinion) => before,
            (HookVerdict::Allow { note: Some(before) }, HookVerdict::Allow { note: Some(note) }) => {
                HookVerdict::Allow { note: Some(format!("{before}\n{note}")) }
            }
            (_, allowed @ HookVerdict::Allow { .. }) => allowed,
        };
    }
    Ok(all)
}

/// Finds the projects of an event, and opens the state directory. An unusable one only matters in an enrolled
/// project.
fn enrolled(
    context: &Context,
    question: &Question<'_>,
    event: Option<&HookEvent>,
) -> Result<(Vec<Enrolment>, Result<State, Fault>), Fault> {
    // Some hosts run the configuration of another one, in its event format.
    let host = event.map_or(question.hook_context.host(), |event| event.host);
    let usable = context.state_if_any();
    let known = usable.as_ref().ok().and_then(Option::as_ref);
    let enrolments = project::enrolled(context, host, event, known)?;
    let Some(first) = enrolments.first() else {
        return Ok((enrolments, Err(Fault("no project is enrolled".to_owned()))));
    };
    let state = match usable {
        Ok(Some(state)) => Ok(state),
        Err(problem) => Err(problem.into()),
        Ok(None) => opened(context, first).inspect(|state| {
            // An implied enrolment is stored from now on; if that fails, the next event finds it again.
            let mut notes = Vec::new();
            let _ = enrolment::standing(context, &first.project, Some(state), &mut notes);
            let _ = output::notes(&notes);
        }),
    };
    let outside = |state: State| {
        if enrolments.iter().any(|enrolment| state.lies_in(&enrolment.project)) {
            let place = state.path().display();
            return Err(Fault(format!("the state directory {place} is in the project, where agents can write")));
        }
        Ok(state)
    };
    let state = state.and_then(outside);
    Ok((enrolments, state))
}

fn opened(context: &Context, enrolment: &Enrolment) -> Result<State, Fault> {
    let state = context.state([enrolment.project.as_path()])?;
    state.ok_or_else(|| {
        Fault("there is no state directory: set REFEREE_STATE_DIR to a directory outside it the project".to_owned())
    })
}
