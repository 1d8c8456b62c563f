//! Why an action never ran, in documents.

use referee_model::id::{ActionId, TaskId};
use referee_model::record::SkipReason;
use referee_model::selection::LeftOut;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why an action never ran: a code, and what is to blame where something is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
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
    /// It ran beside an earlier step that failed, blocks, and is not to be continued after, so what came of it does not
    /// count.
    Superseded(Because),
    /// The run is a reduced one.
    LeftOut {
        /// Why this action was left out of it.
        why: LeftOut,
    },
    /// The specification asks for what cannot be done.
    SpecificationError {},
    /// A task that this one depends on did not pass.
    DependencyNotPassed {
        /// The other task.
        task_id: TaskId,
    },
    /// What the gate rests on is not as in its baseline.
    ProtectedFilesDrifted {},
    /// The run was to be confined, and this machine cannot do it.
    NotConfined {},
    /// The tree that the run was to be made in could not be built.
    NoCleanRoom {},
}

/// The action that is to blame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Because {
    /// The action.
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
            SkipReason::Superseded(action) => Self::Superseded(because(action)),
            SkipReason::LeftOut(why) => Self::LeftOut { why: *why },
            SkipReason::SpecificationError => Self::SpecificationError {},
            SkipReason::DependencyNotPassed(task) => Self::DependencyNotPassed { task_id: task.clone() },
            SkipReason::ProtectedFilesDrifted => Self::ProtectedFilesDrifted {},
            SkipReason::NotConfined => Self::NotConfined {},
            SkipReason::NoCleanRoom => Self::NoCleanRoom {},
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
            SkipReasonDocument::Superseded(Because { because }) => Self::Superseded(because),
            SkipReasonDocument::LeftOut { why } => Self::LeftOut(why),
            SkipReasonDocument::SpecificationError {} => Self::SpecificationError,
            SkipReasonDocument::DependencyNotPassed { task_id } => Self::DependencyNotPassed(task_id),
            SkipReasonDocument::ProtectedFilesDrifted {} => Self::ProtectedFilesDrifted,
            SkipReasonDocument::NotConfined {} => Self::NotConfined,
            SkipReasonDocument::NoCleanRoom {} => Self::NoCleanRoom,
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
        SkipReason::Superseded(action) => {
            format!("{action}, beside which it ran, failed and blocks, and no step is to run after that.")
        }
        SkipReason::LeftOut(why) => left_out(*why).to_owned(),
        SkipReason::SpecificationError => "The specification asks for what cannot be done, so nothing runs.".to_owned(),
        SkipReason::DependencyNotPassed(task) => format!("Its task depends on {task}, which did not pass."),
        SkipReason::ProtectedFilesDrifted => "What the gate rests on was changed, so nothing runs.".to_owned(),
        SkipReason::NotConfined => "It was to be confined, and this machine cannot do it.".to_owned(),
        SkipReason::NoCleanRoom => "The clean room that it was to run in could not be built.".to_owned(),
    }
}

fn left_out(why: LeftOut) -> &'static str {
    match why {
        LeftOut::Profile => "The profile of this reduced run leaves it out.",
        LeftOut::NotNamed => "Other checks were asked for.",
        LeftOut::Named => "It was asked to be left out.",
        LeftOut::NeedLeftOut => "Something that it needs was left out.",
        LeftOut::PassedBefore => "It passed in the run before, and only what had not passed was asked for.",
    }
}
