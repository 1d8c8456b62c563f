//! A warning that cannot be overlooked: the run was held against a baseline, and what stood in it does not block.

use std::io;

use referee_model::report::Report;

use crate::page::{Line, Page};
use crate::style::Tone;

/// Lines that the warning may take.
const LINES_MAX: usize = 4;

/// Writes what a run was held against, if it was held against anything.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let Some(baseline) = &report.verdict.baseline else { return Ok(()) };
    let lead = Line::indented(2).then(Tone::Warning, page.signs().warning).then(Tone::Plain, " ");
    page.paragraph(lead, 4, Tone::Warning, &baseline.to_string(), LINES_MAX)
}

/// Whether a reason of the verdict says what [`write`] does.
pub(super) fn is_told(report: &Report, reason: &str) -> bool {
    report.verdict.baseline.as_ref().is_some_and(|baseline| baseline.to_string() == reason)
}
