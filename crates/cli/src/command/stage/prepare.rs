//! `referee stage prepare`: copies inputs from other stages.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::StageAccess;
use referee_engine::stage::preparation::{self, PrepareOptions};
use referee_model::exit_code;
use referee_report::human;

use crate::args::stage::prepare::Prepare;
use crate::output;

/// Copies outputs of other stages into a stage.
pub(super) fn execute(context: &Context, arguments: &Prepare) -> Result<u8, EngineError> {
    let (access, mut opened) = StageAccess::open(context, &super::named(&arguments.which), None, arguments.adopt)?;
    let wishes = PrepareOptions { again: arguments.again, dry_run: arguments.dry_run, adopt: arguments.adopt };
    let prepared = preparation::prepare(&access.workshop(), &mut opened, wishes)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&prepared),
        |out| human::stage::changes::prepared(&prepared, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}
