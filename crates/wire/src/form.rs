//! The forms of values in published schemas: those of the words of `referee-model`.

pub(crate) use referee_model::agent_run::CiStatus;
pub(crate) use referee_model::id::{Digest as Sha256, ExecutionId};
pub(crate) use referee_model::outcome::Outcome;
pub(crate) use referee_model::schema::{IterationErrorType, Moment, Seconds, Version};
pub(crate) use referee_model::selection::Profile;
pub(crate) use referee_model::time::Timestamp as Time;
pub(crate) use referee_model::verdict::Decision;
