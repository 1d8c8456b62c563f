//! State of the stages of a run, for people.

use std::io::{self, Write};

use referee_model::incident::seconds;
use referee_model::stage::life::StageState;
use referee_model::stage::run::WfRunStatus;
use referee_model::stage::standing::Objection;

use crate::page::{Line, Page, width};
use crate::stage::standing::{StageStatus, StageStatusDocument, StatusQuestion};
use crate::style::{Style, Tone};

/// Column at which details of a stage start.
const DETAILS: usize = 4;

/// Maximum number of lines of one sentence.
const SENTENCE_LINES: usize = 4;

/// Maximum number of lines of a question.
const QUESTION_LINES: usize = 8;

/// Maximum number of contradictions of one kind that are shown.
const ROWS: usize = 20;

/// Writes the state of each stage, with its details and the next step.
///
/// # Errors
/// Fails where writing to `out` fails.
pub fn write(status: &StageStatusDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let run = status.run_id.as_ref().map_or("a run without a name", |run| run.as_str());
    page.line(Line::new().then(Tone::Strong, run).word(Tone::Faint, &status.run_dir))?;
    if let Some(problem) = &status.log_problem {
        page.item(0, (Tone::Warning, page.signs().warning), Tone::Plain, problem, SENTENCE_LINES)?;
    }
    contradictions(&status.contradictions, 0, &mut page)?;
    let widest = status.stages.iter().map(|stage| width(stage.stage_id.as_str())).max().unwrap_or(0);
    for one in &status.stages {
        stage(one, widest, &mut page)?;
    }
    Ok(())
}

fn stage(status: &StageStatus, widest: usize, page: &mut Page<'_>) -> io::Result<()> {
    let (tone, word) = word(status);
    let line = Line::new().then(Tone::Strong, status.stage_id.as_str()).padded_to(widest + 2).then(tone, &word);
    let line = line.padded_to(widest + 2 + "completed".len() + 2).then(Tone::Faint, &facts(status));
    page.line(line)?;
    if let Some(asked) = &status.question {
        question(asked, page)?;
    }
    if let Some(incident) = &status.incident {
        let lead = Line::indented(DETAILS).then(Tone::Faint, "incident ");
        page.paragraph(lead, DETAILS, Tone::Plain, incident, 1)?;
    }
    for sentence in status.outdated.iter().take(ROWS) {
        let lead = Line::indented(DETAILS).then(Tone::Warning, "out of date: ");
        page.paragraph(lead, DETAILS, Tone::Plain, sentence, SENTENCE_LINES)?;
    }
    contradictions(&status.contradictions, DETAILS, page)?;
    if let Some(next) = &status.next {
        let lead = Line::indented(DETAILS).then(Tone::Faint, "next: ");
        page.paragraph(lead, DETAILS, Tone::Plain, next, SENTENCE_LINES)?;
    }
    if let Some(command) = &status.next_command {
        // On one line whatever its length, because it is copied into a shell.
        page.whole(&Line::indented(DETAILS + 2).then(Tone::Place, command))?;
    }
    Ok(())
}

fn word(status: &StageStatus) -> (Tone, String) {
    let Some(state) = status.state else {
        let recorded = status.recorded.map(|recorded| match recorded {
            WfRunStatus::Pending => " (wf-run.json: pending)",
            WfRunStatus::Completed => " (wf-run.json: completed)",
        });
        return (Tone::Warning, format!("not known{}", recorded.unwrap_or_default()));
    };
    let tone = match state {
        StageState::Completed => Tone::Good,
        StageState::Failed => Tone::Bad,
        StageState::Blocked => Tone::Warning,
        StageState::Active => Tone::Place,
        StageState::Pending | StageState::Prepared => Tone::Plain,
    };
    (tone, state.as_str().to_owned())
}

fn facts(status: &StageStatus) -> String {
    let mut facts = Vec::new();
    if status.attempt > 0 {
        facts.push(format!("attempt {}", status.attempt));
    }
    let times = [("an executor has control since", status.control_since), ("completed", status.completed_at)];
    let told = times.into_iter().find_map(|(what, at)| Some((what, at?)));
    // The start is shown where there is no later time: a line has room for only one.
    let told = told.or(status.started_at.map(|at| ("started", at)));
    facts.extend(told.map(|(what, at)| format!("{what} {}", seconds::text(at))));
    facts.join(", ")
}

fn question(asked: &StatusQuestion, page: &mut Page<'_>) -> io::Result<()> {
    let at = asked.asked_at.map(|at| format!(" at {}", seconds::text(at))).unwrap_or_default();
    let lead = Line::indented(DETAILS).then(Tone::Warning, &format!("asks{at}, {}", asked.message));
    page.line(lead)?;
    let text = asked.text.as_deref().unwrap_or("the question cannot be read");
    page.paragraph(Line::indented(DETAILS + 2), DETAILS + 2, Tone::Plain, text, QUESTION_LINES)
}

fn contradictions(found: &[Objection], column: usize, page: &mut Page<'_>) -> io::Result<()> {
    for one in found.iter().take(ROWS) {
        let lead = Line::indented(column).then(Tone::Bad, one.name.as_str()).then(Tone::Plain, " ");
        let text = format!("{}: {}", one.message, one.action);
        page.paragraph(lead, column + 2, Tone::Plain, &text, SENTENCE_LINES)?;
    }
    match found.len().checked_sub(ROWS) {
        None | Some(0) => Ok(()),
        Some(left) => page.line(Line::indented(column).then(Tone::Faint, &format!("and {left} more"))),
    }
}

#[cfg(test)]
mod tests;
