//! The evaluator's result in one line.

use std::io;

use referee_model::verdict::{Evaluated, Evaluation, EvaluatorStatus};

use crate::page::{Line, Page};
use crate::style::Tone;

/// Maximum number of lines of the evaluator's summary.
const LINES_MAX: usize = 4;

/// Writes the result of an evaluator after `lead`.
pub(super) fn write(evaluated: &Evaluated, lead: Line, page: &mut Page<'_>) -> io::Result<()> {
    let (tone, text) = match &evaluated.evaluation {
        Evaluation::NotAsked { reason } => (Tone::Faint, format!("not asked: {reason}")),
        Evaluation::Fault { reason } => (Tone::Bad, format!("fault: {reason}")),
        Evaluation::Said(answer) => {
            let tone = match answer.status {
                EvaluatorStatus::Passed if !evaluated.overridden => Tone::Good,
                EvaluatorStatus::Passed | EvaluatorStatus::Blocked => Tone::Warning,
                EvaluatorStatus::Failed => Tone::Bad,
            };
            let overridden = if evaluated.overridden { " (overridden)" } else { "" };
            (tone, format!("{}{overridden}: {}", answer.status.as_str(), answer.summary))
        }
    };
    let indent = lead.width();
    page.paragraph(lead, indent, tone, &text, LINES_MAX)
}
