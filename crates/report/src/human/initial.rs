//! What `referee init` wrote, or why it wrote nothing.

use std::io::{self, Write};

use referee_wire::initial::{InitialDocument, Proposed};

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column at which reasons stand.
const REASONS: usize = 4;

/// Lines that one text may take.
const LINES_MAX: usize = 4;

/// Writes what was found, what was made of it, and what to do next.
pub fn write(found: &InitialDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for project in &found.projects {
        let place = if project.folder == "." { String::new() } else { format!(" in {}", project.folder) };
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
    section("Left to you, as comments", &found.left_to_people, &mut page)?;
    if !found.notes.is_empty() {
        page.blank()?;
        for note in &found.notes {
            page.paragraph(Line::new().then(Tone::Faint, "note: "), REASONS, Tone::Faint, note, LINES_MAX)?;
        }
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
    }
    Ok(())
}

fn entry(name: &str, run: &str, because: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.line(Line::new().then(Tone::Plain, "  ").then(Tone::Strong, name).word(Tone::Plain, run))?;
    page.paragraph(Line::indented(REASONS), REASONS, Tone::Faint, because, LINES_MAX)
}
