//! A prominent warning: not everything was run, and which command runs all of it.

use std::io;

use referee_model::report::Report;
use referee_model::selection::Profile;
use referee_syntax::count::count;

use crate::page::Page;
use crate::style::Tone;

/// Maximum number of lines of the warning.
const LINES_MAX: usize = 4;

/// Writes that a run was a reduced one, if it was.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    if !report.is_reduced() {
        return Ok(());
    }
    let profile = report.run.scope.profile.as_str();
    let steps = count(report.left_out() as u64, "step");
    let text = format!("this was a reduced run (profile {profile}, {steps} left out): it never counts as done");
    page.item(2, (Tone::Warning, page.signs().warning), Tone::Warning, &text, LINES_MAX)
}

/// Returns what to do after a reduced run that passed: only a complete run may end in "done" (ruling 17).
pub(super) fn next_step(profile: Profile) -> &'static str {
    match profile {
        Profile::Strict => {
            "a whole run is needed before the task may be called done: `referee run` without the selection"
        }
        _ => {
            "a whole run is needed before the task may be called done: `referee run --profile strict` without a selection"
        }
    }
}
