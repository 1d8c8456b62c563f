//! The waivers of a project, as `referee waive list --format json` prints them.

use referee_model::run_context::waiver::{WaiverState, WaiverUse};
use serde::Serialize;

use crate::execution_report::WaiverUseDocument;

/// The version that is written.
const VERSION: &str = "1.0.0";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaiverListDocument {
    waiver_list_version: &'static str,
    /// The waivers, by file name. In a list, `unused` says that it holds now.
    waivers: Vec<WaiverUseDocument>,
    /// How many of them hold now.
    in_force: usize,
}

/// Returns the list as a document.
pub fn document(waivers: &[WaiverUse]) -> WaiverListDocument {
    let in_force =
        waivers.iter().filter(|used| matches!(used.state, WaiverState::Applied | WaiverState::Unused)).count();
    WaiverListDocument {
        waiver_list_version: VERSION,
        waivers: waivers.iter().map(WaiverUseDocument::from).collect(),
        in_force,
    }
}
