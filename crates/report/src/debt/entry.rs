//! The text of each item on each page.

use referee_model::debt::{DebtStatus, Destination, Location, RegisteredDebt};
use referee_model::id::DebtId;
use referee_model::severity::Severity;
use referee_syntax::percent;

use super::View;
use super::markdown::text;
use crate::wording;

/// Maximum length of a title, in characters.
const TITLE_CHARACTERS: usize = 200;

/// Maximum length of a sentence, in characters.
const SENTENCE_CHARACTERS: usize = 1_000;

/// Maximum number of locations that are listed one by one.
const PLACES_LISTED: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: DebtId,
    /// Headings above the item, outermost first.
    pub(super) section: Vec<String>,
    /// Prefix of the item's first line.
    pub(super) lead: Lead,
    /// Text of the first line, after the prefix.
    pub(super) title: String,
    pub(super) lines: Vec<EntryLine>,
}

/// Prefix of the first line of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// A checkbox, ticked where the item is resolved.
    Box {
        ticked: bool,
    },
    Heading(usize),
}

impl Lead {
    pub(super) fn as_text(self) -> String {
        match self {
            Self::Box { ticked: true } => "- [x] ".to_owned(),
            Self::Box { ticked: false } => "- [ ] ".to_owned(),
            Self::Heading(level) => format!("{} ", "#".repeat(level)),
        }
    }
}

/// A line of an item, with the kind of violation that a change of it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryLine {
    pub(super) kind: LineKind,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Description of the problem and what to do about it.
    Content,
    /// Severity, priority, status or location, which only the rules, a run or a decision may change.
    Classification,
    /// Number of the item in the inventory.
    Correlation,
}

/// Returns the items of a page, in the order of the page.
pub(super) fn entries(view: View, items: &[RegisteredDebt], evidence: &str) -> Vec<Entry> {
    let mut shown: Vec<&RegisteredDebt> = items.iter().filter(|item| is_on(view, item)).collect();
    shown.sort_by_key(|item| order(view, item));
    shown.into_iter().map(|item| entry(view, item, evidence)).collect()
}

fn is_on(view: View, item: &RegisteredDebt) -> bool {
    match view {
        View::Tasks => item.item.routing.destination == Destination::SprintTasks,
        View::Report | View::Inventory => true,
    }
}

/// Sort key of an item: tasks by their number, the report by task and severity, the inventory by its numbers.
fn order(view: View, item: &RegisteredDebt) -> (String, u8, u32, DebtId) {
    let number = |text: &str| text.bytes().filter(u8::is_ascii_digit).fold(0_u32, digit_by_digit);
    let id = item.item.id.clone();
    let routing = &item.item.routing;
    match view {
        View::Tasks => {
            let task = routing.sprint_task.as_ref().map_or(u32::MAX, |task| number(task.as_str()));
            (String::new(), 0, task, id)
        }
        View::Report => (item.task.to_string(), item.item.case.severity.priority(), id.number(), id),
        View::Inventory => {
            let (day, number) = routing.inventory.rsplit_once('-').unwrap_or((&routing.inventory, ""));
            (day.to_owned(), 0, number.parse().unwrap_or(u32::MAX), id)
        }
    }
}

fn digit_by_digit(number: u32, digit: u8) -> u32 {
    number.saturating_mul(10).saturating_add(u32::from(digit - b'0'))
}

fn entry(view: View, item: &RegisteredDebt, evidence: &str) -> Entry {
    let case = &item.item.case;
    let title = text(&case.title, TITLE_CHARACTERS);
    let id = item.item.id.clone();
    let ticked = item.item.status == DebtStatus::Resolved;
    match view {
        View::Tasks => {
            let task = item.item.routing.sprint_task.as_ref().map_or("(no task)", |task| task.as_str());
            let title = format!("**{task}**: {title}").trim_end().to_owned();
            Entry { id, section: Vec::new(), lead: Lead::Box { ticked }, title, lines: task_lines(item, evidence) }
        }
        View::Report => Entry {
            section: vec![format!("## {}", item.task), format!("### {}", severity_heading(case.severity))],
            lead: Lead::Heading(4),
            title: format!("{id}: {title}").trim_end().to_owned(),
            lines: report_lines(item, evidence),
            id,
        },
        View::Inventory => Entry {
            section: Vec::new(),
            lead: Lead::Heading(3),
            title: format!("{id}: {title}").trim_end().to_owned(),
            lines: inventory_lines(item, evidence),
            id,
        },
    }
}

/// Builds the lines of an item as one Markdown list.
struct List {
    indent: &'static str,
    lines: Vec<EntryLine>,
}

impl List {
    fn new(indent: &'static str) -> Self {
        Self { indent, lines: Vec::new() }
    }

    fn add(mut self, kind: LineKind, name: &str, value: &str) -> Self {
        if !value.is_empty() {
            self.lines.push(EntryLine { kind, text: format!("{}- {name}: {}", self.indent, value.trim_end()) });
        }
        self
    }

    /// Adds a nested list, unless it is empty.
    fn add_all(mut self, name: &str, mark: &str, values: impl Iterator<Item = String>) -> Self {
        let line = |text: String| EntryLine { kind: LineKind::Content, text };
        let values: Vec<String> = values.filter(|value| !value.is_empty()).collect();
        if !values.is_empty() {
            self.lines.push(line(format!("{}- {name}:", self.indent)));
            self.lines.extend(values.into_iter().map(|value| line(format!("{}  {mark} {value}", self.indent))));
        }
        self
    }
}

fn task_lines(item: &RegisteredDebt, evidence: &str) -> Vec<EntryLine> {
    let case = &item.item.case;
    let debt = format!("{}, {}", item.item.id, case.category.as_str());
    let effort = text(&case.estimated_effort, TITLE_CHARACTERS);
    List::new("  ")
        .add(LineKind::Classification, "Debt", &debt)
        .add(LineKind::Classification, "Severity", &severity(item))
        .add(LineKind::Classification, "Status", item.item.status.as_str())
        .add(LineKind::Classification, "Effort", &effort)
        .add(LineKind::Content, "Evidence", &links(item, evidence))
        .add_all("Steps", "1.", sentences(&case.guidance.steps))
        .add_all("Acceptance criteria", "-", sentences(&case.guidance.acceptance))
        .lines
}

fn report_lines(item: &RegisteredDebt, evidence: &str) -> Vec<EntryLine> {
    let case = &item.item.case;
    let outcome = format!("{}: {}", wording_of(item), text(&case.details.original_error.message, SENTENCE_CHARACTERS));
    let mut list = List::new("")
        .add(LineKind::Classification, "Category", case.category.as_str())
        .add(LineKind::Classification, "Severity", &severity(item))
        .add(LineKind::Classification, "Status", item.item.status.as_str())
        .add(LineKind::Classification, "Place", &place(item))
        .add(LineKind::Classification, "Effort", &text(&case.estimated_effort, TITLE_CHARACTERS))
        .add(LineKind::Content, "What is wrong", &text(&case.description, SENTENCE_CHARACTERS))
        .add(LineKind::Content, "What happened", &outcome);
    if let Some(test) = &case.test_failure {
        list = list.add(LineKind::Content, "Test", &text(&test.name, SENTENCE_CHARACTERS));
    }
    list.add_all("Places", "-", places(item))
        .add_all("Steps", "1.", sentences(&case.guidance.steps))
        .add_all("Rests on", "-", sentences(&case.guidance.dependencies))
        .add_all("Acceptance criteria", "-", sentences(&case.guidance.acceptance))
        .add(LineKind::Content, "Evidence", &links(item, evidence))
        .lines
}

fn inventory_lines(item: &RegisteredDebt, evidence: &str) -> Vec<EntryLine> {
    let routing = &item.item.routing;
    List::new("")
        .add(LineKind::Correlation, "Correlation", &text(&routing.inventory, TITLE_CHARACTERS))
        .add(LineKind::Classification, "Place", &place(item))
        .add(LineKind::Classification, "Why there", &text(&routing.reason, SENTENCE_CHARACTERS))
        .add(LineKind::Classification, "Status", &status(item))
        .add(LineKind::Classification, "Severity", &severity(item))
        .add(LineKind::Classification, "Category", item.item.case.category.as_str())
        .add(LineKind::Content, "Task", item.task.as_str())
        .add(LineKind::Content, "Evidence", &links(item, evidence))
        .add(LineKind::Content, "Created", &item.first_seen.at.day())
        .lines
}

fn severity(item: &RegisteredDebt) -> String {
    let severity = item.item.case.severity;
    format!("{}, priority {}", severity.as_str(), severity.priority())
}

fn severity_heading(severity: Severity) -> String {
    let when = match severity {
        Severity::Critical => "must be fixed in this sprint",
        Severity::High => "in this sprint, if it has room",
        Severity::Medium => "in a later sprint",
        Severity::Low | Severity::None => "when there is time",
    };
    format!("{}: {when}", severity.as_str())
}

/// Returns the destination of an item, in the words of the contract.
fn place(item: &RegisteredDebt) -> String {
    let routing = &item.item.routing;
    match (routing.destination, &routing.sprint_task) {
        (Destination::SprintTasks, Some(task)) => format!("IN_SPRINT as {task}"),
        (Destination::SprintTasks, None) => "IN_SPRINT".to_owned(),
        (Destination::Inventory, _) => "IN_INVENTORY".to_owned(),
        (Destination::Undecided, _) => "UNDECIDED: a person decides".to_owned(),
    }
}

fn status(item: &RegisteredDebt) -> String {
    match (item.item.status, item.deferred_until) {
        (DebtStatus::Deferred, Some(until)) => format!("DEFERRED until {}", until.day()),
        (status, _) => status.as_str().to_owned(),
    }
}

fn wording_of(item: &RegisteredDebt) -> String {
    let details = &item.item.case.details;
    let outcome = details.outcome.as_str();
    if details.original_error.error_type.is_empty() {
        outcome.to_owned()
    } else {
        format!("{outcome}, {}", text(&details.original_error.error_type, TITLE_CHARACTERS))
    }
}

fn sentences(texts: &[String]) -> impl Iterator<Item = String> {
    texts.iter().map(|sentence| text(sentence, SENTENCE_CHARACTERS))
}

fn places(item: &RegisteredDebt) -> impl Iterator<Item = String> {
    let places = &item.item.case.places;
    let listed = places.iter().take(PLACES_LISTED).map(|place| text(&in_words(place), SENTENCE_CHARACTERS));
    let all = item.item.case.occurrences.max(places.len() as u64);
    let beyond = all.saturating_sub(PLACES_LISTED.min(places.len()) as u64);
    // An item without a location still occurs once.
    let more = (beyond > 0 && !places.is_empty()).then(|| format!("and {beyond} more"));
    listed.chain(more)
}

fn in_words(place: &Location) -> String {
    wording::place(&place.file, place.line, place.column)
}

fn links(item: &RegisteredDebt, evidence: &str) -> String {
    let files = item.item.case.evidence.files.iter();
    let links: Vec<String> = files
        .map(|file| {
            let path = if evidence.is_empty() {
                format!("{}/{file}", item.task)
            } else {
                format!("{evidence}/{}/{file}", item.task)
            };
            format!("[{}]({})", text(file, TITLE_CHARACTERS), percent::path(&path))
        })
        .collect();
    links.join(", ")
}
