//! Changes of a stage: prepared, accepted, answered, finalized.

use std::io::{self, Write};

use referee_model::incident::seconds;
use referee_model::stage::check::{Check, CheckFailure};
use referee_model::stage::standing::Objection;
use referee_syntax::count::count;

use crate::page::{Line, Page};
use crate::stage::changes::{
    StageAcceptedDocument, StageAnsweredDocument, StageFinalizedDocument, StageOutcome, StagePreparedDocument,
};
use crate::style::{Style, Tone};

/// Column at which values start.
const VALUES: usize = 14;

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 6;

/// Maximum number of lines of a question or an answer.
const SAID_LINES: usize = 40;

/// Maximum number of rows of one kind that are shown.
const ROWS: usize = 30;

/// Writes which inputs were prepared for a stage.
pub fn prepared(document: &StagePreparedDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let what = match (document.dry_run, document.sources.is_empty()) {
        (false, false) => "is prepared",
        (false, true) => "is prepared: nothing comes from other stages",
        (true, false) => "would be prepared",
        (true, true) => "would be prepared: nothing comes from other stages",
    };
    head(Tone::Good, document.stage_id.as_str(), what, &mut page)?;
    for (stage, attempt) in &document.sources {
        row("from", &format!("{stage}, attempt {attempt}"), &mut page)?;
    }
    let verb = if document.dry_run { "would copy" } else { "copied" };
    for file in document.copied.iter().take(ROWS) {
        row(verb, &format!("{} of {} to {}", file.source, file.from_stage, file.path), &mut page)?;
    }
    more(document.copied.len(), &mut page)?;
    for (name, value) in document.parameters.iter().take(ROWS) {
        row("parameter", &format!("{name} = {value}"), &mut page)?;
    }
    more(document.parameters.len(), &mut page)?;
    for name in &document.left_out {
        row("left out", &format!("{name}: not published, and not needed"), &mut page)?;
    }
    end(&document.warnings, &document.next, &mut page)
}

/// Writes that an executor has taken control of a stage.
pub fn accepted(document: &StageAcceptedDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let what = format!("is accepted: attempt {} began", document.attempt);
    head(Tone::Good, document.stage_id.as_str(), &what, &mut page)?;
    row("accepted", &seconds::text(document.accepted_at), &mut page)?;
    for prompt in &document.prompts {
        row("read", prompt, &mut page)?;
    }
    for message in &document.messages {
        row("answered", message, &mut page)?;
    }
    row("inputs", &count(document.inputs.len(), "file"), &mut page)?;
    if let Some(kept) = &document.kept {
        row("kept", &format!("what the attempt before left is in {kept}"), &mut page)?;
    }
    end(&document.warnings, &document.next, &mut page)
}

/// Writes a question, and its answer.
pub fn answered(document: &StageAnsweredDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let (tone, what) = match document.answer {
        Some(_) => (Tone::Good, format!("is answered, and can be accepted again: {}", document.message)),
        None => (Tone::Warning, format!("asks in attempt {}:", document.attempt)),
    };
    head(tone, document.stage_id.as_str(), &what, &mut page)?;
    said("question", &document.question, &mut page)?;
    if let Some(answer) = &document.answer {
        said("answer", answer, &mut page)?;
    }
    end(&document.warnings, &document.next, &mut page)
}

/// Writes the result of finalizing a stage.
pub fn finalized(document: &StageFinalizedDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let tone = match document.outcome {
        StageOutcome::Published | StageOutcome::AlreadyPublished => Tone::Good,
        StageOutcome::Question => Tone::Warning,
        StageOutcome::Error | StageOutcome::Refused => Tone::Bad,
    };
    page.paragraph(Line::new(), 2, tone, &document.summary, TEXT_LINES)?;
    if let Some(reason) = &document.reason {
        let description = document.description.as_deref().unwrap_or_default();
        row("handback", &format!("{reason}: {description}"), &mut page)?;
    }
    if let Some(verdict) = &document.verdict {
        row("specification", &format!("{}: {}", verdict.decision, verdict.reason), &mut page)?;
        row("evidence", verdict.evidence.as_deref().unwrap_or_default(), &mut page)?;
    }
    row("incident", document.incident.as_deref().unwrap_or_default(), &mut page)?;
    failed_checks(document, &mut page)?;
    for objection in &document.objections {
        objected(objection, &mut page)?;
    }
    for path in document.published.keys().take(ROWS) {
        row("published", path, &mut page)?;
    }
    more(document.published.len(), &mut page)?;
    for (name, value) in document.output_params.iter().take(ROWS) {
        row("parameter", &format!("{name} = {value}"), &mut page)?;
    }
    end(&document.warnings, &document.next, &mut page)
}

fn head(tone: Tone, stage: &str, what: &str, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::new().then(Tone::Strong, stage).then(Tone::Plain, " ");
    page.paragraph(lead, 2, tone, what, TEXT_LINES)
}

fn row(key: &str, value: &str, page: &mut Page<'_>) -> io::Result<()> {
    if value.is_empty() {
        return Ok(());
    }
    let lead = Line::indented(2).then(Tone::Faint, key).padded_to(VALUES + 2).then(Tone::Plain, " ");
    page.paragraph(lead, VALUES + 3, Tone::Plain, value, TEXT_LINES)
}

fn said(key: &str, text: &str, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::indented(2).then(Tone::Faint, key).padded_to(VALUES + 2).then(Tone::Plain, " ");
    page.paragraph(lead, VALUES + 3, Tone::Plain, text, SAID_LINES)
}

/// Writes the failed checks. Of a stage that was handed back with a question or an error, the missing outputs are
/// only counted, because they are not to be written now.
fn failed_checks(document: &StageFinalizedDocument, page: &mut Page<'_>) -> io::Result<()> {
    let failed = document.checks.failed().count();
    if matches!(document.outcome, StageOutcome::Question | StageOutcome::Error) {
        let count = match failed {
            0 => String::new(),
            1 => "1 check fails, and is not what stops the stage".to_owned(),
            count => format!("{count} checks fail, and are not what stops the stage"),
        };
        return row("outputs", &count, page);
    }
    for (check, failure) in document.checks.failed().take(ROWS) {
        failed_check(check, failure, page)?;
    }
    more(failed, page)
}

fn failed_check(check: &Check, failure: &CheckFailure, page: &mut Page<'_>) -> io::Result<()> {
    let line = Line::new().then(Tone::Bad, &check.kind.as_str().to_uppercase()).then(Tone::Plain, ": ");
    page.line(line.then(Tone::Place, &check.path))?;
    page.paragraph(Line::indented(2), 2, Tone::Plain, &check.message, TEXT_LINES)?;
    for detail in failure.details.iter().take(ROWS) {
        page.paragraph(Line::indented(4), 6, Tone::Plain, detail, TEXT_LINES)?;
    }
    action(&failure.action, page)
}

fn objected(objection: &Objection, page: &mut Page<'_>) -> io::Result<()> {
    page.line(Line::new().then(Tone::Bad, objection.name.as_str()))?;
    page.paragraph(Line::indented(2), 2, Tone::Plain, &objection.message, TEXT_LINES)?;
    action(&objection.action, page)
}

/// Writes what to do, on one unbroken line, because commands and paths in it are to be copied.
fn action(action: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.whole(&Line::indented(2).then(Tone::Strong, "Action: ").then(Tone::Plain, action))
}

fn more(all: usize, page: &mut Page<'_>) -> io::Result<()> {
    match all.checked_sub(ROWS) {
        None | Some(0) => Ok(()),
        Some(left) => page.line(Line::indented(2).then(Tone::Faint, &format!("and {left} more"))),
    }
}

fn end(warnings: &[String], next: &str, page: &mut Page<'_>) -> io::Result<()> {
    for warning in warnings.iter().take(ROWS) {
        page.paragraph(Line::new().then(Tone::Warning, "warning: "), 2, Tone::Plain, warning, TEXT_LINES)?;
    }
    more(warnings.len(), page)?;
    if next.is_empty() {
        return Ok(());
    }
    // Never wrapped: it is a command to be copied.
    let lead = Line::indented(2).then(Tone::Faint, "next").padded_to(VALUES + 2).then(Tone::Plain, " ");
    page.whole(&lead.then(Tone::Plain, next))
}

#[cfg(test)]
mod tests;
