//! Determines the files of a plan's programs without starting any.

use std::collections::BTreeMap;

use referee_model::id::{ActionId, ExecutionId};
use referee_model::plan::{Action, Plan, Work};
use referee_model::record::Executable;

use crate::command::Commands;
use crate::executable::Executables;
use crate::host::Host;

/// Programs that one action would start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    pub action: ActionId,
    /// The started program, the programs that a shell line names, and the interpreters of scripts among these; or
    /// why they cannot be determined.
    pub found: Result<Vec<Executable>, String>,
}

/// Finds the programs of all commands and services of a plan, as a run would find them now. Nothing is started.
///
/// # Panics
/// Never: the text is an id.
pub fn programs(plan: &Plan, host: &Host) -> Vec<Programs> {
    found(plan, host, Executables::default())
}

/// Finds the programs of all commands and services of a plan like [`programs`], but reads no file: the digests are
/// left out.
///
/// # Panics
/// Never: the text is an id.
pub fn located(plan: &Plan, host: &Host) -> Vec<Programs> {
    found(plan, host, Executables::unread())
}

fn found(plan: &Plan, host: &Host, executables: Executables) -> Vec<Programs> {
    // The run has no id yet, and no program depends on it.
    let execution = ExecutionId::parse("exec-0").expect("letters, a dash and a number are an id");
    let commands = Commands::with(plan, &execution, host, executables);
    plan.actions.iter().filter_map(|action| of(&commands, action)).collect()
}

fn of(commands: &Commands<'_>, action: &Action) -> Option<Programs> {
    let command = match &action.work {
        Work::Command(command) => command,
        Work::Service(service) => service.command.as_ref()?,
        Work::File(_) | Work::Http(_) | Work::Interaction(_) => return None,
    };
    let prepared = commands.prepare(action, command, &BTreeMap::new(), None);
    let found = prepared.resolved.map(|resolved| resolved.executables).map_err(|refusal| refusal.message);
    Some(Programs { action: action.id.clone(), found })
}
