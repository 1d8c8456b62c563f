//! The document of `referee waive list --format json`: the waivers of a project.

use referee_model::run_context::waiver::{WaiverState, WaiverUse};

use crate::execution_report::WaiverUseDocument;

/// Version of the document.
const VERSION: &str = "1.0.0";

#[document(unpublished)]
pub struct WaiverListDocument {
    waiver_list_version: &'static str,
    /// Waivers, by file name. In this list, `unused` means that the waiver is valid now.
    waivers: Vec<WaiverUseDocument>,
    /// Number of waivers that are valid now.
    in_force: usize,
}

pub fn document(waivers: &[WaiverUse]) -> WaiverListDocument {
    let in_force =
        waivers.iter().filter(|used| matches!(used.state, WaiverState::Applied | WaiverState::Unused)).count();
    WaiverListDocument {
        waiver_list_version: VERSION,
        waivers: waivers.iter().map(WaiverUseDocument::from).collect(),
        in_force,
    }
}
