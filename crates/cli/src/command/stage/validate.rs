//! `referee stage validate`: judges the outputs of a stage.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::standing::{self, Verdict};
use referee_engine::stage::{self, Workshop, validation};
use referee_report::human;
use referee_report::human::stage::checks::Look;

use super::specification;
use crate::args::stage::validate::Validate;
use crate::output;
use crate::resolve;

/// Judges the outputs of a stage, and publishes nothing. The specification runs before the outputs are read:
/// its commands may write some.
pub(super) fn execute(context: &Context, arguments: &Validate) -> Result<u8, EngineError> {
    let state = context.state_if_any()?;
    let opened = stage::open(context, &super::named(&arguments.which), state.as_ref())?;
    let before = validation::outputs(&opened)?;
    let verdict = specification::verify(context, &arguments.gate, &opened)?;
    let outputs = match verdict {
        Verdict::NotAsked => before.clone(),
        Verdict::Unknown | Verdict::Known(_) => validation::outputs(&opened)?,
    };
    let handed = standing::look(&opened, &outputs, &verdict)?;
    let redactor = context.redactor();
    let by = if context.host().agent.is_some() { "agent" } else { "cli" };
    let workshop = Workshop { state: state.as_ref(), now: resolve::now(), redactor: &redactor, by };
    let mut found = validation::judged(&workshop, &opened, &outputs, &verdict, &handed);
    found.document.warnings.extend(validation::record(&workshop, &opened, (&before, &outputs), &verdict));
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&found.document),
        |out| human::stage::checks::found(Look::Validation, &found.document, &context.terminal.stdout, out),
    )?;
    Ok(found.exit)
}
