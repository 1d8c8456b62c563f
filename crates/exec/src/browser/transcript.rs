//! The document about an action in the browser that is stored as evidence.

use serde::{Deserialize, Serialize};

/// Maximum number of entries of each list; the rest are counted.
const ENTRIES: usize = 500;

/// What was asked of a browser, and what it answered.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Transcript {
    pub(super) commands: Vec<CommandAnswer>,
    /// Messages of the console.
    console: Vec<ConsoleMessage>,
    /// Errors that the page did not catch.
    page_errors: Vec<String>,
    /// Requests of the page without an answer, or with a status of 400 or more.
    failed_requests: Vec<FailedRequest>,
    /// Dialogs, which were dismissed.
    dialogs: Vec<Dialog>,
    /// Downloads, which were not kept.
    downloads: Vec<Download>,
    /// Addresses of windows that the page opened.
    windows: Vec<String>,
    /// Number of entries that the lists leave out.
    left_out: u64,
    title: Option<String>,
    url: Option<String>,
    /// Text of the page at the end.
    text: Option<String>,
}

/// One command and its answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommandAnswer {
    pub(super) request: String,
    pub(super) ok: bool,
    /// Message of a failure, or the value that was evaluated or read, as JSON text.
    pub(super) answer: String,
    pub(super) duration_ms: u64,
}

/// The page after a command.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    pub(super) url: String,
    title: Option<String>,
    text: Option<String>,
}

/// What happened in the browser since the previous command.
#[derive(Debug, Deserialize)]
pub(super) struct Events {
    pub(super) console: Vec<ConsoleMessage>,
    pub(super) requests: Vec<FailedRequest>,
    /// Messages of errors that the page did not catch.
    pub(super) errors: Vec<String>,
    pub(super) dialogs: Vec<Dialog>,
    pub(super) downloads: Vec<Download>,
    /// Addresses of windows that opened.
    pub(super) windows: Vec<String>,
    /// Number of events that were not kept.
    pub(super) dropped: u64,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ConsoleMessage {
    level: String,
    text: String,
    /// Address and line of the script.
    at: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct FailedRequest {
    method: String,
    url: String,
    /// Why there is no answer.
    failure: Option<String>,
    status: Option<u16>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Dialog {
    kind: String,
    text: String,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Download {
    url: String,
    file: String,
}

impl Transcript {
    /// Adds what happened during a command, and what the page was afterwards.
    pub(super) fn add(&mut self, events: Events, seen: Seen) {
        let Events { console, requests, errors, dialogs, downloads, windows, dropped } = events;
        self.left_out += dropped
            + append(&mut self.console, console)
            + append(&mut self.failed_requests, requests)
            + append(&mut self.page_errors, errors)
            + append(&mut self.dialogs, dialogs)
            + append(&mut self.downloads, downloads)
            + append(&mut self.windows, windows);
        self.title = seen.title;
        self.url = Some(seen.url);
        self.text = seen.text;
    }
}

/// Appends entries as long as there is room, and returns the number of the others.
fn append<T>(all: &mut Vec<T>, mut new: Vec<T>) -> u64 {
    let room = ENTRIES.saturating_sub(all.len()).min(new.len());
    let left_out = (new.len() - room) as u64;
    new.truncate(room);
    all.append(&mut new);
    left_out
}
