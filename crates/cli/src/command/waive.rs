//! `referee waive`: signed approvals that one named thing does not block for a limited time.

use referee_engine::context::{Context, SpecificationNames};
use referee_engine::error::EngineError;
use referee_engine::waivers::{self, GivenWaiver, WaiverRequest, WaiverSubject};
use referee_model::exit_code;
use referee_report::human;

use super::person;
use crate::args::waive::{Given, Project, Waive, WaiveCommand, WaiveList};
use crate::follower::notes;
use crate::output;

/// Gives, lists, shows or revokes waivers.
pub(super) fn execute(context: &Context, arguments: &Waive) -> Result<u8, EngineError> {
    match &arguments.command {
        None => {
            person::refuse_to_move_the_gate(context, "waive what blocks")?;
            give(context, &arguments.given)
        }
        Some(WaiveCommand::List(arguments)) => list(context, arguments),
        Some(WaiveCommand::Show(one)) => show(context, &one.id, &one.project),
        Some(WaiveCommand::Revoke(one)) => {
            person::refuse_to_move_the_gate(context, "take a waiver back")?;
            waivers::revoke(context, &names(&one.project), &one.id, &mut notes(context))?;
            output::aside(format!("{} is removed: from the next run on it lifts nothing\n", one.id).as_bytes())?;
            Ok(exit_code::PASSED)
        }
    }
}

fn names(project: &Project) -> SpecificationNames {
    let files = project.specification.iter().cloned().collect();
    SpecificationNames { files, workspace: project.workspace.clone() }
}

fn give(context: &Context, given: &Given) -> Result<u8, EngineError> {
    let (Some(reason), Some(until), Some(key)) = (&given.reason, &given.until, &given.key) else {
        return Err(EngineError::usage("--reason, --until and --key are needed".to_owned()));
    };
    let request = WaiverRequest {
        specification: names(&given.project),
        subject: subject(given),
        reason: reason.clone(),
        until: until.clone(),
        by: given.by.clone(),
        key: key.clone(),
    };
    let GivenWaiver { id, file, terms, refusal } = waivers::give(context, &request, &mut notes(context))?;
    let shown = context.shown(&file).display();
    let refused = refusal.map(|refused| format!("note: it lifts nothing here: {refused}\n")).unwrap_or_default();
    let text = format!("{shown}: waives {} until {}\n{refused}", terms.scope.said(), terms.until);
    output::aside(text.as_bytes())?;
    output::answer(format!("{id}\n").as_bytes())?;
    Ok(exit_code::PASSED)
}

/// Returns the subject of the waiver: exactly one is named.
fn subject(given: &Given) -> WaiverSubject {
    let action = |action: &String| WaiverSubject::Action { task: given.task.clone(), action: action.clone() };
    let rule = || given.rule.clone().map(WaiverSubject::Rule);
    let file = || given.file.clone().map(WaiverSubject::File);
    let weakening = || WaiverSubject::Weakening(given.weakening.clone().unwrap_or_default());
    given.action.as_ref().map(action).or_else(rule).or_else(file).unwrap_or_else(weakening)
}

fn list(context: &Context, arguments: &WaiveList) -> Result<u8, EngineError> {
    let standings = waivers::standings(context, &names(&arguments.project), &mut notes(context))?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&referee_report::waiver_list::document(&standings)),
        |out| human::waivers::list(&standings, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

fn show(context: &Context, id: &str, project: &Project) -> Result<u8, EngineError> {
    let one = waivers::standing_of(context, &names(project), id, &mut notes(context))?;
    let mut text = Vec::new();
    human::waivers::show(&one, &context.terminal.stdout, &mut text)?;
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}
