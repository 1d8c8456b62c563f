//! What `referee lock check` and `referee lock explain` answer programs.

use referee_model::lock::RuleSource;
use referee_model::run_context::protection::{Drift, Mode, Protection};
use serde::Serialize;

/// Whether everything is as it is locked.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LockCheckDocument {
    lock_check_version: &'static str,
    /// Whether nothing differs that blocks.
    holds: bool,
    /// What was compared. Null: nothing is locked, so nothing is protected.
    protection: Option<Protection>,
    /// What a program exits with.
    exit_code: u8,
}

/// Makes the answer of `referee lock check`.
pub fn check(protection: Option<&Protection>, holds: bool, exit_code: u8) -> LockCheckDocument {
    LockCheckDocument { lock_check_version: "1.0.0", holds, protection: protection.cloned(), exit_code }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LockExplanationDocument {
    lock_explanation_version: &'static str,
    /// The files, sorted by path.
    files: Vec<ExplainedDocument>,
    /// What is worth telling of the lock, one sentence each: where it comes from, and that no person stands for it.
    notes: Vec<String>,
}

/// Why one file is protected.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainedDocument {
    /// Relative to the workspace.
    path: String,
    /// How it is protected. Null: it is not.
    mode: Option<Mode>,
    /// The values that alone are protected, as JSON pointers. Empty: the whole file.
    values: Vec<String>,
    /// Who says so. Null: nobody.
    source: Option<RuleSource>,
    reason: String,
    /// What differs, a sentence each.
    drift: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// Relative to the workspace.
    pub path: String,
    /// How it is protected. None: it is not.
    pub mode: Option<Mode>,
    /// The values that alone are protected, as JSON pointers.
    pub values: Vec<String>,
    pub source: Option<RuleSource>,
    pub reason: String,
    pub drift: Vec<Drift>,
}

/// Makes the answer of `referee lock explain`.
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
