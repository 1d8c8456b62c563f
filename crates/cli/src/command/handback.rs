//! `referee handback`: shows an executor's claim about a stage, and its validity. Read-only; can be run any
//! number of times.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::{standing, validation, verification};
use referee_model::exit_code;
use referee_report::human;

use super::stage;
use crate::args::PlainFormat;
use crate::args::handback::Handback;
use crate::args::stage::RunDirectory;
use crate::output;

/// Shows the handback. Exits with 0 whatever the reason is, with 1 if nothing can be shown, and with `--check`
/// if the stage cannot be finalized.
pub(super) fn execute(context: &Context, arguments: &Handback) -> Result<u8, EngineError> {
    let state = context.state_if_any()?;
    let opened = referee_engine::stage::open(context, &stage::named(&arguments.which), state.as_ref())?;
    let outputs = validation::outputs(&opened)?;
    let verdict = verification::recorded(state.as_ref(), &opened, &outputs)?;
    let handed_back = standing::look(&opened, &outputs, &verdict)?;
    let run = typed(context, &arguments.which.run, opened.run.path());
    let document = standing::document(&opened, &handed_back, &context.redactor(), &run);
    let is_shown = document.reason.is_some();
    match arguments.format {
        PlainFormat::Json => output::answer(&referee_model::document::to_bytes(&document)?)?,
        PlainFormat::Human if is_shown => {
            let mut text = Vec::new();
            human::stage::handed_back::handed_back(&document, &context.terminal.stdout, &mut text)?;
            output::answer(&text)?;
        }
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::stage::handed_back::refused(&document, &context.terminal.stderr, &mut text)?;
            output::aside(&text)?;
        }
    }
    let is_good = is_shown && (document.standing.holds || !arguments.check);
    Ok(if is_good { exit_code::PASSED } else { exit_code::FAILED })
}

/// Returns the run's directory in a form for a shell.
fn typed(context: &Context, named: &RunDirectory, found: &std::path::Path) -> String {
    let path = named.run_dir.as_deref().unwrap_or_else(|| context.shown(found));
    stage::typed(path)
}
