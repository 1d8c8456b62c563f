//! Assessment of an executor's handback, compared with the files of the run and with the checks that ran (ruling 28).

use serde::{Serialize, Serializer};

use crate::handback::HandbackReason;

/// Reason for which a handback does not complete a stage. Messages and programs can rely on the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StandingName {
    /// There is no handback.
    Missing,
    /// The handback cannot be read.
    Invalid,
    /// The handback reports a failure.
    Error,
    /// The handback asks a question.
    Question,
    /// No executor had control when the stage was handed back, or the stage is already over.
    WithoutControl,
    /// The handback is older than the current acceptance, or identical to the handback of an earlier attempt.
    Stale,
    /// Inputs, or the stages that they come from, changed after control was accepted.
    InputsChanged,
    /// The handback claims success, but the outputs are not valid.
    OutputsContradict,
    /// The handback claims success, but the verdict on the stage's specification is not PASS, or is missing.
    VerdictContradicts,
    /// The handback contradicts `wf-result.json`.
    ResultContradicts,
    /// Files of the run contradict its log: `wf-run.json` or `accept.json`.
    RecordContradicts,
    /// Composed files were changed: configuration, schemas, prompts or specification.
    NotAsComposed,
    /// The log of the run is missing, broken, or not the log that was written here.
    LogContradicts,
}

impl StandingName {
    /// All names.
    pub const ALL: [Self; 13] = [
        Self::Missing,
        Self::Invalid,
        Self::Error,
        Self::Question,
        Self::WithoutControl,
        Self::Stale,
        Self::InputsChanged,
        Self::OutputsContradict,
        Self::VerdictContradicts,
        Self::ResultContradicts,
        Self::RecordContradicts,
        Self::NotAsComposed,
        Self::LogContradicts,
    ];

    /// Returns the name as documents and messages spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "handback_missing",
            Self::Invalid => "handback_invalid",
            Self::Error => "handback_error",
            Self::Question => "handback_question",
            Self::WithoutControl => "without_control",
            Self::Stale => "stale_handback",
            Self::InputsChanged => "inputs_changed",
            Self::OutputsContradict => "outputs_contradict",
            Self::VerdictContradicts => "verdict_contradicts",
            Self::ResultContradicts => "result_contradicts",
            Self::RecordContradicts => "record_contradicts",
            Self::NotAsComposed => "not_as_composed",
            Self::LogContradicts => "log_contradicts",
        }
    }
}

impl Serialize for StandingName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// An objection to a handback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Objection {
    /// Name of the objection.
    pub name: StandingName,
    /// Description of the contradiction, as a sentence.
    pub message: String,
    /// Instruction that resolves the objection.
    pub action: String,
}

/// Assessment of a handback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandbackStanding {
    /// Reason that the handback states. None: the handback is missing or cannot be read.
    pub reason: Option<HandbackReason>,
    /// Objections to finalizing the stage. Empty: the stage can be finalized.
    pub objections: Vec<Objection>,
}

impl HandbackStanding {
    /// Returns whether the handback allows the stage to be finalized: it claims success, and there are no objections.
    pub fn holds(&self) -> bool {
        self.reason == Some(HandbackReason::Success) && self.objections.is_empty()
    }
}
