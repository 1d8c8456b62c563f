//! Detects whether a person types the command.

use std::io::IsTerminal;

use referee_engine::context::Context;
pub(super) use referee_engine::person::{agent, refuse_an_agent, refuse_to_move_the_gate, user};

/// Returns whether a person is at a terminal, as far as a program can determine.
pub(super) fn is_at_a_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Returns whether the location of held-out checks may be shown: at a terminal, without variables of an agent.
pub(super) fn may_see_places(context: &Context) -> bool {
    context.host().agent.is_none() && std::io::stdout().is_terminal()
}
