//! `referee stage accept`.

use referee_engine::stage::accepting::{self, Wishes};
use referee_report::human;
use referee_wire::exit_code;

use super::changing::Door;
use crate::args::PlainFormat;
use crate::args::stage::accept::Accept;
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

/// Gives an executor control.
pub(super) fn execute(world: &World, arguments: &Accept) -> Result<u8, Problem> {
    let (door, mut opened) = Door::open(world, &arguments.which, arguments.by.as_deref(), arguments.adopt)?;
    let wishes = Wishes { again: arguments.again, adopt: arguments.adopt };
    let accepted = accepting::accept(&door.workshop(), &mut opened, wishes)?;
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&accepted)?,
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::stage::deeds::accepted(&accepted, &world.terminal.stdout, &mut text)?;
            text
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}
