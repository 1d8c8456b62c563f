//! `referee stage finalize`: ends a stage and publishes its outputs.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::IncidentService;
use referee_engine::stage::finalization::{self, FinalizeOptions};
use referee_engine::stage::{Opened, StageAccess, validation, verification};
use referee_report::human;

use super::specification;
use crate::args::stage::finalize::Finalize;
use crate::command::person;
use crate::output;

/// Ends a stage, or reports why it cannot end.
pub(super) fn execute(context: &Context, arguments: &Finalize) -> Result<u8, EngineError> {
    if arguments.without_handback {
        person::refuse_an_agent(context, "finalize a stage without a handback")?;
    }
    let (access, mut opened) = StageAccess::open(context, &super::named(&arguments.which), None, arguments.adopt)?;
    let wishes = FinalizeOptions {
        dry_run: arguments.dry_run,
        without_handback: arguments.without_handback,
        adopt: arguments.adopt,
    };
    let verify = |opened: &Opened| {
        if arguments.dry_run {
            return verification::recorded(access.state(), opened, &validation::outputs(opened)?);
        }
        specification::verify(context, &arguments.gate, opened)
    };
    let root =
        arguments.incidents.root.as_ref().map(|root| context.directory.join(root)).or_else(|| opened.incidents());
    let incidents = || IncidentService::of_project(context, root.as_deref()).map_err(|problem| problem.message);
    let finalized = finalization::finalize(&access.workshop(), &mut opened, wishes, verify, incidents)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&finalized.document),
        |out| human::stage::changes::finalized(&finalized.document, &context.terminal.stdout, out),
    )?;
    Ok(finalized.exit())
}
