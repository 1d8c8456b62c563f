//! What planting defects on a trusted tree showed of a task's checks, and the defects that each check is known to report. It is
//! kept in the state directory: whoever changes the workspace must not learn which they are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::{ActionId, Digest, TaskId};
use crate::mutant::{DefectKind, Mutant};
use crate::plan::Role;
use crate::run_context::probe::ProbeResult;
use crate::time::Timestamp;

/// The document that holds it.
pub const KIND: Kind = Kind { name: "the probe set", key: "probeSetVersion", version: "1.0.0" };

/// Defects that were planted on a trusted tree, and which checks reported them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeSet {
    /// The task whose checks were asked.
    pub task: TaskId,
    /// When learning ended.
    pub learned: Timestamp,
    /// The commit that the tree stood at. None: the workspace lies in no repository.
    pub commit: Option<String>,
    /// SHA-256 of every file of the tree, by path relative to the workspace.
    pub files: BTreeMap<String, Digest>,
    /// The checks that passed on the tree.
    pub checks: Vec<CheckProbes>,
    /// Sources that got no mutant, with the reason, by path.
    pub refused: BTreeMap<String, String>,
}

/// What a check reported of the defects that were planted for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckProbes {
    /// The check.
    pub action: ActionId,
    /// Its name.
    pub name: String,
    /// What it checks, which decides the kind of defect.
    pub role: Role,
    /// How long it took over the tree without a defect, in milliseconds.
    pub duration_ms: u64,
    /// The defects, in the order in which they were planted.
    pub trials: Vec<ProbeTrial>,
    /// Defects that were not planted within the budget.
    pub untried: usize,
}

/// One defect and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeTrial {
    /// The file in which it was planted, relative to the workspace.
    pub path: String,
    /// What was planted.
    pub defect: PlantedDefect,
    /// What the check came to, a result for each time it was planted; never empty.
    pub results: Vec<ProbeResult>,
    /// SHA-256 of the sealed reports of these runs.
    pub reports: Vec<Digest>,
    /// How long the first run took, in milliseconds.
    pub duration_ms: u64,
}

/// A defect as it is planted.
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
        /// Who has to report it.
        defect: DefectKind,
        /// Which of the defects that can be made of the file, from 0.
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
    /// Returns the words for it, in a sentence.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Mutant { mutant } => mutant.operator.words(),
            Self::File { defect, .. } => defect.words(),
        }
    }

    /// Returns the enclosing function. None: it is in none.
    pub fn function(&self) -> Option<&str> {
        match self {
            Self::Mutant { mutant } => mutant.anchor.function.as_deref(),
            Self::File { .. } => None,
        }
    }
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialVerdict {
    /// The check reported the defect each time.
    Noticed,
    /// It passed over the defect.
    Unnoticed,
    /// Nothing can be said: a limit of time, a flaky check, a program that does not compile.
    Unusable,
}

impl ProbeTrial {
    /// Returns how it ended.
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

    /// Whether the check reported it twice, so that it is asked again at the gate.
    pub fn is_probe(&self) -> bool {
        self.results.len() > 1 && self.verdict() == TrialVerdict::Noticed
    }
}

/// Planted defects, none of them reported, after which a check is hollow although there are more. Of defects of different
/// functions the weakest suite that was measured reports three in ten: it misses sixteen in a row once in three hundred times.
const HOLLOW_MIN: usize = 16;

impl CheckProbes {
    /// Returns how many defects were planted that tell something of the check.
    pub fn tried(&self) -> usize {
        self.trials.iter().filter(|trial| trial.verdict() != TrialVerdict::Unusable).count()
    }

    /// Returns how many of them it reported.
    pub fn noticed(&self) -> usize {
        self.trials.iter().filter(|trial| trial.verdict() == TrialVerdict::Noticed).count()
    }

    /// Returns how many it reported twice: they are asked at the gate.
    pub fn kept(&self) -> usize {
        self.trials.iter().filter(|trial| trial.is_probe()).count()
    }

    /// Whether it reported none of the defects that were planted, be they enough to tell or not.
    pub fn reported_none(&self) -> bool {
        self.tried() > 0 && self.noticed() == 0
    }

    /// Whether it reported none of the defects that were planted: all that there are, or enough of them to tell.
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
