//! The defects planted on a trusted tree, and those that each check of a task is known to report. Stored in the
//! state directory, since an agent that changes the workspace must not learn which defects they are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::{ActionId, Digest, TaskId};
use crate::mutant::{DefectKind, Mutant};
use crate::plan::Role;
use crate::run_context::probe::ProbeResult;
use crate::time::Timestamp;

/// Name and version of the document.
pub const KIND: Kind = Kind { name: "the probe set", key: "probeSetVersion", version: "1.0.0" };

/// Defects planted on a trusted tree, and the checks that reported them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeSet {
    /// Id of the task.
    pub task: TaskId,
    /// Time at which learning ended.
    pub learned: Timestamp,
    /// Commit of the tree. None: the workspace is not in a repository.
    pub commit: Option<String>,
    /// SHA-256 of every file of the tree, by path relative to the workspace.
    pub files: BTreeMap<String, Digest>,
    /// The checks that passed on the tree without defects.
    pub checks: Vec<CheckProbes>,
    /// Source files without mutants, by path, with the reason.
    pub refused: BTreeMap<String, String>,
}

/// Results of one check for the defects planted for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckProbes {
    /// Id of the check's action.
    pub action: ActionId,
    /// Name of the check.
    pub name: String,
    /// Role of the check, which determines the kind of defect.
    pub role: Role,
    /// Duration of the check on the tree without defects, in milliseconds.
    pub duration_ms: u64,
    /// The defects, in planting order.
    pub trials: Vec<ProbeTrial>,
    /// Number of defects that were not planted within the budget.
    pub untried: usize,
}

/// A planted defect and its results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeTrial {
    /// Path of the changed file, relative to the workspace.
    pub path: String,
    /// The planted defect.
    pub defect: PlantedDefect,
    /// Result of the check for each time the defect was planted; never empty.
    pub results: Vec<ProbeResult>,
    /// SHA-256 of the sealed reports of these runs.
    pub reports: Vec<Digest>,
    /// Duration of the first run, in milliseconds.
    pub duration_ms: u64,
}

/// A defect to plant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum PlantedDefect {
    /// A change of the program's behavior.
    Mutant {
        /// The change.
        mutant: Mutant,
    },
    /// A defect of the file itself.
    File {
        /// Kind of the defect, which determines the checks that must report it.
        defect: DefectKind,
        /// 0-based index among the defects that can be made of the file.
        choice: usize,
    },
}

impl ProbeTrial {
    /// Returns the tests that reported the defect. Empty: the runner names none.
    pub fn reporters(&self) -> BTreeSet<String> {
        let tests = |result: &ProbeResult| match result {
            ProbeResult::Failed { tests, .. } => tests.clone(),
            ProbeResult::Passed | ProbeResult::Unusable { .. } => Vec::new(),
        };
        self.results.iter().flat_map(tests).collect()
    }
}

impl PlantedDefect {
    /// Returns a description of the defect, for use in a sentence.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Mutant { mutant } => mutant.operator.words(),
            Self::File { defect, .. } => defect.words(),
        }
    }

    /// Returns the enclosing function. None: outside of functions.
    pub fn function(&self) -> Option<&str> {
        match self {
            Self::Mutant { mutant } => mutant.anchor.function.as_deref(),
            Self::File { .. } => None,
        }
    }
}

/// Result of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialVerdict {
    /// The check reported the defect each time.
    Noticed,
    /// The check did not report the defect.
    Unnoticed,
    /// Inconclusive: a time limit, a flaky check, or a program that does not compile.
    Unusable,
}

impl ProbeTrial {
    /// Returns the result of the trial.
    pub fn verdict(&self) -> TrialVerdict {
        let is = |wanted: fn(&ProbeResult) -> bool| self.results.iter().all(wanted);
        if is(|result| matches!(result, ProbeResult::Failed { .. })) {
            TrialVerdict::Noticed
        } else if is(|result| matches!(result, ProbeResult::Passed)) {
            TrialVerdict::Unnoticed
        } else {
            TrialVerdict::Unusable
        }
    }

    /// Returns whether the check reported the defect twice, so that the gate plants it again.
    pub fn is_probe(&self) -> bool {
        self.results.len() > 1 && self.verdict() == TrialVerdict::Noticed
    }
}

/// Number of planted defects, none of them reported, after which a check counts as hollow even if there are more
/// defects. With defects in different functions, the weakest measured suite reports three in ten: it misses
/// sixteen in a row once in three hundred times.
const HOLLOW_MIN: usize = 16;

impl CheckProbes {
    /// Returns the number of planted defects with a conclusive result.
    pub fn tried(&self) -> usize {
        self.trials.iter().filter(|trial| trial.verdict() != TrialVerdict::Unusable).count()
    }

    /// Returns the number of defects that the check reported.
    pub fn noticed(&self) -> usize {
        self.trials.iter().filter(|trial| trial.verdict() == TrialVerdict::Noticed).count()
    }

    /// Returns the number of defects that the check reported twice: the gate plants them again.
    pub fn kept(&self) -> usize {
        self.trials.iter().filter(|trial| trial.is_probe()).count()
    }

    /// Returns whether the check reported none of the planted defects, even if they are too few for a conclusion.
    pub fn reported_none(&self) -> bool {
        self.tried() > 0 && self.noticed() == 0
    }

    /// Returns whether the check reported none of the planted defects, and these are all defects or enough for a
    /// conclusion.
    pub fn is_hollow(&self) -> bool {
        self.reported_none() && (self.untried == 0 || self.tried() >= HOLLOW_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(trials: &[&[ProbeResult]], untried: usize) -> CheckProbes {
        let trial = |results: &&[ProbeResult]| ProbeTrial {
            path: "cart.c".to_owned(),
            defect: PlantedDefect::File { defect: DefectKind::Syntax, choice: 0 },
            results: results.to_vec(),
            reports: Vec::new(),
            duration_ms: 1,
        };
        let action = ActionId::parse("STEP.1").unwrap();
        let trials = trials.iter().map(trial).collect();
        CheckProbes { action, name: "unit".to_owned(), role: Role::Test, duration_ms: 1, trials, untried }
    }

    #[test]
    fn a_check_is_hollow_once_enough_defects_tell_and_none_was_reported() {
        let passed: &[ProbeResult] = &[ProbeResult::Passed];
        let failed: &[ProbeResult] = &[ProbeResult::Failed { tests: Vec::new(), others: true }];
        let unusable: &[ProbeResult] = &[ProbeResult::Unusable { reason: "time".to_owned() }];
        assert!(check(&[passed], 0).is_hollow(), "there is no other defect");
        assert!(!check(&[passed; 15], 1).is_hollow() && check(&[passed; 16], 1).is_hollow());
        assert!(!check(&[], 0).is_hollow() && !check(&[unusable; 16], 0).is_hollow());
        assert!(!check(&[passed, failed], 0).is_hollow());
    }
}
