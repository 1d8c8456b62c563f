//! What checked an agent's work, level by level (seed 2, 1.2 "Verification report"): the one shape of the two that are met.

use crate::time::Timestamp;

/// A verification of one turn of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct VerificationReport {
    /// The report's own id.
    pub id: Option<String>,
    /// The run.
    pub run_id: Option<String>,
    /// The turn.
    pub iteration: Option<u64>,
    /// The snapshot that was checked.
    pub snapshot_id: Option<String>,
    /// Whether all of it passed.
    pub passed: bool,
    /// All of it in a sentence.
    pub summary: Option<String>,
    /// The levels that stand in it, in stored order.
    pub levels: Vec<VerificationLevel>,
    /// What was found beside the checks.
    pub diagnostics: Vec<VerificationDiagnostic>,
    /// Milliseconds that it took.
    pub duration_ms: u64,
    /// When it was over.
    pub completed_at: Option<Timestamp>,
    /// What was noted when it was kept. None: it was never kept.
    pub kept: Option<KeptVerification>,
}

/// One level of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationLevel {
    /// Its name: `L0` to `L3`, or whatever the verifier calls it.
    pub name: String,
    /// Whether all of it passed.
    pub passed: bool,
    /// Its checks, in stored order.
    pub checks: Vec<VerificationCheck>,
    /// Milliseconds that it took, where somebody measured it.
    pub duration_ms: Option<u64>,
}

/// One check of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationCheck {
    /// Its name.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// What it printed; empty where it printed nothing.
    pub output: String,
    /// Milliseconds that it took, where somebody measured it.
    pub duration_ms: Option<u64>,
}

/// Something that was found beside the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationDiagnostic {
    /// The level that found it.
    pub level: Option<String>,
    /// What kind of thing.
    pub kind: Option<String>,
    /// What it says.
    pub message: String,
    /// File.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u64>,
    /// 1-based column.
    pub column: Option<u64>,
}

/// What was noted when a verification was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptVerification {
    /// When it was kept.
    pub captured_at: Timestamp,
    /// Levels that were left out on purpose.
    pub skipped_levels: Vec<String>,
    /// How the verifier was set up.
    pub harness: Option<Harness>,
}

/// How a verifier was set up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Harness {
    /// Whether it waited for continuous integration.
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
