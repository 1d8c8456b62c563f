//! The documents of `referee lock check` and `referee lock explain`.

use referee_model::lock::RuleSource;
use referee_model::run_context::protection::{Drift, Mode, Protection};
use serde::{Serialize, Serializer};

/// Result of checking protected files against the lock.
#[document(nulls, unpublished)]
pub struct LockCheckDocument {
    lock_check_version: &'static str,
    /// Whether there is no blocking difference.
    holds: bool,
    /// Result of the comparison. Null: nothing is locked, so nothing is protected.
    protection: Option<Protection>,
    /// Exit code of the command.
    exit_code: u8,
}

pub fn check(protection: Option<&Protection>, holds: bool, exit_code: u8) -> LockCheckDocument {
    LockCheckDocument { lock_check_version: "1.0.0", holds, protection: protection.cloned(), exit_code }
}

#[document(unpublished)]
pub struct LockExplanationDocument<'files> {
    lock_explanation_version: &'static str,
    /// Protected files, sorted by path.
    files: &'files [Explained],
    /// Notes on the lock, one sentence each, such as its origin and that no person approved it.
    notes: &'files [String],
}

/// Why one file is protected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// Path relative to the workspace.
    pub path: String,
    /// How the file is protected. Null: it is not.
    pub mode: Option<Mode>,
    /// Protected values, as JSON pointers. Empty: the whole file is protected.
    pub values: Vec<String>,
    /// Source of the rule that protects the file. Null: none does.
    pub source: Option<RuleSource>,
    pub reason: String,
    /// Differences from the lock, one sentence each.
    #[serde(serialize_with = "sentences")]
    pub drift: Vec<Drift>,
}

pub fn explanation<'files>(files: &'files [Explained], notes: &'files [String]) -> LockExplanationDocument<'files> {
    LockExplanationDocument { lock_explanation_version: "1.0.0", files, notes }
}

fn sentences<S: Serializer>(drift: &[Drift], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(drift.iter().map(Drift::sentence))
}
