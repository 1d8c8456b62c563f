//! Conditions over the actions of a task.

use std::io;

use referee_model::plan::{Criteria, ExpectedOutput};

use super::{INDENT, LINES_MAX};
use crate::page::{Line, Page};
use crate::style::Tone;

/// Writes the conditions that a plan declares, if any.
pub(super) fn write(criteria: &Criteria, page: &mut Page<'_>) -> io::Result<()> {
    let conditions = [("must hold", &criteria.success), ("must not hold", &criteria.failure)];
    let output = criteria.expected_output.as_ref().map(expected_output).unwrap_or_default();
    if conditions.iter().all(|(_, conditions)| conditions.is_empty()) && output.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.line(Line::new().then(Tone::Strong, "Conditions"))?;
    for (how, conditions) in conditions {
        for condition in conditions {
            let lead = Line::indented(2).then(Tone::Faint, how).then(Tone::Plain, "  ");
            page.paragraph(lead, INDENT, Tone::Place, &condition.text, LINES_MAX)?;
            if !condition.description.is_empty() {
                page.paragraph(Line::indented(INDENT), INDENT, Tone::Faint, &condition.description, LINES_MAX)?;
            }
        }
    }
    for sentence in output {
        let lead = Line::indented(2).then(Tone::Faint, "last command").then(Tone::Plain, "  ");
        page.paragraph(lead, INDENT, Tone::Plain, &sentence, LINES_MAX)?;
    }
    Ok(())
}

/// Returns the expected output and exit code of the last step that runs a command.
fn expected_output(expected: &ExpectedOutput) -> Vec<String> {
    let mut sentences: Vec<String> =
        expected.stdout_contains.iter().map(|text| format!("standard output contains `{text}`")).collect();
    sentences.extend(
        expected.stderr_empty.map(|is_empty| {
            if is_empty { "standard error is empty" } else { "standard error is not empty" }.to_owned()
        }),
    );
    sentences.extend(expected.exit_code.map(|code| format!("exit code {code}")));
    sentences
}
