//! Whether a loop of repairs gets anywhere, as it is counted (ruling 24). `judge::progress` counts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::limit::{EQUAL_SNAPSHOTS, RUNS_WITHOUT_PROGRESS, SAME_ERRORS};

/// What of a judged run tells whether there is progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Whether it passed.
    pub passed: bool,
    /// The fingerprint of its first failure: of the first action in plan order that blocks, the gravest.
    pub first_failure: Option<Fingerprint>,
    /// The fingerprints of everything that blocks.
    pub failures: BTreeSet<Fingerprint>,
    /// How far it came: the place in the plan of the first action that blocks; the number of actions where none does.
    pub reached: usize,
}

/// The counters over successive runs of one plan revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Runs in a row, the last one included, whose first failure is the same; 0 after a pass. At [`SAME_ERRORS`] it is no use
    /// to try again.
    pub same_error_repeats: u32,
    /// Failed runs in a row in which no old failure vanished and no later action was reached; 0 after a pass. The first
    /// failed run counts. At [`RUNS_WITHOUT_PROGRESS`] another plan is needed.
    pub no_progress_streak: u32,
    /// Equal snapshots in a row, the last one included; 0 after a pass.
    pub equal_snapshots: u32,
    /// The last run.
    pub last: Option<Snapshot>,
}

impl Progress {
    /// Whether the same first failure came too often.
    pub fn is_repeating(&self) -> bool {
        self.same_error_repeats >= SAME_ERRORS
    }

    /// Whether too many runs brought nothing.
    pub fn is_without_progress(&self) -> bool {
        self.no_progress_streak >= RUNS_WITHOUT_PROGRESS
    }

    /// Whether the last runs are all the same (PC-01: three equal snapshots).
    pub fn is_stuck(&self) -> bool {
        self.equal_snapshots >= EQUAL_SNAPSHOTS
    }
}
