//! Checks whether a page still agrees with the register.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::debt::RegisteredDebt;

use super::View;
use super::block::{self, NOTICE, Span};
use super::entry::{self, Entry, Lead, LineKind};

referee_model::words! {
    /// Ways in which a page can differ from the register (contract of debt, "agent's part and integrity check").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ViolationKind {
        /// An item of the sprint is missing from the tasks.
        MissingSprintTask = "MISSING_SPRINT_TASK",
        /// The text of an item was changed, or the page states something that the register does not.
        TaskContentMismatch = "TASK_CONTENT_MISMATCH",
        /// An item is missing from the report.
        MissingDebtDocumentation = "MISSING_DEBT_DOCUMENTATION",
        /// An item is missing from the inventory, or stands under another number.
        MissingInventoryCorrelation = "MISSING_INVENTORY_CORRELATION",
        /// Severity, priority, status, location or checkbox of an item was changed.
        ClassificationModified = "CLASSIFICATION_MODIFIED",
    }
}

/// One difference between a page and the register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub kind: ViolationKind,
    /// Id of the item concerned, as the page or the register names it. None: the page as a whole.
    pub debt: Option<String>,
    /// Line of the page, 1-based; 1 where the page or its block is missing.
    pub line: usize,
    /// Description of the violation, in one sentence.
    pub message: String,
}

/// Compares a page with the register and returns the differences, by line. `page` is None where the page does not
/// exist. Text outside of the block is ignored.
pub fn check(view: View, items: &[RegisteredDebt], evidence: &str, page: Option<&str>) -> Vec<Violation> {
    let expected = entry::entries(view, items, evidence);
    let (page, span) = match page.map(|page| (page, block::find(view, page))) {
        Some((page, Ok(Some(span)))) => (page, span),
        Some((_, Ok(None))) => return missing(view, &expected, 1, "the page has no block of Referee's"),
        None => return missing(view, &expected, 1, "there is no such page"),
        Some((_, Err(broken))) => {
            let (kind, debt) = (ViolationKind::TaskContentMismatch, None);
            return vec![Violation { kind, debt, line: broken.line, message: broken.problem.to_owned() }];
        }
    };
    let (found, stray) = read(view, page, span);
    let registered: BTreeSet<&str> = items.iter().map(|item| item.item.id.as_str()).collect();
    let mut violations: Vec<Violation> = stray;
    let mut seen = BTreeSet::new();
    let by_id: BTreeMap<&str, &Entry> = expected.iter().map(|entry| (entry.id.as_str(), entry)).collect();
    for entry in &found {
        match by_id.get(entry.id) {
            _ if !seen.insert(entry.id) => {
                violations.push(entry.violation(ViolationKind::TaskContentMismatch, "appears twice"));
            }
            Some(expected) => compare(expected, entry, &mut violations),
            None if registered.contains(entry.id) => violations.push(entry.violation(
                ViolationKind::ClassificationModified,
                "stands on this page, and the register has it elsewhere",
            )),
            None => {
                violations.push(entry.violation(ViolationKind::TaskContentMismatch, "is not an item of the register"));
            }
        }
    }
    let gone: Vec<Entry> = expected.into_iter().filter(|entry| !seen.contains(entry.id.as_str())).collect();
    violations.extend(missing(view, &gone, span.last_line, "it does not stand in the block"));
    violations.sort_by_key(|violation| (violation.line, violation.kind));
    violations
}

fn missing(view: View, entries: &[Entry], line: usize, why: &str) -> Vec<Violation> {
    let kind = match view {
        View::Tasks => ViolationKind::MissingSprintTask,
        View::Report => ViolationKind::MissingDebtDocumentation,
        View::Inventory => ViolationKind::MissingInventoryCorrelation,
    };
    let violation = |entry: &Entry| Violation {
        kind,
        debt: Some(entry.id.to_string()),
        line,
        message: format!("{} is missing: {why}", entry.id),
    };
    entries.iter().map(violation).collect()
}

struct PageItem<'page> {
    id: &'page str,
    /// Line of the item's first line, 1-based.
    line: usize,
    /// First line of the item, without the mark.
    first: &'page str,
    /// Headings above the item.
    section: Vec<&'page str>,
    /// Lines below the first one with their numbers, empty lines left out.
    lines: Vec<(usize, &'page str)>,
}

impl PageItem<'_> {
    fn violation(&self, kind: ViolationKind, what: &str) -> Violation {
        self.violation_at(self.line, kind, what)
    }

    fn violation_at(&self, line: usize, kind: ViolationKind, what: &str) -> Violation {
        Violation { kind, debt: Some(self.id.to_owned()), line, message: format!("{} {what}", self.id) }
    }
}

/// Reads the items of a block, and returns a violation for each line that belongs to none.
fn read(view: View, page: &str, span: Span) -> (Vec<PageItem<'_>>, Vec<Violation>) {
    let mut found: Vec<PageItem<'_>> = Vec::new();
    let mut stray = Vec::new();
    let mut section: Vec<&str> = Vec::new();
    let mut is_within = false;
    let lines = page.lines().enumerate().map(|(index, line)| (index + 1, line.trim_end()));
    let inner = lines.skip(span.first_line).take(span.last_line - span.first_line - 1);
    for (number, line) in inner.filter(|(_, line)| !line.is_empty()) {
        if let Some((first, id)) = block::split_item(line) {
            found.push(PageItem { id, line: number, first, section: section.clone(), lines: Vec::new() });
            is_within = true;
        } else if let Some(level) = heading_level(line) {
            section.truncate(level.saturating_sub(2));
            section.push(line);
            is_within = false;
        } else if let (true, Some(entry)) = (is_within, found.last_mut()) {
            entry.lines.push((number, line));
        } else if line != NOTICE && line != block::nothing(view) {
            stray.push(Violation {
                kind: ViolationKind::TaskContentMismatch,
                debt: None,
                line: number,
                message: "this line belongs to no item: own text stands outside the block".to_owned(),
            });
        }
    }
    (found, stray)
}

fn heading_level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (level > 0 && line[level..].starts_with(' ')).then_some(level)
}

/// Compares an item on a page with the entry that the register gives: at most one violation of each kind, so that
/// one change yields one violation.
fn compare(expected: &Entry, found: &PageItem<'_>, violations: &mut Vec<Violation>) {
    let mut told = BTreeSet::new();
    let mut tell = |violation: Violation| {
        if told.insert(violation.kind) {
            violations.push(violation);
        }
    };
    if found.section != expected.section {
        let below = expected.section.join(" / ");
        let what = format!("stands below other headings than \"{below}\"");
        tell(found.violation(ViolationKind::ClassificationModified, &what));
    }
    first_line(expected, found, &mut tell);
    let mut left: Vec<(usize, &str)> = found.lines.clone();
    let mut gone = Vec::new();
    for line in &expected.lines {
        match left.iter().position(|(_, text)| *text == line.text) {
            Some(at) => drop(left.remove(at)),
            None => gone.push(line),
        }
    }
    for line in &gone {
        let alike = left.iter().find(|(_, text)| begins_alike(text, &line.text));
        let at = alike.or(left.first()).map_or(found.line, |(number, _)| *number);
        tell(found.violation_at(at, kind_of(line.kind), &format!("should say \"{}\"", line.text.trim())));
    }
    if let (true, Some((number, text))) = (gone.is_empty(), left.first()) {
        let what = format!("says \"{}\", which the register does not", crate::untrusted::line(text.trim()));
        tell(found.violation_at(*number, ViolationKind::TaskContentMismatch, &what));
    }
}

/// Whether two lines state the same field of an item, perhaps with other values: `- Severity: …`.
fn begins_alike(one: &str, other: &str) -> bool {
    let name = |line: &str| line.split_once(':').map(|(name, _)| name.trim().to_owned());
    name(one).is_some() && name(one) == name(other)
}

fn kind_of(kind: LineKind) -> ViolationKind {
    match kind {
        LineKind::Content => ViolationKind::TaskContentMismatch,
        LineKind::Classification => ViolationKind::ClassificationModified,
        LineKind::Correlation => ViolationKind::MissingInventoryCorrelation,
    }
}

fn first_line(expected: &Entry, found: &PageItem<'_>, tell: &mut impl FnMut(Violation)) {
    let lead = expected.lead.as_text();
    let (found_lead, title) = found.first.split_at_checked(lead.len()).unwrap_or((found.first, ""));
    let is_box = |ticked: &str| found_lead.eq_ignore_ascii_case(ticked);
    if let Lead::Box { ticked } = expected.lead
        && is_box(&Lead::Box { ticked: !ticked }.as_text())
    {
        let what = if ticked { "is not ticked, and it is resolved" } else { "is ticked, and it is not resolved" };
        tell(found.violation(ViolationKind::ClassificationModified, what));
    } else if !is_box(&lead) {
        let what = format!("should begin with \"{}\"", lead.trim_end());
        tell(found.violation(ViolationKind::TaskContentMismatch, &what));
        return;
    }
    if title != expected.title {
        let what = format!("should be called \"{}\"", expected.title);
        tell(found.violation(ViolationKind::TaskContentMismatch, &what));
    }
}

#[cfg(test)]
mod tests;
