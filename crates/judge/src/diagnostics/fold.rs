//! The register over runs: when a diagnostic was first and last seen, how often, and since when it is cleared
//! (seed 4, ruling 22).

use std::collections::{BTreeMap, BTreeSet};

use referee_model::diagnostic_log::{DiagnosticRegister, Finding, RegisteredDiagnostic, RegisteredRun, Sighting};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::TaskId;
use referee_model::limit::{DIAGNOSTICS_REGISTERED, REGISTERED_RUNS};
use referee_model::outcome::{Outcome, Rule};
use referee_model::plan::{Action, Work};
use referee_model::reading::{Level, TestCase, TestStatus};
use referee_model::report::{ActionReport, Ran, Report};

use super::merged;
use crate::finding::{self, Occurrence};

/// Adds a run to the register. Returns false, without a change, if the register knows the run already.
///
/// Diagnostics are identified by fingerprint: one that moved gets its new line. Those that the run shows are
/// seen; those that it does not show, but would if they existed, are cleared. One that is seen after it was
/// cleared is active again, and keeps the time when it was first seen.
///
/// | its action in this run                                        | not shown  |
/// |---------------------------------------------------------------|------------|
/// | SUCCESS, TEST_FAILURE, VALIDATION_FAILURE, output read whole  | cleared    |
/// | the same, but not all of it was read or kept                  | unchanged  |
/// | any other outcome                                             | unchanged  |
/// | skipped, or no longer in the plan                             | unchanged  |
/// | any, in a reduced run                                         | unchanged  |
/// | any, its test is listed as skipped                            | unchanged  |
pub fn fold(register: &mut DiagnosticRegister, report: &Report) -> bool {
    let sighting = Sighting { execution: report.run.execution.clone(), at: report.run.ended };
    if register.runs.iter().any(|run| run.execution == sighting.execution) {
        return false;
    }
    let shown: Vec<Occurrence<'_>> = finding::of_run(&report.plan, &report.actions).collect();
    // Diagnostics hidden by policy still exist.
    let present: BTreeSet<Fingerprint> = shown.iter().map(|occurrence| occurrence.finding.fingerprint).collect();
    see(register, &report.plan.task, shown, &sighting);
    if !report.run.scope.reduced {
        clear(register, report, &present, &sighting);
    }
    register
        .entries
        .sort_by(|one, other| (&one.task, one.entry.fingerprint).cmp(&(&other.task, other.entry.fingerprint)));
    let task = report.plan.task.clone();
    register.runs.push(RegisteredRun {
        task,
        execution: sighting.execution,
        ended: sighting.at,
        reduced: report.run.scope.reduced,
    });
    bound_runs(register);
    bound_entries(register);
    true
}

fn see(register: &mut DiagnosticRegister, task: &TaskId, shown: Vec<Occurrence<'_>>, sighting: &Sighting) {
    let places: BTreeMap<Fingerprint, usize> = (register.entries.iter().enumerate())
        .filter(|(_, known)| known.task == *task)
        .map(|(place, known)| (known.entry.fingerprint, place))
        .collect();
    for entry in merged(finding::told(shown), |entry| entry.fingerprint) {
        let place = places.get(&entry.fingerprint);
        if let Some(known) = place.and_then(|place| register.entries.get_mut(*place)) {
            known.last_seen = sighting.clone();
            known.count = known.count.saturating_add(entry.occurrences);
            known.runs = known.runs.saturating_add(1);
            known.cleared = None;
            known.entry = entry;
        } else {
            register.entries.push(RegisteredDiagnostic {
                task: task.clone(),
                first_seen: sighting.clone(),
                last_seen: sighting.clone(),
                count: entry.occurrences,
                runs: 1,
                cleared: None,
                entry,
            });
        }
    }
}

/// Clears the diagnostics that the run proves gone.
fn clear(register: &mut DiagnosticRegister, report: &Report, present: &BTreeSet<Fingerprint>, sighting: &Sighting) {
    let mut by_name: BTreeMap<&str, Vec<&ActionReport>> = BTreeMap::new();
    for action in &report.actions {
        by_name.entry(&action.action.name).or_default().push(action);
    }
    let standing =
        register.entries.iter_mut().filter(|known| known.task == report.plan.task && known.cleared.is_none());
    for known in standing {
        let actions = by_name.get(known.entry.action_name.as_str()).map_or(&[][..], Vec::as_slice);
        let is_looked_at = !actions.is_empty() && actions.iter().all(|action| would_show(action, &known.entry));
        if is_looked_at && !present.contains(&known.entry.fingerprint) {
            known.cleared = Some(sighting.clone());
        }
    }
}

/// Returns whether an action would have shown a diagnostic if it still existed.
fn would_show(report: &ActionReport, entry: &Finding) -> bool {
    let Some(ran) = report.ran() else { return false };
    let judgement = &ran.judgement;
    let outcome = judgement.cause.unwrap_or(judgement.outcome);
    let is_judged = matches!(outcome, Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure);
    // If no test ran, or only the exit code reports failed tests, the state of individual tests is unknown.
    let is_known = !matches!(judgement.rule, Rule::NoTests | Rule::TestsFailedByExitCode);
    is_judged && is_known && is_whole(&report.action, ran) && !is_skipped_test(ran, entry)
}

/// Returns whether the complete output of an action was stored, read and kept.
fn is_whole(action: &Action, ran: &Ran) -> bool {
    let is_stored = match &action.work {
        Work::Command(_) | Work::Service(_) => action.evidence.stdout && action.evidence.stderr,
        Work::File(_) | Work::Http(_) | Work::Interaction(_) => true,
    };
    let is_kept = |kept: usize, all: u64| kept as u64 >= all;
    let reading = &ran.reading;
    let tests_kept = reading.tests.as_ref().is_none_or(|tests| is_kept(tests.failures.len(), tests.counts.failed));
    is_stored && is_kept(reading.diagnostics.len(), reading.counts.total()) && tests_kept
}

/// Returns whether a diagnostic is that of a test which this run lists as skipped: it may still fail.
fn is_skipped_test(ran: &Ran, entry: &Finding) -> bool {
    let Some((tests, name)) = ran.reading.tests.as_ref().zip(entry.code.as_deref()) else { return false };
    let wanted = words(name);
    let skipped = tests.cases.iter().filter(|case| case.status == TestStatus::Skipped);
    skipped.into_iter().any(|case| words(&full_name(case)) == wanted)
}

fn full_name(case: &TestCase) -> String {
    let names = case.ancestors.iter().chain(std::iter::once(&case.title));
    names.map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a test's name, whatever separators its runner uses.
fn words(name: &str) -> Vec<&str> {
    name.split(|sign: char| sign.is_whitespace() || "›>:".contains(sign)).filter(|word| !word.is_empty()).collect()
}

/// Drops the oldest runs, but never the last one of a task.
fn bound_runs(register: &mut DiagnosticRegister) {
    let mut excess = register.runs.len().saturating_sub(REGISTERED_RUNS);
    if excess == 0 {
        return;
    }
    let last: BTreeMap<_, _> = register.runs.iter().map(|run| (run.task.clone(), run.execution.clone())).collect();
    register.runs.retain(|run| {
        let is_dropped = excess > 0 && last.get(&run.task) != Some(&run.execution);
        excess -= usize::from(is_dropped);
        !is_dropped
    });
}

/// Drops the entries that were cleared first; if all are active, the least severe ones that were not seen for
/// the longest time.
fn bound_entries(register: &mut DiagnosticRegister) {
    let excess = register.entries.len().saturating_sub(DIAGNOSTICS_REGISTERED);
    if excess == 0 {
        return;
    }
    let mut order: Vec<usize> = (0..register.entries.len()).collect();
    order.sort_by_key(|place| {
        register.entries.get(*place).map(|known| match &known.cleared {
            Some(cleared) => (0, 0, std::cmp::Reverse(Level::Info), cleared.at),
            None => (1, usize::from(known.entry.blocking), std::cmp::Reverse(known.entry.severity), known.last_seen.at),
        })
    });
    let dropped: BTreeSet<usize> = order.into_iter().take(excess).collect();
    let mut place = 0;
    register.entries.retain(|_| {
        let is_kept = !dropped.contains(&place);
        place += 1;
        is_kept
    });
    register.dropped = register.dropped.saturating_add(excess as u64);
}
