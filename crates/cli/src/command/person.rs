//! Who sits where this is typed.

use std::io::IsTerminal;

use referee_engine::context::Context;
pub(super) use referee_engine::person::{agent, refuse_an_agent, refuse_to_move_the_gate, user};

/// Whether somebody sits at a terminal, as far as a program can tell.
pub(super) fn is_at_a_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Whether it may be told where held-out checks lie: at a terminal, where no variable of an agent is set.
pub(super) fn may_see_places(context: &Context) -> bool {
    context.host().agent.is_none() && std::io::stdout().is_terminal()
}
