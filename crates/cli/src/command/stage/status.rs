//! `referee stage status`: shows the state of stages.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::history::History;
use referee_engine::stage::{StageError, configuration, run_directory, status};
use referee_ledger::stages::StageRun;
use referee_report::human::stage;

use crate::args::PlainFormat;
use crate::args::stage::status::Status;
use crate::output;

/// Shows the state of stages. Only reports, whatever it finds, and writes nothing.
pub(super) fn execute(context: &Context, arguments: &Status) -> Result<u8, EngineError> {
    let directory = run_directory(context, arguments.run.run_dir.as_deref())?;
    let state = context.state_if_any()?;
    let run = StageRun::open(&directory)
        .map_err(StageError::from)?
        .ok_or_else(|| EngineError::usage(format!("directory not found: {}", directory.display())))?;
    let history = History::of(&run.log(state.as_ref()).map_err(StageError::from)?);
    let named = arguments.run.run_dir.as_ref().map(|directory| directory.display().to_string());
    let found = status::look(
        &run,
        &history,
        arguments.stage.as_ref(),
        named.as_deref(),
        &context.redactor(),
        |path, found| configuration(context, path, found),
    )?;
    let mut text = Vec::new();
    match arguments.format {
        PlainFormat::Human => stage::status::write(&found, &context.terminal.stdout, &mut text)?,
        PlainFormat::Json => {
            text = referee_model::document::to_bytes(&found)?;
        }
    }
    output::answer(&text)?;
    Ok(referee_model::exit_code::PASSED)
}
