//! A tree that was built for one run, in documents.

use referee_model::circumstances::clean_room::{CleanRoom, SetUp};
use referee_model::id::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// A tree that was built for one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CleanRoomDocument {
    /// The workspace that it was built from.
    candidate: String,
    /// How many of the candidate's files were copied.
    files: u64,
    /// Protected files that were taken from the baseline because the candidate's differ or are missing.
    restored: Vec<String>,
    /// How dependencies came into it. Null: no set-up is named.
    setup: Option<SetUpDocument>,
}

impl From<&CleanRoom> for CleanRoomDocument {
    fn from(value: &CleanRoom) -> Self {
        Self {
            candidate: value.candidate.clone(),
            files: value.files,
            restored: value.restored.clone(),
            setup: value.setup.as_ref().map(Into::into),
        }
    }
}

impl From<CleanRoomDocument> for CleanRoom {
    fn from(document: CleanRoomDocument) -> Self {
        Self {
            candidate: document.candidate,
            files: document.files,
            restored: document.restored,
            setup: document.setup.map(Into::into),
        }
    }
}

/// How dependencies came into a clean room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SetUpDocument {
    /// The command, as it is written.
    command: String,
    /// What they are cached by.
    #[schemars(with = "form::Sha256")]
    key: Digest,
    /// Whether they were taken from the cache.
    cached: bool,
}

impl From<&SetUp> for SetUpDocument {
    fn from(value: &SetUp) -> Self {
        Self { command: value.command.clone(), key: value.key, cached: value.cached }
    }
}

impl From<SetUpDocument> for SetUp {
    fn from(document: SetUpDocument) -> Self {
        Self { command: document.command, key: document.key, cached: document.cached }
    }
}
