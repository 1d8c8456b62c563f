//! The documents of `referee lock check` and `referee lock explain`.

use referee_model::lock::RuleSource;
use referee_model::run_context::protection::{Drift, Mode, Protection};
use serde::Serialize;

/// Result of checking protected files against the lock.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
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

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LockExplanationDocument {
    lock_explanation_version: &'static str,
    /// Protected files, sorted by path.
    files: Vec<ExplainedDocument>,
    /// Notes on the lock, one sentence each, such as its origin and that no person approved it.
    notes: Vec<String>,
}

/// Why one file is protected.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainedDocument {
    /// Path relative to the workspace.
    path: String,
    /// How the file is protected. Null: it is not.
    mode: Option<Mode>,
    /// Protected values, as JSON pointers. Empty: the whole file is protected.
    values: Vec<String>,
    /// Source of the rule that protects the file. Null: none does.
    source: Option<RuleSource>,
    reason: String,
    /// Differences from the lock, one sentence each.
    drift: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Path relative to the workspace.
    pub path: String,
    /// How the file is protected. None: it is not.
    pub mode: Option<Mode>,
    /// Protected values, as JSON pointers. Empty: the whole file is protected.
    pub values: Vec<String>,
    pub source: Option<RuleSource>,
    pub reason: String,
    pub drift: Vec<Drift>,
}

pub fn explanation(files: &[Explained], notes: &[String]) -> LockExplanationDocument {
    let files = files.iter().map(|file| ExplainedDocument {
        path: file.path.clone(),
        mode: file.mode,
        values: file.values.clone(),
        source: file.source,
        reason: file.reason.clone(),
        drift: file.drift.iter().map(Drift::sentence).collect(),
    });
    LockExplanationDocument { lock_explanation_version: "1.0.0", files: files.collect(), notes: notes.to_vec() }
}
