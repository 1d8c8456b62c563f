//! Runs the specification of a stage.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::event_sink::EventSink;
use referee_engine::stage::standing::Verdict;
use referee_engine::stage::{Opened, verification};
use referee_report::style::Verbosity;

use crate::args::Format;
use crate::args::gate_options::GateArguments;
use crate::follower::{Follower, notes};
use crate::resolve;

/// Runs the specification of a stage, if it has one, and shows progress to a person at a terminal.
pub(super) fn verify(context: &Context, gate: &GateArguments, opened: &Opened) -> Result<Verdict, EngineError> {
    let style = context.terminal.stderr;
    let is_shown = style.interactive && style.verbosity != Verbosity::Quiet;
    let mut follower = is_shown.then(|| Follower::new(context, Format::Human));
    let mut notes = notes(context);
    let events: &mut dyn EventSink = match &mut follower {
        Some(follower) => follower,
        None => &mut notes,
    };
    let verdict = verification::verify(context, &gate.options(), opened, events, resolve::signals);
    follower.iter_mut().for_each(Follower::clear);
    verdict
}

#[cfg(test)]
mod tests;
