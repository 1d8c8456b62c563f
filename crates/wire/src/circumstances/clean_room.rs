//! A tree that was built for one run, in documents.

use referee_model::circumstances::clean_room::{CleanRoom, Provision, SetUp};
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
    /// Where they came from.
    provision: ProvisionDocument,
}

/// Where the dependencies in a clean room came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum ProvisionDocument {
    /// The command, which ran as the first prerequisite.
    Installed {
        /// What it is kept by for later runs.
        #[schemars(with = "form::Sha256")]
        key: Digest,
    },
    /// The command; there is no lock file, so nothing is kept.
    InstalledWithoutLockFile {},
    /// What an earlier run of the command made.
    Cached {
        /// What it was kept by.
        #[schemars(with = "form::Sha256")]
        key: Digest,
    },
}

impl From<&SetUp> for SetUpDocument {
    fn from(value: &SetUp) -> Self {
        let provision = match value.provision {
            Provision::Installed { key } => ProvisionDocument::Installed { key },
            Provision::InstalledWithoutLockFile => ProvisionDocument::InstalledWithoutLockFile {},
            Provision::Cached { key } => ProvisionDocument::Cached { key },
        };
        Self { command: value.command.clone(), provision }
    }
}

impl From<SetUpDocument> for SetUp {
    fn from(document: SetUpDocument) -> Self {
        let provision = match document.provision {
            ProvisionDocument::Installed { key } => Provision::Installed { key },
            ProvisionDocument::InstalledWithoutLockFile {} => Provision::InstalledWithoutLockFile,
            ProvisionDocument::Cached { key } => Provision::Cached { key },
        };
        Self { command: document.command, provision }
    }
}
