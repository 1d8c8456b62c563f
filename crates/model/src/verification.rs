//! What checked an agent's work, level by level (seed 2, 1.2 "Verification report"): the one shape of the two that are met.

use serde::{Serialize, Serializer};

use crate::time::Timestamp;

/// The levels that every document names.
const LEVELS: [&str; 4] = ["L0", "L1", "L2", "L3"];

/// A verification of one turn of a run. Its document, `verification-N.json`, has no version of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerificationReport {
    /// The report's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The turn.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u64>,
    /// The snapshot that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// What all of it comes to.
    pub overall: Overall,
    /// The levels that stand in it, in stored order.
    #[serde(serialize_with = "levels")]
    pub levels: Vec<VerificationLevel>,
    /// What was found beside the checks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<VerificationDiagnostic>,
    /// Milliseconds that it took.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// When it was over.
    pub completed_at: Option<Timestamp>,
    /// What was noted when it was kept. None: it was never kept.
    #[serde(flatten)]
    pub kept: Option<KeptVerification>,
}

/// What a verification comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overall {
    /// Whether all of it passed.
    pub passed: bool,
    /// All of it in a sentence; empty where nobody says it.
    pub summary: String,
}

/// Writes levels by their names, and null for those of the four that did not run.
fn levels<S: Serializer>(levels: &[VerificationLevel], serializer: S) -> Result<S::Ok, S::Error> {
    let did_not_run = LEVELS.iter().filter(|name| !levels.iter().any(|level| level.name == **name));
    let ran = levels.iter().map(|level| (level.name.as_str(), Some(level)));
    serializer.collect_map(ran.chain(did_not_run.map(|name| (*name, None))))
}

/// One level of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationLevel {
    /// Its name: `L0` to `L3`, or whatever the verifier calls it.
    #[serde(rename = "level")]
    pub name: String,
    /// Whether all of it passed.
    pub passed: bool,
    /// Its checks, in stored order.
    pub checks: Vec<VerificationCheck>,
    /// Milliseconds that it took, where somebody measured it.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// One check of a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationCheck {
    /// Its name.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// What it printed; empty where it printed nothing.
    pub output: String,
    /// Milliseconds that it took, where somebody measured it.
    #[serde(rename = "duration", serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Something that was found beside the checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerificationDiagnostic {
    /// The level that found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// What kind of thing.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it says.
    pub message: String,
    /// File.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based line.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 1-based column.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// What was noted when a verification was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptVerification {
    /// When it was kept.
    pub captured_at: Timestamp,
    /// Levels that were left out on purpose.
    pub skipped_levels: Vec<String>,
    /// How the verifier was set up.
    #[serde(rename = "harnessConfig", skip_serializing_if = "Option::is_none")]
    pub harness: Option<Harness>,
}

/// How a verifier was set up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Harness {
    /// Whether it waited for continuous integration.
    #[serde(rename = "waitForCI")]
    pub wait_for_ci: bool,
    /// Levels that it was to leave out.
    pub skip_levels: Vec<String>,
}

impl VerificationReport {
    /// Returns the failed checks of failed levels, in stored order.
    pub fn failed_checks(&self) -> impl Iterator<Item = (&VerificationLevel, &VerificationCheck)> {
        let failed = self.levels.iter().filter(|level| !level.passed);
        failed.flat_map(|level| level.checks.iter().filter(|check| !check.passed).map(move |check| (level, check)))
    }
}
