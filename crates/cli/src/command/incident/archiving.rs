//! `referee incident archive` and `reopen`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use referee_engine::incident::Part;
use referee_engine::incident::archiving;
use referee_report::style;
use referee_wire::exit_code;
use referee_wire::incident::ARCHIVE_META;
use referee_wire::incident_list::IncidentRow;

use super::planning::person;
use crate::args::PlainFormat;
use crate::args::incident::archiving::{Archive, Ended, Reopen};
use crate::command::person::refuse_an_agent;
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

/// Bytes of a note.
const NOTE: u64 = 256 * 1024;

pub(super) fn archive(world: &World, arguments: &Archive) -> Result<u8, Problem> {
    let id = super::id(&arguments.id)?;
    let note = arguments.note_file.as_ref().map(|file| note(&world.directory.join(file))).transpose()?;
    let office = super::office(world, &arguments.root)?;
    let by = person(world);
    let desk = office.desk(&by);
    // What its checks resolved anybody may put away.
    if matches!(arguments.result, Ended::Resolved) && !archiving::is_resolved_by_loop(desk, &id)? {
        refuse_an_agent(world, "say that it is resolved")?;
    }
    let place = archiving::archive(desk, &id, arguments.result.into(), &arguments.reason, note.as_deref())?;
    let text = match arguments.format {
        PlainFormat::Json => {
            let kept = desk.incidents.file(&id, Part::Incident, ARCHIVE_META);
            let kept = kept.map_err(referee_engine::incident::IncidentError::from)?;
            kept.ok_or_else(|| Problem::internal(format!("{ARCHIVE_META} was not kept")))?
        }
        PlainFormat::Human => format!("{id} is archived: {}\n", style::plain(&place)).into_bytes(),
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

pub(super) fn reopen(world: &World, arguments: &Reopen) -> Result<u8, Problem> {
    refuse_an_agent(world, "open an incident again")?;
    let id = super::id(&arguments.id)?;
    let office = super::office(world, &arguments.root)?;
    let by = person(world);
    let desk = office.desk(&by);
    archiving::reopen(desk, &id, &arguments.reason)?;
    let stored = desk.find(&id)?;
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&IncidentRow::of(&stored.incident, stored.path()))?,
        PlainFormat::Human => {
            let place = stored.path();
            format!("{id} is open again, and new: {}\nnext: referee incident plan {id}\n", style::plain(&place))
                .into_bytes()
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn note(path: &Path) -> Result<String, Problem> {
    let unusable = |reason: &dyn std::fmt::Display| Problem::usage(format!("--note-file {}: {reason}", path.display()));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unusable(&error))?;
    file.take(NOTE + 1).read_to_end(&mut bytes).map_err(|error| unusable(&error))?;
    if bytes.len() as u64 > NOTE {
        return Err(unusable(&format_args!("it is larger than {} KiB", NOTE >> 10)));
    }
    String::from_utf8(bytes).map_err(|_| unusable(&"it is no text (UTF-8)"))
}
