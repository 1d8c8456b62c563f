//! What an executor's claim is worth, held against what is there and what ran (ruling 28).

use serde::{Serialize, Serializer};

use crate::handback::HandbackReason;

/// Why a handback does not carry a stage to its end. Each has a name that messages and programs can rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StandingName {
    /// There is none.
    Missing,
    /// It cannot be read.
    Invalid,
    /// It says that the work failed.
    Error,
    /// It asks something.
    Question,
    /// Nobody had control when it was given back, or the stage is over.
    WithoutControl,
    /// It is older than the control that it would give back, or the same that an earlier attempt gave.
    Stale,
    /// What the work rests on is no longer what it was when control was given: inputs, or the stages that they come from.
    InputsChanged,
    /// It says success, and the outputs do not pass.
    OutputsContradict,
    /// It says success, and the verdict over the stage's specification is not PASS, or there is none.
    VerdictContradicts,
    /// It says one thing, and `wf-result.json` another.
    ResultContradicts,
    /// What files of the run say is not what its log says: `wf-run.json`, `accept.json`.
    RecordContradicts,
    /// What was composed was changed: configuration, schemas, prompts, specification.
    NotAsComposed,
    /// The log of the run is missing, broken, or not the one that was written here.
    LogContradicts,
}

impl StandingName {
    /// All of them.
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

    /// Returns it as documents and messages spell it.
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

/// One thing that stands against a handback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Objection {
    /// Its name.
    pub name: StandingName,
    /// What was found, in a sentence.
    pub message: String,
    /// What to do.
    pub action: String,
}

/// What a handback is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandbackStanding {
    /// What it says. None: it is missing or cannot be read.
    pub reason: Option<HandbackReason>,
    /// Everything that stands against going on; empty: the stage can be finalized.
    pub objections: Vec<Objection>,
}

impl HandbackStanding {
    /// Says whether the stage can be finalized, as far as the handback goes.
    pub fn holds(&self) -> bool {
        self.reason == Some(HandbackReason::Success) && self.objections.is_empty()
    }
}
