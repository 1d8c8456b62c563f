//! What `referee stage preflight` and `referee stage validate` found, with the seed's keys. One shape for both: a preflight knows of no
//! handback, and publishes as little as a validation does.

use referee_model::incident::seconds;
use referee_model::stage::check::{CheckStatus, Checks};
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::log::StageVerdict;
use referee_model::stage::standing::Objection;
use referee_model::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

/// What was found of a stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageChecksDocument {
    pub status: CheckStatus,
    pub stage_id: StageId,
    /// The run. Null: its log does not say.
    pub run_id: Option<StageRunId>,
    /// Everything that was looked at, in a fixed order, and what of it did not pass.
    #[serde(flatten)]
    pub checks: Checks,
    /// Always false: only finalizing a stage publishes what it wrote.
    pub output_params_written: bool,
    /// What would be published now, by name.
    pub output_params: Map<String, Value>,
    /// What the executor says. Null: nobody asked, which is so for a preflight.
    pub handback: Option<HandbackSeenDocument>,
    /// Who has control, as `accept.json` says.
    pub accept: AcceptSeenDocument,
    /// What the stage's specification came to. Null: it names none, or nothing ran.
    pub verdict: Option<StageVerdict>,
    /// What should be known and stands in nobody's way.
    pub warnings: Vec<String>,
    pub summary: ChecksSummary,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HandbackSeenDocument {
    /// Whether `handback.json` is there.
    pub present: bool,
    pub valid: bool,
    /// `success`, `error` or `question`. Null: it says nothing that can be read.
    pub reason: Option<String>,
    /// The same in the executor's words, without secrets.
    pub description: Option<String>,
    /// The code of the error. Null: it names none.
    pub error_code: Option<String>,
    pub error_meaning: Option<String>,
    /// What went wrong, without secrets.
    pub error_message: Option<String>,
    /// What is wrong with the document.
    pub complaints: Vec<String>,
    /// What stands against what it says.
    pub objections: Vec<Objection>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptSeenDocument {
    pub status: AcceptStatus,
    /// Who: `agent`. Null: nobody.
    pub state: Option<&'static str>,
    #[serde(with = "seconds::optional")]
    pub timestamp: Option<Timestamp>,
    /// What is wrong with `accept.json`.
    pub complaints: Vec<String>,
}

/// Whether somebody has control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AcceptStatus {
    Present,
    Absent,
    /// `accept.json` gives control to nobody.
    Invalid,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChecksSummary {
    pub checks: usize,
    pub passed: usize,
    pub errors: usize,
    /// The seed's line: `Result: PASS (11 checks, 0 errors)`.
    pub result: String,
}

impl StageChecksDocument {
    /// Begins with the checks alone.
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
    /// Says since when an agent has control.
    pub fn present(since: Timestamp) -> Self {
        Self { status: AcceptStatus::Present, state: Some("agent"), timestamp: Some(since), complaints: Vec::new() }
    }

    /// Says that nobody has it, and why not.
    pub fn invalid(complaints: Vec<String>) -> Self {
        Self { status: AcceptStatus::Invalid, state: None, timestamp: None, complaints }
    }

    /// Returns the seed's words: `PRESENT(agent)`, `ABSENT`, `INVALID`.
    pub fn word(&self) -> &'static str {
        match self.status {
            AcceptStatus::Present => "PRESENT(agent)",
            AcceptStatus::Absent => "ABSENT",
            AcceptStatus::Invalid => "INVALID",
        }
    }
}
