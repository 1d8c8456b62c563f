//! Assessment of an executor's handback, compared with the files of the run and with the checks that ran (ruling 28).

use serde::Serialize;

use crate::handback::HandbackReason;

document_words! {
    /// Reason for which a handback does not complete a stage. Messages and programs can rely on the names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    pub enum StandingName {
        /// There is no handback.
        Missing = "handback_missing",
        /// The handback cannot be read.
        Invalid = "handback_invalid",
        /// The handback reports a failure.
        Error = "handback_error",
        /// The handback asks a question.
        Question = "handback_question",
        /// No executor had control when the stage was handed back, or the stage is already over.
        WithoutControl = "without_control",
        /// The handback is older than the current acceptance, or identical to the handback of an earlier attempt.
        Stale = "stale_handback",
        /// Inputs, or the stages that they come from, changed after control was accepted.
        InputsChanged = "inputs_changed",
        /// The handback claims success, but the outputs are not valid.
        OutputsContradict = "outputs_contradict",
        /// The handback claims success, but the verdict on the stage's specification is not PASS, or is missing.
        VerdictContradicts = "verdict_contradicts",
        /// The handback contradicts `wf-result.json`.
        ResultContradicts = "result_contradicts",
        /// Files of the run contradict its log: `wf-run.json` or `accept.json`.
        RecordContradicts = "record_contradicts",
        /// Composed files were changed: configuration, schemas, prompts or specification.
        NotAsComposed = "not_as_composed",
        /// The log of the run is missing, broken, or not the log that was written here.
        LogContradicts = "log_contradicts",
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
