//! Files that `referee init` wrote, or why it wrote none.

use std::io::{self, Write};

use crate::initial::{InitialDocument, Proposed, ProposedIgnore, Trial, TrialResult};

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column at which reasons start.
const REASONS: usize = 4;

/// Maximum number of lines of one text.
const LINES_MAX: usize = 4;

/// Writes what was detected, what was proposed from it, and what to do next.
pub fn write(found: &InitialDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for project in &found.projects {
        let place = if project.directory == "." { String::new() } else { format!(" in {}", project.directory) };
        let line = Line::new().then(Tone::Strong, project.ecosystem).then(Tone::Plain, &place);
        page.line(line.word(Tone::Faint, &project.signs.join("; ")))?;
    }
    for (title, proposals) in [("Before the checks", &found.prerequisites), ("Checks", &found.checks)] {
        section(title, proposals, &mut page)?;
    }
    if !found.services.is_empty() {
        page.blank()?;
        page.line(Line::new().then(Tone::Strong, "Services"))?;
        for service in &found.services {
            entry(&service.name, &service.run, &service.because, &mut page)?;
        }
    }
    if !found.policies.is_empty() {
        page.blank()?;
        page.line(Line::new().then(Tone::Strong, "Policies"))?;
        for policy in &found.policies {
            entry(&policy.tool, &policy.policy, &policy.because, &mut page)?;
        }
    }
    if !found.outputs.is_empty() {
        page.blank()?;
        page.line(Line::new().then(Tone::Strong, "Outputs, which are no inputs"))?;
        for output in &found.outputs {
            entry(&output.path, "", &output.because, &mut page)?;
        }
    }
    section("Not working here, as comments", &found.not_working, &mut page)?;
    section("Left to you, as comments", &found.left_to_people, &mut page)?;
    if !found.notes.is_empty() {
        page.blank()?;
        for note in &found.notes {
            page.paragraph(Line::new().then(Tone::Faint, "note: "), REASONS, Tone::Faint, note, LINES_MAX)?;
        }
    }
    for ignore in &found.ignores {
        page.blank()?;
        entry_for(ignore, &mut page)?;
    }
    not_passed(found, &mut page)
}

/// Writes the ignore entry that keeps a tool away from Referee's own files.
fn entry_for(ignore: &ProposedIgnore, page: &mut Page<'_>) -> io::Result<()> {
    let ProposedIgnore { check, file, place, .. } = ignore;
    let place = place.as_ref().map_or(String::new(), |place| format!(", {place}"));
    let what = match (ignore.written, ignore.suffices) {
        (true, Some(false)) => {
            format!("These lines were added to {file}, and `{check}` still reads Referee's own files")
        }
        (true, _) => format!("These lines were added to {file}, so that `{check}` passes over Referee's own files"),
        (false, _) => format!("`{check}` reads Referee's own files, and fails; add to {file}{place}"),
    };
    page.line(Line::new().then(Tone::Warning, &format!("{what}:")))?;
    for line in &ignore.lines {
        page.line(Line::indented(REASONS).then(Tone::Strong, line))?;
    }
    if !ignore.written && ignore.place.is_none() {
        let words = "`referee init --force --write-ignores` adds them";
        page.line(Line::indented(REASONS).then(Tone::Faint, words))?;
    }
    Ok(())
}

/// Writes the proposed checks that the project does not pass yet.
fn not_passed(found: &InitialDocument, page: &mut Page<'_>) -> io::Result<()> {
    let fails = |check: &&Proposed| check.trial.as_ref().is_some_and(|trial| trial.result == TrialResult::Fails);
    let failing: Vec<&Proposed> = found.checks.iter().filter(fails).collect();
    if failing.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.line(Line::new().then(Tone::Warning, "The tree does not pass yet:"))?;
    for check in failing {
        let Some(trial) = &check.trial else { continue };
        let first = trial.finding.as_ref().map_or(String::new(), |finding| format!("; first: {finding}"));
        let words = format!("{}{first}", trial.reason);
        let start = Line::new().then(Tone::Plain, "  ").then(Tone::Strong, &check.name).then(Tone::Plain, ": ");
        page.paragraph(start, REASONS, Tone::Plain, &words, LINES_MAX)?;
    }
    Ok(())
}

fn section(title: &str, proposals: &[Proposed], page: &mut Page<'_>) -> io::Result<()> {
    if proposals.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.line(Line::new().then(Tone::Strong, title))?;
    for each in proposals {
        entry(&each.name, &each.run, &each.because, page)?;
        if let Some(trial) = &each.trial {
            result(trial, page)?;
        }
    }
    Ok(())
}

/// Writes the result of trying a check. Where the check cannot be proposed, the reason is written elsewhere.
fn result(trial: &Trial, page: &mut Page<'_>) -> io::Result<()> {
    let (tone, words) = match trial.result {
        // Findings that do not block are written all the same.
        TrialResult::Passes if trial.finding.is_some() => (Tone::Good, format!("passes: {}", trial.reason)),
        TrialResult::Passes => (Tone::Good, "passes".to_owned()),
        TrialResult::Fails => (Tone::Warning, "does not pass yet".to_owned()),
        TrialResult::FailsBesideEvidence => {
            (Tone::Warning, "passes, but not beside referee.yaml, referee.lock and evidence/".to_owned())
        }
        TrialResult::DoesNotWork | TrialResult::EditsFiles => return Ok(()),
    };
    page.line(Line::indented(REASONS).then(tone, &words))
}

fn entry(name: &str, run: &str, because: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.line(Line::new().then(Tone::Plain, "  ").then(Tone::Strong, name).word(Tone::Plain, run))?;
    page.paragraph(Line::indented(REASONS), REASONS, Tone::Faint, because, LINES_MAX)
}
