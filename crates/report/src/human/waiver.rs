//! Prominent warnings: failures that do not block because a person waived them, and waivers that are not valid.

use std::io;

use referee_model::report::Report;
use referee_model::run_context::waiver::{WaiverState, WaiverUse};

use crate::page::{Line, Page};
use crate::style::{Tone, Verbosity};

/// Maximum number of lines of one warning.
const LINES_MAX: usize = 4;

/// Maximum number of waivers without effect that are shown without `--verbose`.
const OTHERS: usize = 5;

/// Writes the waivers of a run: first all of those that were applied, then the others.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let of = |is_applied: bool| {
        let waivers = &report.verdict.waivers;
        waivers.iter().filter(move |used| (used.state == WaiverState::Applied) == is_applied)
    };
    let sign = (Tone::Warning, page.signs().warning);
    for used in of(true) {
        page.item(2, sign, Tone::Warning, &used.sentence(), LINES_MAX)?;
    }
    let shown = match page.style().verbosity {
        Verbosity::Quiet => 0,
        Verbosity::Verbose => usize::MAX,
        Verbosity::Normal => OTHERS,
    };
    for used in of(false).take(shown) {
        page.item(2, sign, Tone::Plain, &used.sentence(), LINES_MAX)?;
    }
    let left = of(false).count().saturating_sub(shown);
    if left > 0 && shown > 0 {
        page.line(Line::indented(4).then(Tone::Faint, &format!("and {left} more waivers in the report")))?;
    }
    Ok(())
}

/// Whether a sentence repeats the text of [`write`].
pub(super) fn is_told(report: &Report, sentence: &str) -> bool {
    report.verdict.waivers.iter().any(|used: &WaiverUse| used.sentence() == sentence)
}
