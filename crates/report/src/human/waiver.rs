//! Warnings that cannot be overlooked: what does not block because a person said so, and waivers that do not hold.

use std::io;

use referee_model::report::Report;
use referee_model::run_context::waiver::{WaiverState, WaiverUse};

use crate::page::{Line, Page};
use crate::style::{Tone, Verbosity};

/// Lines that one of them may take.
const LINES_MAX: usize = 4;

/// Waivers that lift nothing and are told where not everything is wanted.
const OTHERS: usize = 5;

/// Writes what became of the waivers: those that were applied always and all, the others after them.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let of = |is_applied: bool| {
        let waivers = &report.verdict.waivers;
        waivers.iter().filter(move |used| (used.state == WaiverState::Applied) == is_applied)
    };
    let lead = |page: &Page<'_>| Line::indented(2).then(Tone::Warning, page.signs().warning).then(Tone::Plain, " ");
    for used in of(true) {
        page.paragraph(lead(page), 4, Tone::Warning, &used.sentence(), LINES_MAX)?;
    }
    let shown = match page.style().verbosity {
        Verbosity::Quiet => 0,
        Verbosity::Verbose => usize::MAX,
        Verbosity::Normal => OTHERS,
    };
    for used in of(false).take(shown) {
        page.paragraph(lead(page), 4, Tone::Plain, &used.sentence(), LINES_MAX)?;
    }
    let left = of(false).count().saturating_sub(shown);
    if left > 0 && shown > 0 {
        page.line(Line::indented(4).then(Tone::Faint, &format!("and {left} more waivers in the report")))?;
    }
    Ok(())
}

/// Whether a sentence says what [`write`] does.
pub(super) fn is_told(report: &Report, sentence: &str) -> bool {
    report.verdict.waivers.iter().any(|used: &WaiverUse| used.sentence() == sentence)
}
