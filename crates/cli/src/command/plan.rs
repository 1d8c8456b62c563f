//! `referee plan`: shows what would run, in which order, and why.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_judge::role;
use referee_model::exit_code;
use referee_model::id::ActionId;
use referee_model::plan::Work;
use referee_report::human;

use crate::args::{PlainFormat, Plan};
use crate::complaints;
use crate::output;
use crate::resolve;

pub(super) fn execute(context: &Context, arguments: &Plan) -> Result<u8, EngineError> {
    let mut plans = Vec::new();
    for loaded in resolve::load(context, &arguments.specification)? {
        let loaded = loaded?;
        output::aside(&complaints::rendered(context, &loaded.warnings)?)?;
        plans.extend(loaded.suite.tasks);
    }
    if arguments.executables {
        return executables(context, &plans);
    }
    let text = match arguments.format {
        PlainFormat::Json => {
            let documents: Vec<_> =
                plans.iter().map(|plan| referee_model::plan::plan_document::KIND.versioned(plan)).collect();
            match documents.as_slice() {
                [only] => referee_model::document::to_bytes(only)?,
                several => referee_model::document::to_bytes(&several)?,
            }
        }
        PlainFormat::Human => {
            let mut text = Vec::new();
            for plan in &plans {
                human::plan::write(plan, &told(plan), &context.terminal.stdout, &mut text)?;
            }
            text
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

/// Prints the paths of the programs.
fn executables(context: &Context, plans: &[referee_model::plan::Plan]) -> Result<u8, EngineError> {
    let host = context.for_exec()?;
    let mut text = Vec::new();
    for plan in plans {
        let found = referee_exec::programs(plan, &host);
        let found: Vec<_> = found.into_iter().map(|programs| (programs.action, programs.found)).collect();
        human::executables::write(plan, &found, &mut text)?;
    }
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

/// Returns the role of each command, with its reason.
fn told(plan: &referee_model::plan::Plan) -> Vec<(ActionId, String, String)> {
    let commands = plan.actions.iter().filter_map(|action| match &action.work {
        Work::Command(command) => Some((action.id.clone(), role::tell(command))),
        Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Interaction(_) => None,
    });
    commands.map(|(id, told)| (id, told.role.as_str().to_owned(), told.because)).collect()
}
