//! The baseline that a run was compared with, and what is new.

use referee_model::baseline::{BaselineApplied, BaselineStanding, Tally};
use referee_model::id::{Digest, ExecutionId};
use referee_model::limit::{BASELINE_MESSAGE_CHARACTERS, BASELINE_NEW_LISTED};
use referee_model::reading::Reading;
use referee_model::time::Timestamp;

use referee_model::number::Count;

/// Baseline of findings that the run was compared with. A decision that rests on one does not cover the whole
/// project.
#[document]
pub(super) struct BaselineDocument {
    /// SHA-256 of `baseline.json` in the evidence directory.
    digest: Digest,
    /// Run that the baseline was recorded from.
    execution_id: ExecutionId,
    /// Time at which that run ended.
    made_at: Timestamp,
    /// Number of errors, warnings and failed tests that the baseline holds, and which do not block.
    known: Count,
    /// Number of errors, warnings and failed tests that the baseline does not excuse.
    new: Count,
}

/// How one action compares with the baseline.
#[document]
pub(super) struct StandingDocument {
    /// Findings and failed tests that the baseline holds and excuses.
    known: TallyDocument,
    /// Findings and failed tests that the baseline does not excuse.
    new: TallyDocument,
    /// New findings and failed tests one by one, findings first; at most 50.
    new_ones: Vec<NewDocument>,
}

#[document]
struct TallyDocument {
    /// Number of errors that a tool found.
    errors: Count,
    /// Number of warnings that a tool found.
    warnings: Count,
    /// Number of tests that failed.
    failed_tests: Count,
}

/// A finding or failed test that is new. Details that the tool did not print are left out.
#[document]
struct NewDocument {
    /// Name of the failed test.
    test: Option<String>,
    /// Path of the file as printed by the tool.
    file: Option<String>,
    /// 1-based line in `file`. Null: not known.
    line: Option<u32>,
    /// Error code or rule of the tool. Null: none.
    code: Option<String>,
    /// Start of the message.
    message: String,
}

impl From<&BaselineApplied> for BaselineDocument {
    fn from(baseline: &BaselineApplied) -> Self {
        Self {
            digest: baseline.digest,
            execution_id: baseline.execution.clone(),
            made_at: baseline.made,
            known: baseline.known.total().into(),
            new: baseline.new.total().into(),
        }
    }
}

impl From<Tally> for TallyDocument {
    fn from(tally: Tally) -> Self {
        Self { errors: tally.errors.into(), warnings: tally.warnings.into(), failed_tests: tally.failed_tests.into() }
    }
}

impl StandingDocument {
    pub(super) fn new(standing: &BaselineStanding, reading: &Reading) -> Self {
        let new = standing.new_of(reading);
        let findings = new.diagnostics.iter().map(|found| NewDocument {
            test: None,
            file: found.file.clone(),
            line: found.line,
            code: found.code.clone(),
            message: beginning(&found.message),
        });
        let failures = new.tests.iter().flat_map(|tests| &tests.failures).map(|failure| NewDocument {
            test: Some(failure.name.clone()),
            file: failure.file.clone(),
            line: failure.line,
            code: None,
            message: beginning(&failure.message),
        });
        Self {
            known: standing.known.into(),
            new: standing.new.into(),
            new_ones: findings.chain(failures).take(BASELINE_NEW_LISTED).collect(),
        }
    }
}

fn beginning(message: &str) -> String {
    message.chars().take(BASELINE_MESSAGE_CHARACTERS).collect()
}
