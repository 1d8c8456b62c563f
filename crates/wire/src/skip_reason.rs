//! Why an action never ran, in documents.

use referee_model::id::ActionId;
use referee_model::record::SkipReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// Why an action never ran: a code, and the action that is to blame where one is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum SkipReasonDocument {
    /// A prerequisite failed.
    PrerequisiteFailed(Because),
    /// Something it needs did not pass.
    NeedNotMet(Because),
    /// An earlier step failed, blocks, and is not to be continued after.
    EarlierFailure(Because),
    /// The task's deadline had passed.
    DeadlinePassed {},
    /// The run was interrupted.
    Interrupted {},
    /// Referee itself failed before.
    EngineFailed {},
}

/// The action that is to blame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Because {
    /// The action.
    #[schemars(with = "form::ActionId")]
    because: ActionId,
}

impl From<&SkipReason> for SkipReasonDocument {
    fn from(reason: &SkipReason) -> Self {
        let because = |action: &ActionId| Because { because: action.clone() };
        match reason {
            SkipReason::PrerequisiteFailed(action) => Self::PrerequisiteFailed(because(action)),
            SkipReason::NeedNotMet(action) => Self::NeedNotMet(because(action)),
            SkipReason::EarlierFailure(action) => Self::EarlierFailure(because(action)),
            SkipReason::DeadlinePassed => Self::DeadlinePassed {},
            SkipReason::Interrupted => Self::Interrupted {},
            SkipReason::EngineFailed => Self::EngineFailed {},
        }
    }
}

impl From<SkipReasonDocument> for SkipReason {
    fn from(reason: SkipReasonDocument) -> Self {
        match reason {
            SkipReasonDocument::PrerequisiteFailed(Because { because }) => Self::PrerequisiteFailed(because),
            SkipReasonDocument::NeedNotMet(Because { because }) => Self::NeedNotMet(because),
            SkipReasonDocument::EarlierFailure(Because { because }) => Self::EarlierFailure(because),
            SkipReasonDocument::DeadlinePassed {} => Self::DeadlinePassed,
            SkipReasonDocument::Interrupted {} => Self::Interrupted,
            SkipReasonDocument::EngineFailed {} => Self::EngineFailed,
        }
    }
}

/// Returns why an action never ran, as a sentence.
pub(crate) fn sentence(reason: &SkipReason) -> String {
    match reason {
        SkipReason::PrerequisiteFailed(action) => format!("Prerequisite {action} failed."),
        SkipReason::NeedNotMet(action) => format!("It needs {action}, which did not pass."),
        SkipReason::EarlierFailure(action) => format!("{action} failed and blocks, and no step is to run after that."),
        SkipReason::DeadlinePassed => "The task's deadline had passed.".to_owned(),
        SkipReason::Interrupted => "The run was interrupted.".to_owned(),
        SkipReason::EngineFailed => "Referee itself failed before it could run.".to_owned(),
    }
}
