//! A recorded baseline: known findings and failed tests, so that only new ones block.
//!
//! A baseline is evidence: the part that belongs to a task is stored in that task's evidence directory before
//! anything is judged (design, "The law"). It is recorded from a sealed run; its content comes from what was read
//! there, never from a person.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::id::{ActionId, Digest, ExecutionId, TaskId};
use crate::reading::{Counts, Reading, RuleCounts, TestCounts, TestResults};
use crate::serial;
use crate::time::Timestamp;

pub mod baseline_document;

/// Known findings and failed tests of the runs of several tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Baseline {
    /// The baselines, by task id.
    #[serde(deserialize_with = "serial::distinct")]
    pub tasks: BTreeMap<TaskId, TaskBaseline>,
}

/// Known findings and failed tests of one run of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskBaseline {
    /// Path of the specification, as its plan names it.
    pub specification: String,
    /// The run that the baseline was recorded from.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// Time at which that run ended.
    #[serde(rename = "madeAt")]
    pub made: Timestamp,
    /// Baselines of the actions, in plan order. Omits actions that did not run, and those that are not commands
    /// with a role of their own: nothing is known of them.
    pub actions: Vec<ActionBaseline>,
}

/// Known findings and failed tests of one action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionBaseline {
    /// The action's id when the baseline was recorded.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Name of the action, by which it is found again.
    pub name: String,
    /// Exit code of the action.
    pub exit_code: i32,
    /// Errors and warnings that were recorded individually.
    #[serde(deserialize_with = "serial::distinct")]
    pub findings: BTreeMap<Fingerprint, KnownFinding>,
    /// Exact counts per rule of the errors and warnings that were not recorded individually.
    #[serde(deserialize_with = "serial::distinct")]
    pub unlisted: BTreeMap<String, RuleCounts>,
    /// Test results, where the action's own runner stated totals.
    pub tests: Option<KnownTests>,
    /// Notes of the action's reader, normalized: output that was unreadable then may be unreadable in later runs too.
    pub notes: Vec<String>,
}

/// Known findings that share one fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownFinding {
    /// Number of errors among them.
    pub errors: u64,
    /// Number of warnings among them.
    pub warnings: u64,
    /// File of the first finding.
    pub file: Option<String>,
    /// Code or rule of the findings.
    pub code: Option<String>,
    /// Beginning of the first finding's message.
    pub message: String,
}

/// Known results of a test run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownTests {
    /// Number of tests that ran, excluding skipped ones.
    pub ran: u64,
    /// Number of failed suites, where the runner counts them.
    pub suites_failed: u64,
    /// The failed tests, in output order.
    pub failed: Vec<KnownTest>,
}

/// A test that is known to fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownTest {
    /// Fingerprint of the failure, the same in every run.
    pub fingerprint: Fingerprint,
    /// Full name of the test.
    pub name: String,
    /// File of the test, where the runner states it.
    pub file: Option<String>,
    /// Beginning of the failure message.
    pub message: String,
}

/// Counts of the findings and failed tests that a baseline can excuse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Errors that tools reported.
    pub errors: u64,
    /// Warnings that tools reported.
    pub warnings: u64,
    /// Failed tests.
    pub failed_tests: u64,
}

impl Tally {
    /// Returns the sum of all counts.
    pub fn total(self) -> u64 {
        self.errors.saturating_add(self.warnings).saturating_add(self.failed_tests)
    }

    /// Formats the counts, such as `1 error and 2 warnings`. None: all counts are zero.
    pub fn said(self) -> Option<String> {
        let numbers = [(self.errors, "error"), (self.warnings, "warning"), (self.failed_tests, "failed test")];
        let mut parts: Vec<String> = numbers
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, noun)| format!("{number} {noun}{}", if number == 1 { "" } else { "s" }))
            .collect();
        let last = parts.pop()?;
        Some(if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) })
    }

    /// Returns the sum of these and another action's counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            errors: self.errors.saturating_add(other.errors),
            warnings: self.warnings.saturating_add(other.warnings),
            failed_tests: self.failed_tests.saturating_add(other.failed_tests),
        }
    }
}

/// How the findings of an action compare with a baseline that excused some of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaselineStanding {
    /// Findings and tests that the baseline holds.
    pub known: Tally,
    /// Findings and tests that the baseline does not hold.
    pub new: Tally,
    /// Indexes of the new findings in the reading's list, ascending.
    pub new_findings: Vec<usize>,
    /// Indexes of the new failed tests in the reading's list, ascending.
    pub new_tests: Vec<usize>,
}

impl BaselineStanding {
    /// Returns the reading reduced to what is new. Remarks are not findings and are dropped.
    pub fn new_of(&self, reading: &Reading) -> Reading {
        let mut counts = Counts::default();
        let mut diagnostics = Vec::with_capacity(self.new_findings.len());
        for found in self.new_findings.iter().filter_map(|at| reading.diagnostics.get(*at)) {
            counts.add(found.code.as_deref(), found.level, found.fixable);
            diagnostics.push(found.clone());
        }
        (counts.errors, counts.warnings) = (self.new.errors, self.new.warnings);
        let tests = reading.tests.as_ref().map(|tests| TestResults {
            counts: TestCounts { failed: self.new.failed_tests, ..tests.counts },
            failures: self.new_tests.iter().filter_map(|at| tests.failures.get(*at)).cloned().collect(),
            ..tests.clone()
        });
        Reading { diagnostics, counts, tests, ..reading.clone() }
    }
}

/// The baseline that a task was compared with, and the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineApplied {
    /// SHA-256 of `baseline.json` in the evidence directory.
    pub digest: Digest,
    /// The run that the baseline was recorded from.
    pub execution: ExecutionId,
    /// Time at which that run ended.
    pub made: Timestamp,
    /// Findings and failed tests of the task that the baseline holds and that therefore do not block.
    pub known: Tally,
    /// Findings and failed tests that it does not excuse.
    pub new: Tally,
}

impl fmt::Display for BaselineApplied {
    /// Formats one sentence saying that the decision rests on a baseline, with the counts.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "compared with the baseline of {} ({}): ", self.made, self.execution)?;
        match self.known.said() {
            None => formatter.write_str("it excused nothing; ")?,
            Some(known) => {
                let verb = if self.known.total() == 1 { "does" } else { "do" };
                write!(formatter, "{known} stood in it and {verb} not block; ")?;
            }
        }
        match self.new.said() {
            None => formatter.write_str("nothing is new"),
            Some(new) => write!(formatter, "{new} did not stand in it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_as_sentences_say_them() {
        let tally = |errors, warnings, failed_tests| Tally { errors, warnings, failed_tests };
        for (tally, said) in [
            (tally(0, 0, 0), None),
            (tally(1, 0, 0), Some("1 error")),
            (tally(2, 1, 0), Some("2 errors and 1 warning")),
            (tally(2, 2, 1), Some("2 errors, 2 warnings and 1 failed test")),
        ] {
            assert_eq!(tally.said().as_deref(), said);
        }
        assert_eq!(tally(u64::MAX, 1, 1).plus(tally(1, 1, 1)).total(), u64::MAX);
    }
}
