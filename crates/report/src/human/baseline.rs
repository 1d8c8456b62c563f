//! A prominent warning: the run was compared with a baseline, and the findings in it do not block.

use std::io;

use referee_model::report::Report;

use crate::page::Page;
use crate::style::Tone;

/// Maximum number of lines of the warning.
const LINES_MAX: usize = 4;

/// Writes the baseline that a run was compared with, if any.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let Some(baseline) = &report.verdict.baseline else { return Ok(()) };
    page.item(2, (Tone::Warning, page.signs().warning), Tone::Warning, &baseline.to_string(), LINES_MAX)
}

/// Whether a reason of the verdict repeats the text of [`write`].
pub(super) fn is_told(report: &Report, reason: &str) -> bool {
    report.verdict.baseline.as_ref().is_some_and(|baseline| baseline.to_string() == reason)
}
