//! Interactions with a database or a browser.

use referee_model::record::{InteractionEnding, InteractionFacts};

use crate::browser::sessions::BrowserSessions;
use crate::capture::Sink;
use crate::command::Commands;

/// Shared means of interactions.
pub(crate) struct Means<'run> {
    pub(crate) commands: &'run Commands<'run>,
    pub(crate) sink: &'run dyn Sink,
    pub(crate) browsers: &'run BrowserSessions,
}

/// Returns the facts of an interaction that could not be asked.
pub(crate) fn unavailable(requests: Vec<String>, message: String) -> InteractionFacts {
    InteractionFacts {
        executables: Vec::new(),
        peer: None,
        requests,
        ending: InteractionEnding::Unavailable { message },
        row_count: None,
        value: None,
        answer: None,
        screenshots: Vec::new(),
        observations: Vec::new(),
    }
}
