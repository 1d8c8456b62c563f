//! How commands were confined, in documents.

use referee_model::circumstances::confinement::{Confinement, Enforcement, FileConfinement, Limit, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// How commands were confined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ConfinementDocument {
    /// What keeps them from writing elsewhere.
    files: FileConfinementDocument,
    /// The folders that they could write to, in order.
    writable: Vec<String>,
    /// What limits them, and who enforces it.
    limits: Vec<LimitDocument>,
}

impl From<&Confinement> for ConfinementDocument {
    fn from(value: &Confinement) -> Self {
        Self {
            files: (&value.files).into(),
            writable: value.writable.clone(),
            limits: value.limits.iter().map(Into::into).collect(),
        }
    }
}

impl From<ConfinementDocument> for Confinement {
    fn from(document: ConfinementDocument) -> Self {
        Self {
            files: document.files.into(),
            writable: document.writable,
            limits: document.limits.into_iter().map(Into::into).collect(),
        }
    }
}

/// What keeps commands from writing where they may not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum FileConfinementDocument {
    /// Nothing, and nobody asked for it.
    NotAskedFor {},
    /// Landlock, of this version of its interface.
    Landlock {
        /// The version.
        abi: u32,
    },
    /// Nothing, although it was asked for.
    Missing {
        /// Why.
        reason: String,
    },
}

impl From<&FileConfinement> for FileConfinementDocument {
    fn from(value: &FileConfinement) -> Self {
        match value {
            FileConfinement::NotAskedFor => Self::NotAskedFor {},
            FileConfinement::Landlock { abi } => Self::Landlock { abi: *abi },
            FileConfinement::Missing { reason } => Self::Missing { reason: reason.clone() },
        }
    }
}

impl From<FileConfinementDocument> for FileConfinement {
    fn from(document: FileConfinementDocument) -> Self {
        match document {
            FileConfinementDocument::NotAskedFor {} => Self::NotAskedFor,
            FileConfinementDocument::Landlock { abi } => Self::Landlock { abi },
            FileConfinementDocument::Missing { reason } => Self::Missing { reason },
        }
    }
}

/// One limit on what a command may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LimitDocument {
    /// Of what.
    #[schemars(with = "form::Resource")]
    resource: Resource,
    /// How much: bytes, or a number of processes.
    value: u64,
    /// Who enforces it.
    #[schemars(with = "form::Enforcement")]
    enforced_by: Enforcement,
}

impl From<&Limit> for LimitDocument {
    fn from(value: &Limit) -> Self {
        Self { resource: value.resource, value: value.value, enforced_by: value.enforced_by }
    }
}

impl From<LimitDocument> for Limit {
    fn from(document: LimitDocument) -> Self {
        Self { resource: document.resource, value: document.value, enforced_by: document.enforced_by }
    }
}
