//! `referee stage accept`.

use referee_engine::stage::accepting::{self, Wishes};
use referee_report::human;
use referee_wire::exit_code;

use super::changing::Door;
use crate::args::stage::accept::Accept;
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

/// Gives an executor control.
pub(super) fn execute(world: &World, arguments: &Accept) -> Result<u8, Problem> {
    let (door, mut opened) = Door::open(world, &arguments.which, arguments.by.as_deref(), arguments.adopt)?;
    let wishes = Wishes { again: arguments.again, adopt: arguments.adopt };
    let accepted = accepting::accept(&door.workshop(), &mut opened, wishes)?;
    output::document(
        arguments.format,
        || referee_wire::to_bytes(&accepted),
        |out| human::stage::deeds::accepted(&accepted, &world.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}
