//! A warning that cannot be overlooked: not everything was run.

use std::io;

use referee_model::record::SkipReason;
use referee_model::report::{Course, Report};

use crate::page::{Line, Page};
use crate::style::Tone;
use crate::wording;

/// Lines that the warning may take.
const LINES_MAX: usize = 4;

/// Writes that a run was a reduced one, if it was.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let is_left_out = |action: &&referee_model::report::ActionReport| {
        matches!(action.course, Course::Skipped(SkipReason::LeftOut(_)))
    };
    let left_out = report.actions.iter().filter(is_left_out).count() as u64;
    // A run that left something out is a reduced one, whatever its header says.
    if !report.run.scope.reduced && left_out == 0 {
        return Ok(());
    }
    let profile = report.run.scope.profile.as_str();
    let steps = wording::counted(left_out, "step");
    let text = format!("this was a reduced run (profile {profile}, {steps} left out): it never counts as done");
    let lead = Line::indented(2).then(Tone::Warning, page.signs().warning).then(Tone::Plain, " ");
    page.paragraph(lead, 4, Tone::Warning, &text, LINES_MAX)
}
