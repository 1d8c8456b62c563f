//! Interactions with a database or a browser.

use referee_model::plan::Interaction;
use referee_model::record::{InteractionEnding, InteractionFacts, Notice};

use crate::attempt::{ExecError, Turn, Watcher};
use crate::browser::{self, BrowserSessions};
use crate::capture::Sink;
use crate::command::Commands;
use crate::query;

/// Shared means of interactions.
pub(crate) struct Means<'run> {
    pub(crate) commands: &'run Commands<'run>,
    pub(crate) sink: &'run dyn Sink,
    pub(crate) browsers: &'run BrowserSessions,
}

/// Carries out an interaction once. What cannot be asked is a fact, not an error.
pub(crate) fn perform(
    turn: &Turn<'_>,
    interaction: &Interaction,
    means: &Means<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<(InteractionFacts, Vec<Notice>), ExecError> {
    match interaction {
        Interaction::Query(query) => query::perform(turn, query, means.commands, means.sink, watcher),
        Interaction::Browser(browser) => browser::perform(turn, browser, means, watcher),
    }
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
