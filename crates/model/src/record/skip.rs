//! Reasons for which actions do not run.

use serde::{Deserialize, Serialize};

use crate::id::{ActionId, TaskId};
use crate::selection::LeftOut;

/// Reason for which an action did not run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SkipReason {
    /// A prerequisite failed.
    PrerequisiteFailed(
        #[serde(with = "because")]
        #[cfg_attr(feature = "schema", schemars(with = "because::Form"))]
        ActionId,
    ),
    /// An action that this one needs did not pass.
    NeedNotMet(
        #[serde(with = "because")]
        #[cfg_attr(feature = "schema", schemars(with = "because::Form"))]
        ActionId,
    ),
    /// An earlier step failed and blocks, and the run does not continue after its failure.
    EarlierFailure(
        #[serde(with = "because")]
        #[cfg_attr(feature = "schema", schemars(with = "because::Form"))]
        ActionId,
    ),
    /// The task's deadline had passed.
    DeadlinePassed,
    /// The run was interrupted.
    Interrupted,
    /// Referee failed before the action could run.
    EngineFailed,
    /// The action ran in parallel with an earlier step that failed and blocks, and the run does not continue
    /// after such a failure. A sequential run would not have executed the action, so its result does not count.
    Superseded(
        #[serde(with = "because")]
        #[cfg_attr(feature = "schema", schemars(with = "because::Form"))]
        ActionId,
    ),
    /// The run covers only part of the specification, and the action is not in that part.
    LeftOut(
        #[serde(with = "why")]
        #[cfg_attr(feature = "schema", schemars(with = "why::Form"))]
        LeftOut,
    ),
    /// The specification asks for something impossible, so nothing runs.
    SpecificationError,
    /// A task that this one depends on did not pass.
    DependencyNotPassed(
        #[serde(with = "task")]
        #[cfg_attr(feature = "schema", schemars(with = "task::Form"))]
        TaskId,
    ),
    /// Protected files differ from their baseline, so nothing runs (design, "Lock").
    ProtectedFilesDrifted,
    /// The run requires confinement, which this machine does not support.
    NotConfined,
    /// The clean room in which the run was to take place could not be built.
    NoCleanRoom,
    /// No worker performed the run.
    NotPerformed,
}

impl SkipReason {
    /// Returns the reason as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::PrerequisiteFailed(action) => format!("Prerequisite {action} failed."),
            Self::NeedNotMet(action) => format!("It needs {action}, which did not pass."),
            Self::EarlierFailure(action) => format!("{action} failed and blocks, and no step is to run after that."),
            Self::DeadlinePassed => "The task's deadline had passed.".to_owned(),
            Self::Interrupted => "The run was interrupted.".to_owned(),
            Self::EngineFailed => "Referee itself failed before it could run.".to_owned(),
            Self::Superseded(action) => {
                format!("{action}, beside which it ran, failed and blocks, and no step is to run after that.")
            }
            Self::LeftOut(why) => left_out(*why).to_owned(),
            Self::SpecificationError => "The specification asks for what cannot be done, so nothing runs.".to_owned(),
            Self::DependencyNotPassed(task) => format!("Its task depends on {task}, which did not pass."),
            Self::ProtectedFilesDrifted => "What the gate rests on was changed, so nothing runs.".to_owned(),
            Self::NotConfined => "It was to be confined, and this machine cannot do it.".to_owned(),
            Self::NoCleanRoom => "The clean room that it was to run in could not be built.".to_owned(),
            Self::NotPerformed => "No worker performed it.".to_owned(),
        }
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

/// Serializes the subject of a reason under a key of its own.
macro_rules! member {
    ($module:ident, $key:literal, $of:ty, $doc:literal) => {
        mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            #[derive(Serialize, Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            #[serde(deny_unknown_fields)]
            pub(super) struct Form {
                #[doc = $doc]
                #[serde(rename = $key)]
                of: $of,
            }

            pub(super) fn serialize<S: Serializer>(of: &$of, serializer: S) -> Result<S::Ok, S::Error> {
                Form { of: of.clone() }.serialize(serializer)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$of, D::Error> {
                Form::deserialize(deserializer).map(|form| form.of)
            }
        }
    };
}

member!(because, "because", crate::id::ActionId, "The action that is to blame.");
member!(why, "why", crate::selection::LeftOut, "Why this action was left out of it.");
member!(task, "taskId", crate::id::TaskId, "Id of the task that did not pass.");
