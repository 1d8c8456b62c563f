//! Browsers, driven through an MCP server. All actions of a run share one browser.

use referee_model::plan::Browser;
use referee_model::record::{InteractionFacts, Notice};

use crate::attempt::{ExecError, Turn, Watcher};
use crate::interaction::{Means, unavailable};

/// The browsers of a run, started by the first action that needs one.
#[derive(Default)]
pub(crate) struct BrowserSessions;

impl BrowserSessions {
    /// Ends all browsers, with every process that they started.
    pub(crate) fn close(&self) {}
}

/// Carries out the commands of an action.
pub(crate) fn perform(
    _turn: &Turn<'_>,
    _browser: &Browser,
    _means: &Means<'_>,
    _watcher: &mut Watcher<'_>,
) -> Result<(InteractionFacts, Vec<Notice>), ExecError> {
    Ok((unavailable(Vec::new(), "not written yet".to_owned()), Vec::new()))
}
