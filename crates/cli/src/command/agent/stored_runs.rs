//! Stored runs of agents.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::repair::{self, StoredRun};
use referee_model::exit_code;
use referee_report::agent_run::AgentRunList;
use referee_report::human;

use crate::args::PlainFormat;
use crate::args::agent::{AgentList, AgentShow};
use crate::follower::notes;
use crate::output;

/// Lists the runs, latest first.
pub(super) fn list(context: &Context, arguments: &AgentList) -> Result<u8, EngineError> {
    let runs = repair::list(context, &mut notes(context))?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&AgentRunList::new(&runs)),
        |out| human::agent_run::list(&runs, context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

pub(super) fn show(context: &Context, arguments: &AgentShow) -> Result<u8, EngineError> {
    let kept = StoredRun::find(context, &arguments.run)?;
    let text = match arguments.format {
        PlainFormat::Json => referee_model::document::to_bytes(&kept.run)?,
        PlainFormat::Human => shown(context, &kept)?,
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

/// Renders a run for people, with its stored turns.
pub(super) fn shown(context: &Context, kept: &StoredRun) -> Result<Vec<u8>, EngineError> {
    let (path, iterations) = (kept.path().display().to_string(), kept.iterations(&mut notes(context))?);
    let mut text = Vec::new();
    human::agent_run::show(&kept.run, &iterations, &path, context.terminal.stdout, &mut text)?;
    Ok(text)
}
