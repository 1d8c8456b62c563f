//! Progress counters of a repair loop (ruling 24). `judge::progress` updates them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::limit::{EQUAL_SNAPSHOTS, RUNS_WITHOUT_PROGRESS, SAME_ERRORS};

/// The state of a judged run by which progress is measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Whether the run passed.
    pub passed: bool,
    /// Fingerprint of the first failure: the most severe one of the first blocking action in plan order.
    pub first_failure: Option<Fingerprint>,
    /// Fingerprints of all blocking failures.
    pub failures: BTreeSet<Fingerprint>,
    /// Index in the plan of the first blocking action; the number of actions if none blocks.
    pub reached: usize,
}

/// Progress counters over successive runs of one plan revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Number of consecutive runs, up to the last one, with the same first failure; 0 after a pass. At
    /// [`SAME_ERRORS`] further attempts are pointless.
    pub same_error_repeats: u32,
    /// Number of consecutive failed runs in which no earlier failure disappeared and no later action was reached,
    /// including the first failed run; 0 after a pass. At [`RUNS_WITHOUT_PROGRESS`] another plan is needed.
    pub no_progress_streak: u32,
    /// Number of consecutive equal snapshots, up to the last run; 0 after a pass.
    pub equal_snapshots: u32,
    /// Snapshot of the last run.
    pub last: Option<Snapshot>,
}

impl Progress {
    /// Returns whether the same first failure occurred too often.
    pub fn is_repeating(&self) -> bool {
        self.same_error_repeats >= SAME_ERRORS
    }

    /// Returns whether too many runs made no progress.
    pub fn is_without_progress(&self) -> bool {
        self.no_progress_streak >= RUNS_WITHOUT_PROGRESS
    }

    /// Returns whether the last runs are all equal (PC-01: three equal snapshots).
    pub fn is_stuck(&self) -> bool {
        self.equal_snapshots >= EQUAL_SNAPSHOTS
    }
}
