//! What stood in a baseline, and what is new: so that a run can be told to block only on what is new.
//!
//! Findings are held against it by their content fingerprints (ruling 23), so a finding that moved is the same finding; as
//! many as stood there are known, and one more is new. [`take`] makes a baseline of a judged run, [`of_action`] finds the
//! part of an action again, [`sort`] and [`sort_tests`] tell known from new, and [`apply`] says at the verdict that it was
//! used: never silently.

use referee_model::baseline::{ActionBaseline, BaselineApplied, Tally, TaskBaseline};
use referee_model::id::Digest;
use referee_model::plan::{Action, Plan, Role};
use referee_model::reading::{ChosenBecause, Reading};
use referee_model::report::{ActionReport, Ran};
use referee_model::verdict::Verdict;
use referee_syntax::cut::first_line;

pub use self::failed_tests::{SortedTests, sort_tests};
pub use self::findings::{Sorted, sort};
pub use self::recorder::{RecordedBaseline, take};
use crate::fingerprint::normalized;

mod failed_tests;
mod findings;
mod recorder;

/// Notes of a reading that are compared, and the characters of each that are.
const NOTE_CHARACTERS: usize = 300;

/// Finds what stood in an action's output. None: nothing of it is known, so that all of it is new.
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

/// Whether a reading was made by the reader of the tool that ran. Nothing else is held against a baseline: content that
/// merely looks like a tool's can be made to look like what is known.
pub(crate) fn is_own(reading: &Reading) -> bool {
    reading.reader.as_ref().is_some_and(|reader| reader.because == ChosenBecause::Command)
}

/// Whether an output was read as well as the baseline's was: its reader noted nothing that it did not note then.
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

/// States in a verdict that the run was held against a baseline, with the numbers: a decision that rests on one says so.
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

/// What an action has that a baseline could have excused, and did not.
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
