//! What stood when a baseline was taken: findings and failed tests that are known, so that only what is new blocks.
//!
//! A baseline is evidence: the part of it that belongs to a task is stored in that task's directory before anything is
//! judged (design, "The law"). It is taken from a sealed run, and its content comes from what was read there, never
//! from a person.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::id::{ActionId, Digest, ExecutionId, TaskId};
use crate::reading::{Counts, Reading, RuleCounts, TestCounts, TestResults};
use crate::serial;
use crate::time::Timestamp;

pub mod baseline_document;

/// What stood in the runs of several tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Baseline {
    /// By task.
    #[serde(deserialize_with = "serial::distinct")]
    pub tasks: BTreeMap<TaskId, TaskBaseline>,
}

/// What stood in one run of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskBaseline {
    /// The file of the specification, as its plan names it.
    pub specification: String,
    /// The run that it was taken from.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// When that run was over.
    #[serde(rename = "madeAt")]
    pub made: Timestamp,
    /// What stood, by action in plan order. An action that did not run, or that is no command with a role of its own,
    /// is not among them: nothing of it is known.
    pub actions: Vec<ActionBaseline>,
}

/// What stood in the output of one action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionBaseline {
    /// The action's id at that time.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Its name, by which it is found again.
    pub name: String,
    /// The code with which it exited.
    pub exit_code: i32,
    /// Errors and warnings that were kept one by one.
    #[serde(deserialize_with = "serial::distinct")]
    pub findings: BTreeMap<Fingerprint, KnownFinding>,
    /// Exact counts per rule of the errors and warnings that were not kept one by one.
    #[serde(deserialize_with = "serial::distinct")]
    pub unlisted: BTreeMap<String, RuleCounts>,
    /// The tests, where its own runner summed them up.
    pub tests: Option<KnownTests>,
    /// What its reader noted, normalized: what could not be read then may be as unreadable now.
    pub notes: Vec<String>,
}

/// Findings that are known, all with one fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownFinding {
    /// How many of them were errors.
    pub errors: u64,
    /// How many of them were warnings.
    pub warnings: u64,
    /// The file of the first one.
    pub file: Option<String>,
    /// Code or rule.
    pub code: Option<String>,
    /// The beginning of what the first one says.
    pub message: String,
}

/// A test run that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownTests {
    /// Tests that ran: skipped ones did not.
    pub ran: u64,
    /// Suites that failed, where the runner counts them.
    pub suites_failed: u64,
    /// Tests that failed, in the order of the output.
    pub failed: Vec<KnownTest>,
}

/// A test that is known to fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownTest {
    /// What makes its failure the same one elsewhere.
    pub fingerprint: Fingerprint,
    /// Its full name.
    pub name: String,
    /// Its file, where the runner says so.
    pub file: Option<String>,
    /// The beginning of what it says.
    pub message: String,
}

/// How many there are of what a baseline may excuse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Errors that a tool found.
    pub errors: u64,
    /// Warnings that a tool found.
    pub warnings: u64,
    /// Tests that failed.
    pub failed_tests: u64,
}

impl Tally {
    /// Returns the number of all.
    pub fn total(self) -> u64 {
        self.errors.saturating_add(self.warnings).saturating_add(self.failed_tests)
    }

    /// Says how many there are of what, such as `1 error and 2 warnings`. None: there is nothing.
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

    /// Adds what another action has.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            errors: self.errors.saturating_add(other.errors),
            warnings: self.warnings.saturating_add(other.warnings),
            failed_tests: self.failed_tests.saturating_add(other.failed_tests),
        }
    }
}

/// How an action stands to the baseline that excused something of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaselineStanding {
    /// What stood in it.
    pub known: Tally,
    /// What did not.
    pub new: Tally,
    /// Which of the findings that are kept are new, by their place in the reading, in order.
    pub new_findings: Vec<usize>,
    /// Which of the failed tests are new, by their place in the reading, in order.
    pub new_tests: Vec<usize>,
}

impl BaselineStanding {
    /// Returns a reading with what is new and nothing else. Remarks are no findings, and are left out.
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

/// The baseline that a task was held against, and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineApplied {
    /// SHA-256 of `baseline.json` in the directory of evidence.
    pub digest: Digest,
    /// The run that it was taken from.
    pub execution: ExecutionId,
    /// When that run was over.
    pub made: Timestamp,
    /// What of the task stood in it, and so does not block.
    pub known: Tally,
    /// What it does not excuse.
    pub new: Tally,
}

impl fmt::Display for BaselineApplied {
    /// Says in one sentence that a decision rests on a baseline, with the numbers.
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
