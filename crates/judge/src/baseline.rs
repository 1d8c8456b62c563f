//! Known and new findings: a run can be set to block only on findings that are not in a baseline.
//!
//! Findings are compared by content fingerprint (ruling 23), so a finding that moved is still the same finding.
//! A fingerprint excuses as many findings as the baseline has; one more is new. [`take`] records a baseline
//! from a judged run, [`shown`] what an action showed whatever came of it, [`of_action`] finds the part for an action, [`sort`] and [`sort_tests`] separate known
//! from new, and [`apply`] states the use of a baseline in the verdict.

use referee_model::baseline::{ActionBaseline, BaselineApplied, Tally, TaskBaseline};
use referee_model::id::Digest;
use referee_model::plan::{Action, Plan, Role};
use referee_model::reading::{ChosenBecause, Reading};
use referee_model::report::{ActionReport, Ran};
use referee_model::verdict::Verdict;
use referee_syntax::cut::first_line;

pub use self::failed_tests::{SortedTests, sort_tests};
pub use self::findings::{Sorted, sort};
pub use self::recorder::{RecordedBaseline, shown, take};
use crate::fingerprint::normalized;

mod failed_tests;
mod findings;
mod recorder;

/// Number of compared characters of each note.
const NOTE_CHARACTERS: usize = 300;

/// Returns the baseline of an action. None: the baseline has none, so all findings are new.
///
/// | actions of this name in the plan | entries of this name | found by    |
/// |----------------------------------|----------------------|-------------|
/// | one                              | one                  | name        |
/// | any other numbers                | any other numbers    | name and id |
pub fn of_action<'a>(baseline: &'a TaskBaseline, plan: &Plan, action: &Action) -> Option<&'a ActionBaseline> {
    let mut entries = baseline.actions.iter().filter(|entry| entry.name == action.name);
    let namesakes = plan.actions.iter().filter(|other| other.name == action.name).count();
    match (entries.clone().count(), namesakes) {
        (1, 1) => entries.next(),
        _ => entries.find(|entry| entry.action == action.id),
    }
}

/// Returns whether a reading was made by the reader of the tool that ran. Other readings are not compared with
/// a baseline, because output can be made to look like that of a known tool.
pub(crate) fn is_own(reading: &Reading) -> bool {
    reading.reader.as_ref().is_some_and(|reader| reader.because == ChosenBecause::Command)
}

/// Returns whether an output was read as completely as the baseline's: its reader has no new notes.
pub(crate) fn is_as_whole(known: &ActionBaseline, reading: &Reading) -> bool {
    notes(reading).iter().all(|note| known.notes.contains(note))
}

fn notes(reading: &Reading) -> Vec<String> {
    let mut notes: Vec<String> =
        reading.notes.iter().map(|note| normalized(&first_line(note, NOTE_CHARACTERS))).collect();
    notes.sort();
    notes.dedup();
    notes
}

/// States in a verdict that the run was compared with a baseline, with the numbers.
pub fn apply(verdict: &mut Verdict, baseline: &TaskBaseline, digest: Digest, actions: &[ActionReport]) {
    let (mut known, mut new) = (Tally::default(), Tally::default());
    for ran in actions.iter().filter_map(ActionReport::ran) {
        match &ran.judgement.baseline {
            Some(standing) => {
                known = known.plus(standing.known);
                new = new.plus(standing.new);
            }
            None => new = new.plus(found(ran)),
        }
    }
    let applied = BaselineApplied { digest, execution: baseline.execution.clone(), made: baseline.made, known, new };
    verdict.reasons.push(applied.to_string());
    verdict.baseline = Some(applied);
}

/// Counts what a baseline could have excused in an action, and did not.
fn found(ran: &Ran) -> Tally {
    let counts = &ran.reading.counts;
    match ran.judgement.role {
        Some(Role::Typecheck | Role::Lint | Role::Format | Role::Compile) => {
            Tally { errors: counts.errors, warnings: counts.warnings, failed_tests: 0 }
        }
        Some(Role::Test) => {
            Tally { failed_tests: ran.judgement.counted_tests.map_or(0, |tests| tests.failed), ..Tally::default() }
        }
        Some(Role::Other) | None => Tally::default(),
    }
}

#[cfg(test)]
mod tests;
