//! `referee stage preflight`: checks whether a stage can begin.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::{self, preflight};
use referee_model::exit_code;
use referee_report::human;
use referee_report::human::stage::checks::Look;

use crate::args::stage::preflight::Preflight;
use crate::output;

/// Checks the prerequisites of a stage. Writes nothing.
pub(super) fn execute(context: &Context, arguments: &Preflight) -> Result<u8, EngineError> {
    let state = context.state_if_any()?;
    let opened = stage::open(context, &super::named(&arguments.which), state.as_ref())?;
    let found = preflight::look(&opened)?;
    let document = preflight::document(&opened, &context.redactor(), &found);
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&document),
        |out| human::stage::checks::found(Look::Preflight, &document, &context.terminal.stdout, out),
    )?;
    Ok(if found.checks.is_pass() { exit_code::PASSED } else { exit_code::FAILED })
}
