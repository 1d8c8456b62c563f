//! `referee stage accept`: gives an executor control of a stage.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::StageAccess;
use referee_engine::stage::acceptance::{self, AcceptOptions};
use referee_model::exit_code;
use referee_report::human;

use crate::args::stage::accept::Accept;
use crate::output;

/// Gives control to an executor.
pub(super) fn execute(context: &Context, arguments: &Accept) -> Result<u8, EngineError> {
    let (access, mut opened) =
        StageAccess::open(context, &super::named(&arguments.which), arguments.by.as_deref(), arguments.adopt)?;
    let wishes = AcceptOptions { again: arguments.again, adopt: arguments.adopt };
    let accepted = acceptance::accept(&access.workshop(), &mut opened, wishes)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&accepted),
        |out| human::stage::changes::accepted(&accepted, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}
