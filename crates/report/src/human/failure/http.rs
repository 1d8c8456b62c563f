//! An HTTP answer that does not meet its expectations, or is missing.

use std::io;

use crate::execution_report::expectation;
use referee_model::plan::{HttpRequest, Work};
use referee_model::record::http::{AssertionObservation, HttpAnswer, HttpEnding};
use referee_model::record::{HttpFacts, SchemaObservation};

use super::{Bounds, FURTHER, INDENT, SENTENCE_LINES, connection};
use crate::page::{Line, Page};
use crate::style::Tone;

/// Writes the failed expectations of an answer, or why there is no answer.
pub(super) fn write(work: &Work, facts: &HttpFacts, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
    let Work::Http(request) = work else { return Ok(()) };
    redirects(facts, page)?;
    match &facts.ending {
        HttpEnding::Answered(answer) => write_answer(request, answer, bounds, page)?,
        HttpEnding::NoAnswer(_) | HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted => {}
    }
    match &facts.diagnostics.port_check {
        Some(check) => connection::write(check, page),
        None => Ok(()),
    }
}

fn redirects(facts: &HttpFacts, page: &mut Page<'_>) -> io::Result<()> {
    for redirect in &facts.redirects {
        let status = format!("redirected ({}) to", redirect.status);
        let lead = Line::indented(INDENT).then(Tone::Faint, &status).then(Tone::Plain, " ");
        page.paragraph(lead, FURTHER, Tone::Place, &redirect.to, SENTENCE_LINES)?;
    }
    Ok(())
}

fn write_answer(request: &HttpRequest, answer: &HttpAnswer, bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
    let is_expected = match request.expected_statuses.as_slice() {
        [] => (200..400).contains(&answer.status),
        ranges => ranges.iter().any(|range| (range.from..=range.to).contains(&answer.status)),
    };
    if !is_expected {
        let expected = expectation::statuses(&request.expected_statuses).join(", ");
        page.blank()?;
        for (name, tone, value) in
            [("expected", Tone::Good, expected), ("received", Tone::Bad, answer.status.to_string())]
        {
            let lead = Line::indented(INDENT).then(Tone::Faint, name).then(Tone::Plain, "  status ");
            page.paragraph(lead, FURTHER, tone, &value, SENTENCE_LINES)?;
        }
    }
    let failed: Vec<_> = request
        .assertions
        .iter()
        .zip(&answer.assertions)
        .filter(|(_, observed)| observed.holds != Some(true))
        .collect();
    if !failed.is_empty() {
        page.blank()?;
    }
    for (asked, observed) in failed.iter().take(bounds.findings) {
        write_assertion(&expectation::assertion(asked), observed, bounds, page)?;
    }
    page.left_to_report(INDENT, failed.len(), bounds.findings)?;
    for capture in answer.captures.iter().filter(|capture| !capture.found) {
        let text = format!("nothing was found for ${{{}}}", capture.name);
        page.item(INDENT, (Tone::Bad, page.signs().bad), Tone::Plain, &text, SENTENCE_LINES)?;
    }
    Ok(())
}

/// Writes an expectation that is not met, with what was found.
pub(super) fn write_assertion(
    asked: &str,
    observed: &AssertionObservation,
    bounds: &Bounds,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let (tone, sign) = match observed.holds {
        Some(_) => (Tone::Bad, page.signs().bad),
        None => (Tone::Warning, page.signs().unknown),
    };
    page.item(INDENT, (tone, sign), Tone::Strong, asked, SENTENCE_LINES)?;
    let schema_errors = match &observed.schema {
        Some(SchemaObservation::Invalid { errors, .. }) => errors.as_slice(),
        _ => &[],
    };
    if schema_errors.is_empty() && !observed.found.is_empty() {
        let lead = Line::indented(FURTHER).then(Tone::Faint, "found").then(Tone::Plain, "  ");
        page.paragraph(lead, FURTHER + 7, tone, &observed.found, bounds.message_lines)?;
    }
    schema(schema_errors, bounds, page)
}

/// Writes the violations of a schema.
pub(super) fn schema(errors: &[String], bounds: &Bounds, page: &mut Page<'_>) -> io::Result<()> {
    for error in errors.iter().take(bounds.findings) {
        page.item(FURTHER, (Tone::Bad, page.signs().bullet), Tone::Plain, error, bounds.message_lines)?;
    }
    page.left_to_report(FURTHER, errors.len(), bounds.findings)
}
