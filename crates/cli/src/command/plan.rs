//! `referee plan`: what would run, in which order, and why.

use referee_judge::role;
use referee_model::plan::Work;
use referee_report::human;
use referee_wire::exit_code;

use crate::args::{PlainFormat, Plan};
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

/// Prints the plan and runs nothing.
pub(super) fn execute(world: &World, arguments: &Plan) -> Result<u8, Problem> {
    let loaded = world.load(&arguments.specification)?;
    output::aside(&super::check::rendered(world, &loaded.warnings)?)?;
    let plan = &loaded.plan;
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&referee_wire::plan::document(plan))?,
        PlainFormat::Human => {
            let told: Vec<_> = plan
                .actions
                .iter()
                .filter_map(|action| match &action.work {
                    Work::Command(command) => Some((action.id.clone(), role::tell(command))),
                    Work::File(_) => None,
                })
                .map(|(id, told)| (id, told.role.as_str().to_owned(), told.because))
                .collect();
            let mut text = Vec::new();
            human::plan::write(plan, &told, &world.terminal.stdout, &mut text)?;
            text
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}
