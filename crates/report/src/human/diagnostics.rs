//! Diagnostics over all runs: open ones, since when, and cleared ones.

use std::io::{self, Write};

use referee_model::diagnostic_log::{RegisteredDiagnostic, RegisteredRun};
use referee_model::reading::Level;
use referee_model::time::Timestamp;
use referee_syntax::count::count;

use crate::page::{Line, Page};
use crate::style::{Style, Tone};
use crate::wording;

/// Column of the details and continuation lines of a diagnostic.
const FURTHER: usize = 4;

/// Maximum number of lines of one message.
const MESSAGE_LINES: usize = 4;

#[derive(Debug, Clone, Copy)]
pub struct DiagnosticsView<'a> {
    /// Whether there is a register.
    pub is_registered: bool,
    /// Path of the evidence directory, as shown to people.
    pub evidence: &'a str,
    /// Restriction of the list, such as `first seen in the latest run`; empty for all.
    pub scope: &'a str,
    /// Last run of each task.
    pub latest: &'a [&'a RegisteredRun],
    /// Open diagnostics, in order.
    pub standing: &'a [&'a RegisteredDiagnostic],
    /// Cleared diagnostics, in order. None: they were not requested.
    pub cleared: Option<&'a [&'a RegisteredDiagnostic]>,
    /// Maximum number that is listed of each kind.
    pub top: usize,
}

/// Writes the open and the cleared diagnostics, and the runs from which they follow.
pub fn write(told: &DiagnosticsView<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if !told.is_registered {
        let text = format!("No diagnostics are registered below {}: no run was sealed there yet.", told.evidence);
        return page.paragraph(Line::new(), 0, Tone::Plain, &text, usize::MAX);
    }
    list(told.standing, told.top, &mut page)?;
    if let Some(cleared) = told.cleared {
        list(cleared, told.top, &mut page)?;
    }
    sums(told, &mut page)
}

fn list(all: &[&RegisteredDiagnostic], top: usize, page: &mut Page<'_>) -> io::Result<()> {
    for known in all.iter().take(top) {
        diagnostic(known, page)?;
    }
    if all.len() > top {
        let text = format!("and {} more", all.len() - top);
        page.line(Line::indented(2).then(Tone::Faint, page.signs().ellipsis).word(Tone::Faint, &text))?;
        page.blank()?;
    }
    Ok(())
}

fn diagnostic(known: &RegisteredDiagnostic, page: &mut Page<'_>) -> io::Result<()> {
    let entry = &known.entry;
    let (sign, tone) = match (&known.cleared, entry.blocking) {
        (Some(_), _) => (page.signs().good, Tone::Good),
        (None, true) => (page.signs().bad, Tone::Bad),
        (None, false) if entry.severity == Level::Info => (page.signs().bullet, Tone::Faint),
        (None, false) => (page.signs().warning, Tone::Warning),
    };
    let (name, level_tone) = match entry.severity {
        Level::Error => ("error", Tone::Bad),
        Level::Warning => ("warning", Tone::Warning),
        Level::Info => ("note", Tone::Place),
    };
    let mut lead = Line::new().then(tone, sign).then(Tone::Plain, " ");
    if let Some(file) = &entry.file {
        lead = lead.then(Tone::Place, &wording::place(file, entry.line(), entry.column())).then(Tone::Plain, "  ");
    }
    lead = lead.then(level_tone, name);
    // The message of a failed test starts with the test's name.
    if let Some(code) = entry.code.as_ref().filter(|code| !entry.message.starts_with(code.as_str())) {
        lead = lead.word(level_tone, code);
    }
    page.paragraph(lead.then(Tone::Plain, "  "), FURTHER, Tone::Plain, &entry.message, MESSAGE_LINES)?;
    page.paragraph(Line::indented(FURTHER), FURTHER, Tone::Faint, &history(known), MESSAGE_LINES)?;
    page.blank()
}

/// Returns the action that reported a diagnostic, how often it was seen, and when.
fn history(known: &RegisteredDiagnostic) -> String {
    let entry = &known.entry;
    let source = entry.source.as_str();
    let (times, runs) = (count(known.count, "time"), count(known.runs, "run"));
    let seen = if known.first_seen == known.last_seen {
        format!("seen {times} in {runs}, {}", moment(known.last_seen.at))
    } else {
        format!("seen {times} in {runs}, first {}, last {}", moment(known.first_seen.at), moment(known.last_seen.at))
    };
    let cleared = match &known.cleared {
        Some(run) => format!("; cleared {} by {}", moment(run.at), run.execution),
        None => String::new(),
    };
    format!("{} {} {} ({source}): {seen}{cleared}", known.task, entry.action, entry.action_name)
}

/// Returns a point in time, to the second.
fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text,
    }
}

fn sums(told: &DiagnosticsView<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let blocking = told.standing.iter().filter(|known| known.entry.blocking).count() as u64;
    let scope = if told.scope.is_empty() { String::new() } else { format!(" {}", told.scope) };
    let text = match (told.standing.len() as u64, told.scope.is_empty()) {
        (0, true) => "No active diagnostics.".to_owned(),
        (0, false) => format!("No active diagnostics {}.", told.scope),
        (standing, _) => format!(
            "{}{scope} {}, {blocking} of them blocking.",
            count(standing, "diagnostic"),
            if standing == 1 { "stands" } else { "stand" },
        ),
    };
    page.paragraph(Line::new(), 0, Tone::Strong, &text, MESSAGE_LINES)?;
    if let Some(cleared) = told.cleared {
        let text = format!("{} cleared.", count(cleared.len(), "diagnostic"));
        page.paragraph(Line::new(), 0, Tone::Plain, &text, MESSAGE_LINES)?;
    }
    for run in told.latest {
        let reduced = if run.reduced { ", reduced: it clears nothing" } else { "" };
        let text = format!("latest run of {}: {} ({}{reduced})", run.task, run.execution, moment(run.ended));
        page.paragraph(Line::new(), 2, Tone::Faint, &text, MESSAGE_LINES)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
