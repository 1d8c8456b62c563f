//! Problems of an action's specification, with their locations.

use std::io;

use referee_model::id::ActionId;
use referee_model::plan::{Plan, SpecificationProblem};

use super::{FURTHER, INDENT, SENTENCE_LINES};
use crate::page::{Line, Page};
use crate::style::Tone;
use crate::wording;

const PROBLEMS: usize = 20;

/// Writes the problems of one action's specification, except those that the reason names already.
pub(super) fn write(plan: &Plan, action: &ActionId, reason: &str, page: &mut Page<'_>) -> io::Result<()> {
    let own: Vec<_> = plan.problems.iter().filter(|problem| problem.action.as_ref() == Some(action)).collect();
    list(plan, &own, reason, page)
}

/// Writes the problems of the whole task's specification. Returns whether there were any.
pub(crate) fn write_of_task(plan: &Plan, page: &mut Page<'_>) -> io::Result<bool> {
    let own: Vec<_> = plan.problems.iter().filter(|problem| problem.action.is_none()).collect();
    if own.is_empty() {
        return Ok(false);
    }
    page.line(
        Line::new().then(Tone::Bad, page.signs().bad).word(Tone::Strong, "The task cannot run as it is specified"),
    )?;
    list(plan, &own, "", page)?;
    page.blank()?;
    Ok(true)
}

fn list(plan: &Plan, problems: &[&SpecificationProblem], told: &str, page: &mut Page<'_>) -> io::Result<()> {
    for problem in problems.iter().take(PROBLEMS) {
        let place = wording::place(&plan.specification.file, Some(problem.line), Some(problem.column));
        let lead = Line::indented(INDENT).then(Tone::Place, &place);
        let lead = if problem.pointer.is_empty() { lead } else { lead.word(Tone::Faint, &problem.pointer) };
        let message = if is_told(problem, told) { "" } else { &problem.message };
        page.paragraph(lead.then(Tone::Plain, "  "), FURTHER, Tone::Plain, message, SENTENCE_LINES)?;
    }
    page.left_to_report(INDENT, problems.len(), PROBLEMS)
}

/// Whether the reason of an action names a problem, with its location.
pub(crate) fn is_told(problem: &SpecificationProblem, reason: &str) -> bool {
    let named = reason.strip_prefix(SpecificationProblem::REASON);
    // A problem may itself contain the separator of problems.
    named.is_some_and(|named| format!("; {named}; ").contains(&format!("; {problem}; ")))
}
