//! Known items that a run disproves.

use std::collections::BTreeSet;

use referee_model::debt::{DebtStatus, KnownDebt};
use referee_model::fingerprint::Fingerprint;
use referee_model::outcome::{Outcome, Rule};
use referee_model::plan::{Role, Work};
use referee_model::reading::{CountAuthority, Reading, TestStatus};
use referee_model::report::{ActionReport, Ran};

use crate::classify::named;

/// Returns whether a run proves that an item is resolved: its action checked, and no longer shows it.
///
/// | the action that showed it, by its name                          | disproves what it does not show |
/// |-----------------------------------------------------------------|---------------------------------|
/// | is no longer in the plan, was left out or skipped               | no: nothing was checked         |
/// | EXECUTION_ERROR, TIMEOUT, PREREQUISITE_FAILURE, SPECIFICATION_ERROR | no: it could not be judged  |
/// | passed only after an attempt that did not (flaky)               | no: it failed in this very run  |
/// | SUCCESS                                                         | yes                             |
/// | TEST_FAILURE, VALIDATION_FAILURE of a file or a request         | yes                             |
/// | the same for a command, if its findings are incomplete          | no                              |
/// | the same for a command, if its findings are complete            | yes                             |
///
/// An item of a test is resolved only if the runner does not contradict: if it lists every test, this one must
/// be among the passed ones, so a skipped or removed test is not resolved. What policy ignores still exists. A
/// deferred item is resolved like any other; a resolved one is not resolved again.
pub(super) fn is_disproved(known: &KnownDebt, actions: &[ActionReport], shown: &BTreeSet<Fingerprint>) -> bool {
    if known.status == DebtStatus::Resolved || shown.contains(&known.fingerprint) {
        return false;
    }
    let mut of_name = actions.iter().filter(|report| report.action.name == known.action_name).peekable();
    of_name.peek().is_some()
        && of_name.all(|report| report.ran().is_some_and(|ran| has_looked(report, ran) && !is_missing(known, ran)))
}

fn has_looked(report: &ActionReport, ran: &Ran) -> bool {
    let judgement = &ran.judgement;
    let is_command = matches!(report.action.work, Work::Command(_));
    match judgement.outcome {
        _ if judgement.flaky => false,
        Outcome::Success => lists_findings(&ran.reading),
        Outcome::TestFailure | Outcome::ValidationFailure if !is_command => true,
        Outcome::TestFailure => judgement.rule != Rule::NoTests && is_whole(&ran.reading, judgement.role),
        Outcome::ValidationFailure => is_whole(&ran.reading, judgement.role),
        Outcome::ExecutionError | Outcome::Timeout | Outcome::PrerequisiteFailure | Outcome::SpecificationError => {
            false
        }
    }
}

/// Returns whether all findings of a command are known individually.
fn is_whole(reading: &Reading, role: Option<Role>) -> bool {
    // A note reports that something could not be read: a line that is too long, readers that disagree.
    let is_clear = reading.notes.is_empty() && reading.reader.is_some();
    is_clear && lists_findings(reading) && (role != Some(Role::Test) || names_failures(reading))
}

fn lists_findings(reading: &Reading) -> bool {
    reading.counts.total() <= reading.diagnostics.len() as u64
}

/// Returns whether the runner prints a summary, names every failed test, and ran every suite.
fn names_failures(reading: &Reading) -> bool {
    let Some(tests) = &reading.tests else { return false };
    let has_lost_suite = tests.failures.iter().any(|failure| failure.suite);
    let is_summed_up = matches!(tests.authority, CountAuthority::Summary | CountAuthority::MachineReport);
    is_summed_up && !has_lost_suite && tests.counts.failed <= tests.failures.len() as u64
}

/// Returns whether the item's test is missing among the passed tests, if the runner names every test.
fn is_missing(known: &KnownDebt, ran: &Ran) -> bool {
    let (Some(name), Some(tests)) = (&known.test, &ran.reading.tests) else { return false };
    let names_all = !tests.cases.is_empty() && named::is_whole(tests);
    let has_passed = tests.cases.iter().any(|case| case.status == TestStatus::Passed && named::is_named(case, name));
    names_all && !has_passed
}
