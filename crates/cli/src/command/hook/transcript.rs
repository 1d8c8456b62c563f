//! What the agent said last: as the event tells it, or by the end of the transcript that the event names.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use referee_model::hook::HookEvent;
use referee_wire::hook::transcript;

/// Returns the agent's last message. None: nobody tells it. It is held against what ran and decides nothing, so a transcript
/// that cannot be read is no fault.
pub(super) fn last_message(event: &HookEvent) -> Option<String> {
    let told = event.last_message.clone();
    told.or_else(|| transcript::last_message(event.host, &end_of(event.transcript.as_deref()?)?))
}

/// The end of a file, as much of it as is worth reading. Only of a file: another thing at its place might never end.
fn end_of(path: &Path) -> Option<Vec<u8>> {
    let facts = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let most = u64::try_from(transcript::BYTES).ok()?;
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(facts.len().saturating_sub(most))).ok()?;
    let mut end = Vec::new();
    file.take(most).read_to_end(&mut end).ok()?;
    Some(end)
}
