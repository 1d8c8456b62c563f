//! Reads the last message of the agent: from the event, or from the end of the transcript that the event names.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use referee_foreign::hook::transcript;
use referee_model::hook::{AgentHost, HookEvent};

/// Maximum time to wait for a host to write the message.
const PATIENCE: Duration = Duration::from_secs(3);

/// Polling interval while waiting.
const LOOK: Duration = Duration::from_millis(20);

/// Returns the agent's last message. None: it is unknown. An unreadable transcript is not a fault. Copilot
/// writes its transcript after the hook has started, and creates it late in a short session, so it is waited for,
/// during a part of the remaining time; if the message does not arrive, the end of the transcript may be of an
/// earlier turn, and is not used.
pub(super) fn last_message(event: &HookEvent, left: Duration) -> Option<String> {
    if event.last_message.is_some() {
        return event.last_message.clone();
    }
    let path = event.transcript.as_deref()?;
    let (began, patience) = (Instant::now(), PATIENCE.min(left / 4));
    let mut end = end_of(path);
    if let (AgentHost::Copilot, Some(stopped)) = (event.host, event.at) {
        while !end.as_deref().is_some_and(|end| transcript::reaches(end, stopped)) {
            if patience <= began.elapsed() {
                return None;
            }
            std::thread::sleep(LOOK);
            end = end_of(path);
        }
    }
    let worker = event.worker.as_deref().filter(|_| event.worker_has_session);
    transcript::last_message(event.host, worker, &end?)
}

/// Returns the end of a file, up to the size limit. Only regular files are read: others might never end.
fn end_of(path: &Path) -> Option<Vec<u8>> {
    let facts = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let most = u64::try_from(transcript::BYTES).ok()?;
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(facts.len().saturating_sub(most))).ok()?;
    let mut end = Vec::new();
    file.take(most).read_to_end(&mut end).ok()?;
    Some(end)
}
