//! Why actions never ran.

use serde::{Deserialize, Serialize};

use crate::id::{ActionId, TaskId};
use crate::selection::LeftOut;

/// Why an action never ran.
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
    /// Something it needs did not pass.
    NeedNotMet(
        #[serde(with = "because")]
        #[cfg_attr(feature = "schema", schemars(with = "because::Form"))]
        ActionId,
    ),
    /// An earlier step failed, blocks, and is not to be continued after.
    EarlierFailure(
        #[serde(with = "because")]
        #[cfg_attr(feature = "schema", schemars(with = "because::Form"))]
        ActionId,
    ),
    /// The task's deadline had passed.
    DeadlinePassed,
    /// The run was interrupted.
    Interrupted,
    /// The engine failed before.
    EngineFailed,
    /// It was started beside this earlier one, which failed, blocks, and is not to be continued after: one by one it would
    /// not have run, so what came of it does not count.
    Superseded(
        #[serde(with = "because")]
        #[cfg_attr(feature = "schema", schemars(with = "because::Form"))]
        ActionId,
    ),
    /// The run is a reduced one.
    LeftOut(
        #[serde(with = "why")]
        #[cfg_attr(feature = "schema", schemars(with = "why::Form"))]
        LeftOut,
    ),
    /// The specification asks for what cannot be done, so nothing runs.
    SpecificationError,
    /// A task that this one depends on did not pass.
    DependencyNotPassed(
        #[serde(with = "task")]
        #[cfg_attr(feature = "schema", schemars(with = "task::Form"))]
        TaskId,
    ),
    /// What the gate rests on is not as in its baseline, so nothing runs (design, "Lock").
    ProtectedFilesDrifted,
    /// The run was to be confined, and this machine cannot do it.
    NotConfined,
    /// The tree that the run was to be made in could not be built.
    NoCleanRoom,
}

/// Writes what a reason is about under a key of its own.
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
member!(task, "taskId", crate::id::TaskId, "The other task.");
