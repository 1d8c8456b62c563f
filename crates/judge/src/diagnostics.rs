//! Individual findings: the log of a run, its summary for prompts, and the register over runs (seed 4, ruling 22).
//!
//! [`log`] merges and sorts the findings of a run for the report; [`summary`] and [`prompt()`]
//! render the most important ones in a limited number of characters; [`fold`] adds a run to the register, and
//! [`view`] selects from it.

use std::collections::BTreeMap;

use referee_model::diagnostic_log::{DiagnosticLog, Finding};
use referee_model::limit::{DIAGNOSTICS_LISTED, SUMMARY_CAUSES, SUMMARY_CHARACTERS};
use referee_model::plan::Plan;
use referee_model::reading::Level;
use referee_model::report::ActionReport;

pub use self::fold::fold;
pub use self::prompt::{Audience, PROMPT_CHARACTERS_LEAST, prompt};
pub use self::summary::{SUMMARY_CHARACTERS_LEAST, summary};
pub use self::view::{Since, View, log_of, view};
use crate::finding;

mod fold;
mod prompt;
mod summary;
mod view;

/// Creates the log of a run: every finding and failed test of every action that ran, and failed actions without
/// a finding that explains the failure.
///
/// Entries with the same source, file, message and line are merged, with their counts added and the highest
/// severity kept (ruling 22). Blocking entries come first, then errors before warnings before notes, then the
/// order of plan and output. At most [`DIAGNOSTICS_LISTED`] are listed; `distinct` counts all. The summary
/// leaves notes out: they are not causes.
pub fn log(plan: &Plan, actions: &[ActionReport]) -> DiagnosticLog {
    let mut entries = merged(finding::told(finding::of_run(plan, actions)), |entry| {
        (entry.source, entry.file.clone(), entry.message.clone(), entry.line())
    });
    sort(&mut entries);
    let distinct = entries.len() as u64;
    // Notes come last, so the others are the beginning.
    let (told, _) = entries.split_at(entries.partition_point(|entry| entry.blocking || entry.severity != Level::Info));
    let summary = summary(told, told.len() as u64, SUMMARY_CAUSES, SUMMARY_CHARACTERS);
    entries.truncate(DIAGNOSTICS_LISTED);
    DiagnosticLog { entries, distinct, summary }
}

/// Sorts diagnostics by severity, most severe first; the sort is stable.
pub fn sort(entries: &mut [Finding]) {
    entries.sort_by_key(|entry| (!entry.blocking, entry.severity));
}

/// Merges diagnostics of one key into the first of them.
fn merged<Key: Ord>(found: impl IntoIterator<Item = Finding>, key: impl Fn(&Finding) -> Key) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for entry in found {
        let place = *places.entry(key(&entry)).or_insert(merged.len());
        match merged.get_mut(place) {
            Some(first) => {
                first.occurrences = first.occurrences.saturating_add(entry.occurrences);
                first.blocking |= entry.blocking;
                first.severity = first.severity.min(entry.severity);
            }
            None => merged.push(entry),
        }
    }
    merged
}

/// Diagnostics that are reported together.
struct Group<'a> {
    first: &'a Finding,
    all: Vec<&'a Finding>,
}

impl Group<'_> {
    /// Returns the total number of occurrences.
    fn occurrences(&self) -> u64 {
        self.all.iter().fold(0, |sum, entry| sum.saturating_add(entry.occurrences))
    }
}

/// Groups diagnostics by a key, in order of the first occurrence of each key.
fn grouped<'a, Key: Ord>(
    entries: impl IntoIterator<Item = &'a Finding>,
    key: impl Fn(&'a Finding) -> Key,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for entry in entries {
        let place = *places.entry(key(entry)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.all.push(entry),
            None => groups.push(Group { first: entry, all: vec![entry] }),
        }
    }
    groups
}

#[cfg(test)]
mod tests;
