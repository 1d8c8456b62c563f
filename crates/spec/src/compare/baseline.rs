//! Compares the specification at a baseline with the current one.

use std::path::Path;

use referee_model::suite::Suite;

use super::{Weakenings, compare};
use crate::complaint::{Level, render_plain};
use crate::error::SpecError;
use crate::plan::{Options, load_text};

/// Result of a comparison with the text of a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared {
    /// Weakenings of the candidate.
    pub weakenings: Weakenings,
    /// Reason why the comparison was not possible, as a sentence for people. A missing comparison never counts
    /// as one without weakenings. None: it was made.
    pub note: Option<String>,
}

/// Loads the text of a baseline's specification as if it were in `file`, with the options of the candidate, and
/// compares the two. None as a text: there was no specification.
pub fn with_text(baseline: Option<&[u8]>, file: &Path, options: &Options, candidate: &Suite) -> Compared {
    let name = file.display();
    let not_compared = |why: String| Compared { weakenings: Weakenings::default(), note: Some(why) };
    let Some(bytes) = baseline else {
        return not_compared(format!(
            "{name} is not in the baseline, so whether the specification asks for less than it did is not known"
        ));
    };
    match load_text(file, bytes, options) {
        Ok(loaded) => Compared { weakenings: compare(&loaded.suite, candidate), note: None },
        Err(error) => not_compared(format!(
            "{name} as it is in the baseline cannot be loaded ({}), so whether the specification asks for less than it did \
             is not known",
            first(&error)
        )),
    }
}

/// Returns the first error.
fn first(error: &SpecError) -> String {
    let SpecError::Complaints(complaints) = error else { return error.to_string() };
    let wrong = complaints.iter().find(|complaint| complaint.level == Level::Error);
    let text = wrong.map(render_plain).unwrap_or_default();
    text.lines().next().map_or_else(|| error.to_string(), str::to_owned)
}
