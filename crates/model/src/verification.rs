//! Verification of an agent's work, level by level (seed 2, 1.2 "Verification report"): one type for the two
//! shapes in use.

use serde::{Serialize, Serializer};

use crate::time::Timestamp;

/// Levels that every document lists.
const LEVELS: [&str; 4] = ["L0", "L1", "L2", "L3"];

/// A verification of one turn of an agent run. Its document, `verification-N.json`, has no version of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerificationReport {
    /// Id of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Id of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Number of the turn.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u64>,
    /// Id of the verified snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// Overall result.
    pub overall: Overall,
    /// The levels that ran, in stored order.
    #[serde(serialize_with = "levels")]
    pub levels: Vec<VerificationLevel>,
    /// Diagnostics in addition to the checks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<VerificationDiagnostic>,
    /// Duration in milliseconds.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// Time at which the verification ended.
    pub completed_at: Option<Timestamp>,
    /// Additions made when the report was stored. None: it was never stored.
    #[serde(flatten)]
    pub kept: Option<KeptVerification>,
}

/// Overall result of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overall {
    /// Whether everything passed.
    pub passed: bool,
    /// One-sentence summary; empty if not given.
    pub summary: String,
}

/// Serializes levels by name, with null for those of the four that did not run.
fn levels<S: Serializer>(levels: &[VerificationLevel], serializer: S) -> Result<S::Ok, S::Error> {
    let did_not_run = LEVELS.iter().filter(|name| !levels.iter().any(|level| level.name == **name));
    let ran = levels.iter().map(|level| (level.name.as_str(), Some(level)));
    serializer.collect_map(ran.chain(did_not_run.map(|name| (*name, None))))
}

/// One level of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationLevel {
    /// Name of the level: `L0` to `L3`, or a name given by the verifier.
    #[serde(rename = "level")]
    pub name: String,
    /// Whether everything passed.
    pub passed: bool,
    /// The checks of the level, in stored order.
    pub checks: Vec<VerificationCheck>,
    /// Duration in milliseconds, if measured.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// A check of a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationCheck {
    /// Name of the check.
    pub name: String,
    /// Whether the check passed.
    pub passed: bool,
    /// Output of the check; empty if there was none.
    pub output: String,
    /// Duration in milliseconds, if measured.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// A diagnostic in addition to the checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationDiagnostic {
    /// Name of the level that reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Kind of the diagnostic.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Message of the diagnostic.
    pub message: String,
    /// Path of the file concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based line in the file.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 1-based column in the line.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// Additions made when a verification report was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptVerification {
    /// Time at which it was stored.
    pub captured_at: Timestamp,
    /// Levels that were skipped on purpose.
    pub skipped_levels: Vec<String>,
    /// Configuration of the verifier.
    #[serde(rename = "harnessConfig", skip_serializing_if = "Option::is_none")]
    pub harness: Option<Harness>,
}

/// Configuration of a verifier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Harness {
    /// Whether the verifier waited for continuous integration.
    #[serde(rename = "waitForCI")]
    pub wait_for_ci: bool,
    /// Levels that it was configured to skip.
    pub skip_levels: Vec<String>,
}

impl VerificationReport {
    /// Returns the failed checks of failed levels, in stored order.
    pub fn failed_checks(&self) -> impl Iterator<Item = (&VerificationLevel, &VerificationCheck)> {
        let failed = self.levels.iter().filter(|level| !level.passed);
        failed.flat_map(|level| level.checks.iter().filter(|check| !check.passed).map(move |check| (level, check)))
    }
}
