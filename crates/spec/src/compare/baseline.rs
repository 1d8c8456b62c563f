//! The specification as it was at a baseline, held against the one that is to run.

use std::path::Path;

use referee_model::suite::Suite;

use super::{Weakenings, compare};
use crate::complaint::{Level, render_plain};
use crate::error::SpecError;
use crate::plan::{Options, load_text};

/// What came of a comparison with a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared {
    /// How the candidate asks for less.
    pub weakenings: Weakenings,
    /// Why they could not be compared, where they could not: a sentence for a person. A comparison that was not made is
    /// never taken for one that found nothing.
    pub note: Option<String>,
}

/// Loads the text of a baseline's specification as if it stood in `file`, with the options that the candidate was loaded
/// with, and compares the two. None as a text: there was no specification.
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

/// The first thing that is wrong.
fn first(error: &SpecError) -> String {
    let SpecError::Complaints(complaints) = error else { return error.to_string() };
    let wrong = complaints.iter().find(|complaint| complaint.level == Level::Error);
    let text = wrong.map(render_plain).unwrap_or_default();
    text.lines().next().map_or_else(|| error.to_string(), str::to_owned)
}
