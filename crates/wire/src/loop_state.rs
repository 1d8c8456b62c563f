//! How far a loop of repairs has come, as documents keep it that go on where another left off (ruling 24).

use std::collections::BTreeSet;

use referee_model::fingerprint::Fingerprint;
use referee_model::loop_guard::LoopState;
use referee_model::progress::{Progress, Snapshot};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// How far a loop has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoopStateDocument {
    /// Plans that were asked for beside the first.
    replans: u32,
    /// Turns of this plan revision that did not pass.
    loops: u32,
    /// When this plan revision began. Null: its first turn is still to come.
    began: Option<Timestamp>,
    /// Turns in a row with the same first failure.
    same_error_repeats: u32,
    /// Turns in a row without progress.
    no_progress_streak: u32,
    /// Turns in a row that are all the same.
    equal_snapshots: u32,
    /// The last one. Null: there is none yet.
    last: Option<SnapshotDocument>,
}

/// What of a judged run tells whether there is progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SnapshotDocument {
    /// Whether it passed.
    passed: bool,
    /// The first failure. Null: none is named.
    first_failure: Option<Fingerprint>,
    /// Everything that blocks.
    #[schemars(with = "Vec<form::Fingerprint>")]
    failures: BTreeSet<Fingerprint>,
    /// How far it came: the place of the first action that blocks.
    reached: u32,
}

impl From<&LoopState> for LoopStateDocument {
    fn from(state: &LoopState) -> Self {
        let LoopState { replans, loops, began, progress } = state;
        Self {
            replans: *replans,
            loops: *loops,
            began: *began,
            same_error_repeats: progress.same_error_repeats,
            no_progress_streak: progress.no_progress_streak,
            equal_snapshots: progress.equal_snapshots,
            last: progress.last.as_ref().map(SnapshotDocument::from),
        }
    }
}

impl From<LoopStateDocument> for LoopState {
    fn from(document: LoopStateDocument) -> Self {
        let progress = Progress {
            same_error_repeats: document.same_error_repeats,
            no_progress_streak: document.no_progress_streak,
            equal_snapshots: document.equal_snapshots,
            last: document.last.map(Snapshot::from),
        };
        Self { replans: document.replans, loops: document.loops, began: document.began, progress }
    }
}

impl From<&Snapshot> for SnapshotDocument {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            passed: snapshot.passed,
            first_failure: snapshot.first_failure,
            failures: snapshot.failures.clone(),
            reached: u32::try_from(snapshot.reached).unwrap_or(u32::MAX),
        }
    }
}

impl From<SnapshotDocument> for Snapshot {
    fn from(document: SnapshotDocument) -> Self {
        Self {
            passed: document.passed,
            first_failure: document.first_failure,
            failures: document.failures,
            reached: usize::try_from(document.reached).unwrap_or(usize::MAX),
        }
    }
}
