//! `referee incident archive` and `reopen`.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::Part;
use referee_engine::incident::archive::{self, ArchiveRequest};
use referee_model::exit_code;
use referee_model::incident::ARCHIVE_META;
use referee_model::incident::list::IncidentRow;
use referee_report::style;

use super::plan::person;
use crate::args::PlainFormat;
use crate::args::incident::archive::{Archive, Reopen};
use crate::{input, output};

/// Maximum size of a note, in bytes.
const NOTE: u64 = 256 * 1024;

pub(super) fn archive(context: &Context, arguments: &Archive) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let note = arguments.note_file.as_ref().map(|file| input::text(context, file, NOTE)).transpose()?;
    let service = super::service(context, &arguments.root)?;
    let by = person(context);
    let incidents = service.context(&by);
    let request = ArchiveRequest { result: arguments.result.into(), reason: &arguments.reason, note: note.as_deref() };
    let place = archive::archive(incidents, &id, request)?;
    let text = match arguments.format {
        PlainFormat::Json => {
            let kept = incidents.incidents.file(&id, Part::Incident, ARCHIVE_META);
            let kept = kept.map_err(referee_engine::incident::IncidentError::from)?;
            kept.ok_or_else(|| EngineError::internal(format!("{ARCHIVE_META} was not kept")))?
        }
        PlainFormat::Human => format!("{id} is archived: {}\n", style::plain(&place)).into_bytes(),
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

pub(super) fn reopen(context: &Context, arguments: &Reopen) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let by = person(context);
    let incidents = service.context(&by);
    archive::reopen(incidents, &id, &arguments.reason)?;
    let stored = incidents.find(&id)?;
    let text = match arguments.format {
        PlainFormat::Json => referee_model::document::to_bytes(&IncidentRow::of(&stored.incident, stored.path()))?,
        PlainFormat::Human => {
            let place = stored.path();
            format!("{id} is open again, and new: {}\nnext: referee incident plan {id}\n", style::plain(&place))
                .into_bytes()
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}
