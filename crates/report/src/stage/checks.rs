//! The document of `referee stage preflight` and `referee stage validate`, with the seed's keys. Both have one
//! shape: a preflight has no handback, and neither of them publishes anything.

use referee_model::incident::seconds;
use referee_model::stage::check::{CheckStatus, Checks};
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::log::StageVerdict;
use referee_model::stage::standing::Objection;
use referee_model::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

/// Results of checking a stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageChecksDocument {
    pub status: CheckStatus,
    pub stage_id: StageId,
    /// Id of the run. Null: its log does not state it.
    pub run_id: Option<StageRunId>,
    /// All checks in a fixed order, and which of them failed.
    #[serde(flatten)]
    pub checks: Checks,
    /// Always false: only finalizing a stage publishes its outputs.
    pub output_params_written: bool,
    /// Values that would be published now, by name.
    pub output_params: Map<String, Value>,
    /// Handback of the executor. Null: it was not examined, as in a preflight.
    pub handback: Option<HandbackSeenDocument>,
    /// Who has control, according to `accept.json`.
    pub accept: AcceptSeenDocument,
    /// Verdict of the stage's specification. Null: it names none, or nothing ran.
    pub verdict: Option<StageVerdict>,
    /// Warnings that do not block.
    pub warnings: Vec<String>,
    pub summary: ChecksSummary,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HandbackSeenDocument {
    /// Whether `handback.json` exists.
    pub present: bool,
    pub valid: bool,
    /// Reason: `success`, `error` or `question`. Null: the document states none that can be read.
    pub reason: Option<String>,
    /// Description of the reason in the executor's words, without secrets.
    pub description: Option<String>,
    /// Code of the error. Null: the handback states none.
    pub error_code: Option<String>,
    pub error_meaning: Option<String>,
    /// Description of the error, without secrets.
    pub error_message: Option<String>,
    /// Problems of the document.
    pub complaints: Vec<String>,
    /// Objections to the handback's claim.
    pub objections: Vec<Objection>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptSeenDocument {
    pub status: AcceptStatus,
    /// Who has control: `agent`. Null: no executor has.
    pub state: Option<&'static str>,
    #[serde(with = "seconds::optional")]
    pub timestamp: Option<Timestamp>,
    /// Problems of `accept.json`.
    pub complaints: Vec<String>,
}

/// Whether an executor has control of the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AcceptStatus {
    Present,
    Absent,
    /// `accept.json` is not valid, so it gives no executor control.
    Invalid,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChecksSummary {
    pub checks: usize,
    pub passed: usize,
    pub errors: usize,
    /// Result line of the seed: `Result: PASS (11 checks, 0 errors)`.
    pub result: String,
}

impl StageChecksDocument {
    /// Creates a document with the checks only.
    pub fn of(stage_id: StageId, run_id: Option<StageRunId>, checks: Checks) -> Self {
        let summary = ChecksSummary {
            checks: checks.checks.len(),
            passed: checks.passed(),
            errors: checks.failed().count(),
            result: checks.result_line(),
        };
        Self {
            status: CheckStatus::of(checks.is_pass()),
            stage_id,
            run_id,
            output_params_written: false,
            output_params: Map::new(),
            handback: None,
            accept: AcceptSeenDocument::default(),
            verdict: None,
            warnings: checks.warnings.clone(),
            checks,
            summary,
        }
    }
}

impl Default for AcceptSeenDocument {
    fn default() -> Self {
        Self { status: AcceptStatus::Absent, state: None, timestamp: None, complaints: Vec::new() }
    }
}

impl AcceptSeenDocument {
    /// Returns that an agent has control since this time.
    pub fn present(since: Timestamp) -> Self {
        Self { status: AcceptStatus::Present, state: Some("agent"), timestamp: Some(since), complaints: Vec::new() }
    }

    /// Returns that no executor has control, because `accept.json` is not valid for these reasons.
    pub fn invalid(complaints: Vec<String>) -> Self {
        Self { status: AcceptStatus::Invalid, state: None, timestamp: None, complaints }
    }

    /// Returns the seed's word: `PRESENT(agent)`, `ABSENT` or `INVALID`.
    pub fn word(&self) -> &'static str {
        match self.status {
            AcceptStatus::Present => "PRESENT(agent)",
            AcceptStatus::Absent => "ABSENT",
            AcceptStatus::Invalid => "INVALID",
        }
    }
}
