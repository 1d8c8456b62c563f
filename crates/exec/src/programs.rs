//! Determines the files of a plan's programs without starting any.

use std::collections::BTreeMap;

use referee_model::id::{ActionId, ExecutionId};
use referee_model::plan::{Action, Interaction, Invocation, Plan, Work};
use referee_model::record::Executable;

use crate::browser::launch;
use crate::command::Commands;
use crate::executable::Executables;
use crate::host::Host;
use crate::query::driver;

/// Programs that one action would start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    pub action: ActionId,
    /// The started program, the programs that a shell line names, and the interpreters of scripts among these; or
    /// why they cannot be determined.
    pub found: Result<Vec<Executable>, String>,
}

/// Finds the programs of all actions of a plan, as a run would find them now. Nothing is started.
///
/// # Panics
/// Never: the text is an id.
pub fn programs(plan: &Plan, host: &Host) -> Vec<Programs> {
    found(plan, host, Executables::default(), |_| true)
}

/// Finds the programs of all actions of a plan like [`programs`], but reads no file: the digests are
/// left out.
///
/// # Panics
/// Never: the text is an id.
pub fn located(plan: &Plan, host: &Host) -> Vec<Programs> {
    found(plan, host, Executables::unread(), |_| true)
}

fn found(plan: &Plan, host: &Host, executables: Executables, is_asked: fn(&Action) -> bool) -> Vec<Programs> {
    // The run has no id yet, and no program depends on it.
    let execution = ExecutionId::parse("exec-0").expect("letters, a dash and a number are an id");
    let commands = Commands::with(plan, &execution, host, executables);
    let asked = plan.actions.iter().filter(|action| is_asked(action));
    asked.filter_map(|action| of(&commands, action)).collect()
}

fn of(commands: &Commands<'_>, action: &Action) -> Option<Programs> {
    let nothing = BTreeMap::new();
    let prepared = match &action.work {
        Work::Command(command) => commands.prepare(action, command, &nothing, None),
        Work::Service(service) => commands.prepare(action, service.command.as_ref()?, &nothing, None),
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Query(_) => commands.prepare_own(action, driver::PROGRAM),
            Interaction::Browser(browser) => launch::prepare(action, &nothing, browser, commands),
        },
        Work::File(_) | Work::Http(_) => return None,
    };
    let found = prepared.resolved.map(|resolved| resolved.executables).map_err(|refusal| refusal.message);
    Some(Programs { action: action.id.clone(), found })
}

/// Returns whether an action asks a database, a browser or a container.
fn is_external(action: &Action) -> bool {
    match &action.work {
        Work::Interaction(_) => true,
        Work::Command(command) => matches!(command.invocation, Invocation::Container(_)),
        Work::File(_) | Work::Http(_) | Work::Service(_) => false,
    }
}

/// Returns whether a plan asks a database, a browser or a container.
pub fn has_external(plan: &Plan) -> bool {
    plan.actions.iter().any(is_external)
}

/// Returns the actions of a plan whose database, browser or container cannot be asked on this machine, because a
/// program is missing, and why. Nothing is started.
pub fn missing(plan: &Plan, host: &Host) -> Vec<(ActionId, String)> {
    let found = found(plan, host, Executables::unread(), is_external).into_iter();
    found.filter_map(|programs| Some((programs.action, programs.found.err()?))).collect()
}
