//! The stored output that conditions need, collected in one pass over each stream.

use std::collections::BTreeMap;
use std::io::{self, Read};

use memchr::memmem;
use referee_judge::condition;
use referee_ledger::evidence::LogFile;
use referee_model::condition_inputs::{ConditionInputs, ConditionQuery, Content, StreamInputs};
use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::record::{Log, ServiceRecord, Stream};
use referee_model::report::Ran;

use crate::error::EngineError;

/// Bytes read at a time.
const BUFFER_BYTES: usize = 64 * 1024;

/// Collects the inputs that the conditions of a plan need from the output of its actions.
///
/// # Errors
/// Fails if stored output differs from what was captured, or cannot be read.
pub(crate) fn find(
    plan: &Plan,
    ran: &BTreeMap<ActionId, Ran>,
    services: &[ServiceRecord],
    open_log: impl Fn(&Log) -> LogFile,
) -> Result<BTreeMap<ActionId, ConditionInputs>, EngineError> {
    let mut materials = BTreeMap::new();
    for (action, wanted) in condition::wanted(plan) {
        let Some(ran) = ran.get(&action) else { continue };
        let stopped = services.iter().find(|service| service.action == action).and_then(|service| service.log.as_ref());
        let Some(log) = ran.record.log().or(stopped) else { continue };
        let stored = open_log(log);
        stored.check()?;
        let material = look(&stored, log, &wanted).map_err(|error| {
            EngineError::internal(format!("the stored output of {action} could not be read: {error}"))
        })?;
        materials.insert(action, material);
    }
    Ok(materials)
}

fn look(stored: &LogFile, log: &Log, wanted: &ConditionQuery) -> io::Result<ConditionInputs> {
    let mut streams = BTreeMap::new();
    for stream in Stream::ALL {
        let needles = wanted.needles.get(&stream).map(Vec::as_slice).unwrap_or_default();
        let bytes = log.streams.stream_bytes(stream);
        let text = if wanted.whole.contains(&stream) { whole(stored, stream, bytes)? } else { None };
        let found = search(stored.stream(stream)?, needles)?;
        streams.insert(stream, StreamInputs { bytes, found, text });
    }
    let bytes = log.streams.stream_bytes(Stream::Stdout);
    let content = if wanted.content {
        Some(whole(stored, Stream::Stdout, bytes)?.map_or(Content::TooLong { bytes }, Content::Text))
    } else {
        None
    };
    Ok(ConditionInputs { streams, content })
}

/// Reads a whole stream. `None`: it is longer than [`limit::CONDITION_TEXT_BYTES`].
fn whole(stored: &LogFile, stream: Stream, bytes: u64) -> io::Result<Option<String>> {
    if bytes > limit::CONDITION_TEXT_BYTES {
        return Ok(None);
    }
    let mut text = Vec::new();
    stored.stream(stream)?.read_to_end(&mut text)?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

/// Returns for each needle whether it occurs, in memory that does not grow with the stream.
fn search(mut stream: impl Read, needles: &[String]) -> io::Result<BTreeMap<String, bool>> {
    let mut found: BTreeMap<String, bool> = needles.iter().map(|needle| (needle.clone(), needle.is_empty())).collect();
    let finders: Vec<_> = needles.iter().map(|needle| (needle, memmem::Finder::new(needle))).collect();
    // A needle may start at the end of one piece and continue in the next, so the end of each piece is kept.
    let overlap = needles.iter().map(String::len).max().unwrap_or(0).saturating_sub(1);
    let mut window: Vec<u8> = Vec::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    while found.values().any(|found| !found) {
        let length = match stream.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if length == 0 {
            break;
        }
        window.extend_from_slice(&buffer[..length]);
        for (needle, finder) in &finders {
            if finder.find(&window).is_some() {
                found.insert((*needle).clone(), true);
            }
        }
        window.drain(..window.len().saturating_sub(overlap));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reader that returns a text in pieces of a fixed length.
    struct Pieces<'text>(&'text [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(target.len());
            target[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    proptest! {
        #[test]
        fn needles_are_found_however_the_stream_arrives(
            text in "[ab]{0,40}",
            needles in prop::collection::vec("[ab]{0,5}", 0..4),
            piece in 1..7_usize,
        ) {
            let found = search(Pieces(text.as_bytes(), piece), &needles).unwrap();
            for needle in needles {
                prop_assert_eq!(found[&needle], text.contains(&needle), "{}", needle);
            }
        }
    }
}
