//! Changes that weaken a pass without blocking: added suppressions, and a specification that asks for less.
//! Blocking ones are among the reasons of the decision.

use std::io;

use referee_model::report::Report;
use referee_model::run_context::protection::{Suppression, Weakening};

use crate::page::{Line, Page};
use crate::style::Tone;

/// Maximum number of lines of one sentence.
const LINES_MAX: usize = 3;

/// Maximum number that is shown without `--verbose`.
const SHOWN: usize = 10;

/// Writes these changes, one paragraph each. Returns whether there were any.
pub(super) fn write(report: &Report, page: &mut Page<'_>) -> io::Result<bool> {
    let Some(protection) = &report.run.run_context.protection else { return Ok(false) };
    let weakenings = protection.weakenings.iter().filter(|weakening| !weakening.blocks).map(weakening);
    let suppressions = protection.suppressions.iter().filter(|suppression| !suppression.blocks).map(suppression);
    let all: Vec<(String, String)> = weakenings.chain(suppressions).collect();
    let shown = page.shown(all.len(), SHOWN);
    for (what, text) in all.iter().take(shown) {
        let lead = Line::indented(2)
            .then(Tone::Warning, page.signs().warning)
            .word(Tone::Strong, what)
            .then(Tone::Plain, ": ");
        page.paragraph(lead, 4, Tone::Plain, text, LINES_MAX)?;
    }
    if all.len() > shown {
        let text = format!("{} more ways in which this change asks for less, in the report", all.len() - shown);
        page.line(Line::indented(4).then(Tone::Faint, &text))?;
    }
    Ok(!all.is_empty())
}

fn weakening(weakening: &Weakening) -> (String, String) {
    let Weakening { kind, subject, before, after, .. } = weakening;
    (format!("{subject} {}", kind.as_str()), format!("{after}; at the baseline: {before}"))
}

fn suppression(suppression: &Suppression) -> (String, String) {
    let Suppression { path, line, kind, text, .. } = suppression;
    (format!("{path}:{line} {}", kind.as_str()), text.clone())
}
