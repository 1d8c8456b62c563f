//! What changes of the inputs void: a check says something of the files that it saw (design, "Tree digest").

use std::collections::BTreeSet;

use referee_model::circumstances::tree::{TreeChange, TreeChangeKind, TreeFacts};
use referee_model::limit;
use referee_model::plan::Phase;
use referee_model::record::{Record, RunRecord};
use referee_model::report::ActionReport;
use referee_model::time::Timestamp;

use crate::wording::count;

/// How far the time of a file may lag behind: the slowest clock by which systems stamp files ticks a hundred times a
/// second.
const TICK_MS: u64 = 10;

/// How much earlier than it was the end of a step may stand in its record: times are whole milliseconds, and so was the one
/// that the run's clock was started by.
const ROUNDING_MS: u64 = 2;

/// Most changes that a verdict names one by one.
const CHANGES_NAMED: usize = 5;

/// Returns what was voided by changes of the inputs, one sentence a file.
///
/// | a file was         | last changed                                        | voids                                    |
/// |--------------------|-----------------------------------------------------|------------------------------------------|
/// | modified, removed  | at a moment                                         | the steps that had ended before          |
/// | modified, removed  | as a step ended                                     | not that step: it did it itself          |
/// | modified, removed  | at no known moment, or before the run began         | every step                               |
/// | added              | at any                                              | nothing                                  |
///
/// A file's time lags behind by up to a tick, so what the next step changes within a tick of its own beginning counts as
/// done by the one before: a formatter writes as it ends, and the check after it is no reason to void it.
///
/// Steps that ran meanwhile or later saw the file as it is now, or changed it themselves: they stand. Where not all
/// changes are listed, those that are not count as changes at no known moment, unless they can only be additions.
pub(super) fn voided(run: &RunRecord, actions: &[ActionReport]) -> Vec<String> {
    let Some(facts) = &run.circumstances.tree else { return Vec::new() };
    let steps = steps(actions);
    let voiding: Vec<&TreeChange> = facts.changes.iter().filter(|change| voids(change.kind)).collect();
    let mut found: Vec<String> = voiding.iter().filter_map(|change| sentence(change, run, &steps)).collect();
    let unlisted = unlisted(facts);
    if found.len() > CHANGES_NAMED {
        let others = found.len() - CHANGES_NAMED;
        found.truncate(CHANGES_NAMED);
        found.push(format!("{} of the same kind void steps, too", count(others as u64, "other change")));
    }
    if unlisted > 0 && voiding.len() == facts.changes.len() && !steps.is_empty() {
        found.push(format!(
            "{} more were modified or removed during the run, at moments that are not known: every step is void",
            count(unlisted, "input")
        ));
    }
    found
}

/// Returns what does not fit together in what was recorded of the inputs.
pub(super) fn faults(run: &RunRecord) -> Vec<String> {
    let Some(facts) = &run.circumstances.tree else { return Vec::new() };
    let wrong = |what: &str| format!("what was recorded of the inputs contradicts itself: {what}");
    let listed = facts.changes.len() as u64;
    let mut faults = Vec::new();
    if facts.change_count < listed {
        faults.push(wrong("it lists more changes than it counts"));
    }
    if facts.change_count > listed && facts.changes.len() < limit::TREE_CHANGES_LISTED {
        faults.push(wrong("it counts changes that it has room for, and does not list"));
    }
    if (facts.before.digest == facts.after.digest) != (facts.change_count == 0) {
        faults.push(wrong("the digests before and after do not fit the number of changes"));
    }
    if !facts.changes.is_sorted_by_key(|change| !voids(change.kind)) {
        faults.push(wrong("added files stand before those that were modified or removed"));
    }
    if facts.change_count == listed && !adds_up(facts) {
        faults.push(wrong("the numbers of files before and after do not fit the changes"));
    }
    faults
}

fn adds_up(facts: &TreeFacts) -> bool {
    let of = |kind| facts.changes.iter().filter(|change| change.kind == kind).count() as u64;
    let (added, removed) = (of(TreeChangeKind::Added), of(TreeChangeKind::Removed));
    facts.before.files.checked_add(added) == facts.after.files.checked_add(removed)
}

fn unlisted(facts: &TreeFacts) -> u64 {
    facts.change_count.saturating_sub(facts.changes.len() as u64)
}

fn voids(kind: TreeChangeKind) -> bool {
    match kind {
        TreeChangeKind::Modified | TreeChangeKind::Removed => true,
        TreeChangeKind::Added => false,
    }
}

/// What one change voids, in a sentence. None: nothing.
fn sentence(change: &TreeChange, run: &RunRecord, steps: &[&Record]) -> Option<String> {
    // A moment before the run began is none at which a file changed while it ran.
    let at = change.at.filter(|at| at.plus_milliseconds(TICK_MS) >= run.started);
    let void: BTreeSet<_> =
        steps.iter().filter(|step| at.is_none_or(|at| is_over(step, at))).map(|step| &step.action).collect();
    let first = steps.iter().find(|step| void.contains(&step.action))?;
    let how = if change.kind == TreeChangeKind::Removed { "removed" } else { "modified" };
    let when = at.map_or_else(|| "at an unknown moment".to_owned(), |at| format!("at {at}"));
    Some(format!(
        "the input {} was {how} during the run {when}, after {} had looked at it ({} void): declare it under `outputs` \
         if checks write it, else run again",
        change.path,
        first.action,
        count(void.len() as u64, "step")
    ))
}

/// Whether a step was over when a file changed.
fn is_over(step: &Record, at: Timestamp) -> bool {
    step.ended.plus_milliseconds(ROUNDING_MS) < at
}

/// The steps that ran, by the attempt that counts, in the order in which they ended.
fn steps(actions: &[ActionReport]) -> Vec<&Record> {
    let of_steps = actions.iter().filter(|report| report.action.phase == Phase::Step);
    let mut steps: Vec<&Record> = of_steps.filter_map(|report| report.ran().map(|ran| &ran.record)).collect();
    steps.sort_by_key(|step| (step.ended, step.started));
    steps
}

#[cfg(test)]
mod tests;
