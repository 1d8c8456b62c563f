//! The debt register, as shown at a terminal.

use std::io::{self, Write};

use referee_model::debt::{ChangedBy, DebtAssessment, DebtChange, DebtStatus, Destination, RegisteredDebt, Routing};
use referee_model::id::DebtId;
use referee_model::severity::Severity;
use referee_syntax::count::count;

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone, Verbosity};
use crate::wording;

/// Column at which values of the closing lines of a run start.
const VALUES_OF_RUN: usize = 10;

/// Column at which values of an item start.
const VALUES: usize = 12;

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 8;

/// Maximum number of locations that are listed without `--verbose`.
const PLACES: usize = 10;

/// Maximum number of changes, the latest ones, that are listed without `--verbose`.
const CHANGES: usize = 10;

/// Writes the effect of a run on the register, and the register's file, in one line; nothing where there is no
/// effect.
pub fn of_run(debt: &DebtAssessment, file: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let is_nothing = debt.items.is_empty() && debt.resolved.is_empty();
    if is_nothing || style.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    let reopened = debt.items.iter().filter(|item| item.status == DebtStatus::Reopened).count();
    let new = debt.created.len();
    let known = debt.items.len().saturating_sub(new + reopened);
    let counts = [(new, "new"), (known, "known"), (reopened, "reopened"), (debt.resolved.len(), "resolved")];
    let told: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let mut page = Page::new(*style, out);
    let lead = Line::new().then(Tone::Faint, "debt").padded_to(VALUES_OF_RUN);
    let lead = lead.then(Tone::Plain, &told.join(", ")).then(Tone::Faint, ": ");
    // Never cut, because a person copies it.
    page.paragraph(lead, VALUES_OF_RUN, Tone::Place, file, usize::MAX)
}

/// Writes a line for each item, and the totals.
pub fn list(items: &[&RegisteredDebt], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let ids = items.iter().map(|item| width(item.item.id.as_str())).max().unwrap_or(0);
    let places = items.iter().map(|item| width(&place(&item.item.routing))).max().unwrap_or(0);
    for item in items {
        let severity = item.item.case.severity;
        let (severity_at, status_at) = (ids + 2, ids + 2 + 10);
        let place_at = status_at + 13;
        let line = Line::new()
            .then(Tone::Strong, item.item.id.as_str())
            .padded_to(severity_at)
            .then(tone(severity), severity.as_str())
            .padded_to(status_at)
            .then(tone_of(item.item.status), item.item.status.as_str())
            .padded_to(place_at)
            .then(Tone::Plain, &place(&item.item.routing))
            .padded_to(place_at + places + 2)
            .then(Tone::Plain, &item.item.case.title);
        page.line(line)?;
    }
    page.line(Line::new().then(Tone::Faint, &sums(items)))
}

fn sums(items: &[&RegisteredDebt]) -> String {
    let of = |destination| items.iter().filter(|item| item.item.routing.destination == destination).count();
    let active = items.iter().filter(|item| item.item.status.is_active()).count();
    let parts = [
        (of(Destination::SprintTasks), "in the sprint"),
        (of(Destination::Inventory), "in the inventory"),
        (of(Destination::Undecided), "undecided"),
        (active, "to be done"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
    let all = count(items.len(), "item");
    if told.is_empty() { all } else { format!("{all}: {}", told.join(", ")) }
}

/// Writes all details of an item.
pub fn show(item: &RegisteredDebt, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let case = &item.item.case;
    let lead = Line::new().then(Tone::Strong, item.item.id.as_str()).then(Tone::Plain, "  ");
    page.paragraph(lead, 2, Tone::Strong, &case.title, TEXT_LINES)?;
    classification(item, &mut page)?;
    value("wrong", Tone::Plain, &case.description, &mut page)?;
    if let Some(test) = &case.test_failure {
        value("test", Tone::Plain, &test.name, &mut page)?;
    }
    let everything = page.style().verbosity == Verbosity::Verbose;
    let places: Vec<String> =
        case.places.iter().map(|place| wording::place(&place.file, place.line, place.column)).collect();
    let shown = if everything { places.len() } else { PLACES.min(places.len()) };
    values("places", &places[..shown], &mut page)?;
    if case.occurrences > shown as u64 && shown > 0 {
        value("", Tone::Faint, &format!("and {} more", case.occurrences - shown as u64), &mut page)?;
    }
    let steps: Vec<String> =
        case.guidance.steps.iter().enumerate().map(|(index, step)| format!("{}. {step}", index + 1)).collect();
    values("steps", &steps, &mut page)?;
    values("rests on", &case.guidance.dependencies, &mut page)?;
    values("done when", &case.guidance.acceptance, &mut page)?;
    let evidence: Vec<String> = case.evidence.files.iter().map(|file| format!("{}/{file}", item.task)).collect();
    values("evidence", &evidence, &mut page)?;
    let first = if everything { 0 } else { item.history.len().saturating_sub(CHANGES) };
    let history: Vec<String> = item.history[first..].iter().map(change).collect();
    values("history", &history, &mut page)
}

fn classification(item: &RegisteredDebt, page: &mut Page<'_>) -> io::Result<()> {
    let case = &item.item.case;
    let routing = &item.item.routing;
    let status = match (item.item.status, item.deferred_until) {
        (DebtStatus::Deferred, Some(until)) => format!("DEFERRED until {}", until.day()),
        (status, _) => status.as_str().to_owned(),
    };
    let severity = format!(
        "{}, priority {}, {}, {}",
        case.severity.as_str(),
        case.severity.priority(),
        case.category.as_str(),
        case.estimated_effort
    );
    let seen = format!(
        "in {}: first {} ({}), last {} ({})",
        count(item.runs, "run"),
        item.first_seen.at,
        item.first_seen.execution,
        item.last_seen.at,
        item.last_seen.execution
    );
    value("status", tone_of(item.item.status), &status, page)?;
    value("severity", tone(case.severity), &severity, page)?;
    value("place", Tone::Plain, &format!("{} ({}): {}", place(routing), routing.inventory, routing.reason), page)?;
    value("check", Tone::Plain, &format!("{} {} {}", item.task, case.action, case.action_name), page)?;
    value("seen", Tone::Plain, &seen, page)
}

/// Writes one line about a change of an item.
pub fn changed(item: &RegisteredDebt, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let line = Line::new()
        .then(Tone::Strong, item.item.id.as_str())
        .then(Tone::Plain, " is now ")
        .then(tone_of(item.item.status), item.item.status.as_str())
        .then(Tone::Plain, ", ")
        .then(Tone::Plain, &place(&item.item.routing));
    page.line(line)
}

/// Returns the ids that resemble a mistyped one, most similar first.
pub fn near<'item>(typed: &str, items: &'item [RegisteredDebt], most: usize) -> Vec<&'item DebtId> {
    let mut ids: Vec<&DebtId> = items.iter().map(|item| &item.item.id).collect();
    ids.sort_by_key(|id| (std::cmp::Reverse(alike(typed, id.as_str())), *id));
    ids.truncate(most);
    ids
}

/// Returns the number of bytes that two texts share at their ends.
fn alike(one: &str, other: &str) -> usize {
    let start = one.bytes().zip(other.bytes()).take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count();
    let end = one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one.eq_ignore_ascii_case(other));
    start + end.count()
}

fn place(routing: &Routing) -> String {
    match (routing.destination, &routing.sprint_task) {
        (Destination::SprintTasks, Some(task)) => format!("sprint {task}"),
        (Destination::SprintTasks, None) => "sprint".to_owned(),
        (Destination::Inventory, _) => "inventory".to_owned(),
        (Destination::Undecided, _) => "undecided".to_owned(),
    }
}

fn change(change: &DebtChange) -> String {
    let by = match &change.by {
        ChangedBy::Run(execution) => execution.to_string(),
        ChangedBy::Person(name) => name.clone(),
    };
    format!("{} {} by {by}: {}", change.at, change.status.as_str(), change.reason)
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Critical | Severity::High => Tone::Bad,
        Severity::Medium => Tone::Warning,
        Severity::Low | Severity::None => Tone::Faint,
    }
}

fn tone_of(status: DebtStatus) -> Tone {
    match status {
        DebtStatus::Open | DebtStatus::Reopened => Tone::Warning,
        DebtStatus::InProgress => Tone::Plain,
        DebtStatus::Resolved => Tone::Good,
        DebtStatus::Deferred => Tone::Faint,
    }
}

fn value(name: &str, tone: Tone, text: &str, page: &mut Page<'_>) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let lead = Line::new().then(Tone::Faint, name).padded_to(VALUES);
    page.paragraph(lead, VALUES, tone, text, TEXT_LINES)
}

fn values(name: &str, texts: &[String], page: &mut Page<'_>) -> io::Result<()> {
    for (index, text) in texts.iter().enumerate() {
        value(if index == 0 { name } else { "" }, Tone::Plain, text, page)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
