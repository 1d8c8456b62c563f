//! Reads the host's event from standard input.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use referee_model::hook::{AgentHost, HookEvent};
use referee_model::limit;

/// Reads the event of a host, within a time limit.
///
/// # Errors
/// Fails, with a message, if it is invalid, too large, or does not arrive.
pub(super) fn read(host: AgentHost, patience: Duration) -> Result<HookEvent, String> {
    let bytes = bytes(patience)?;
    let mut event = referee_foreign::hook::read(host, &bytes).map_err(|error| error.to_string())?;
    let is_name = |id: &String| !id.trim().is_empty() && id.chars().count() <= limit::SESSION_ID_CHARACTERS;
    event.session = event.session.filter(is_name);
    Ok(event)
}

fn bytes(patience: Duration) -> Result<Vec<u8>, String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err("no event came: a host hands it in on standard input, and that is a terminal".to_owned());
    }
    let (sender, read) = mpsc::channel();
    let reading = move || {
        let mut bytes = Vec::new();
        let most = u64::try_from(limit::HOOK_EVENT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let result = stdin.lock().take(most).read_to_end(&mut bytes);
        // If the receiver is gone, the event arrived too late.
        drop(sender.send(result.map(|_| bytes)));
    };
    std::thread::Builder::new()
        .name("event".to_owned())
        .spawn(reading)
        .map_err(|error| format!("no thread could be started: {error}"))?;
    let late = |_| format!("the event did not come whole within {:.1} s", patience.as_secs_f64());
    let bytes = read.recv_timeout(patience).map_err(late)?;
    let bytes = bytes.map_err(|error| format!("the event could not be read: {error}"))?;
    if bytes.len() > limit::HOOK_EVENT_BYTES {
        return Err(format!("the event is larger than the {} bytes that are read of one", limit::HOOK_EVENT_BYTES));
    }
    Ok(bytes)
}
