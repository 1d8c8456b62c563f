//! Waivers that a run found, in documents.

use referee_model::circumstances::waiver::{Waiver, WaiverStanding};
use referee_model::id::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;
use crate::waiver::TermsDocument;

/// A waiver that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WaiverDocument {
    /// Its id; of what is no waiver the name of its file.
    id: String,
    /// SHA-256 of its file. Null: it could not be read.
    #[schemars(with = "Option<form::Sha256>")]
    digest: Option<Digest>,
    /// Whether it may be believed.
    standing: WaiverStandingDocument,
}

impl From<&Waiver> for WaiverDocument {
    fn from(value: &Waiver) -> Self {
        Self { id: value.id.clone(), digest: value.digest, standing: (&value.standing).into() }
    }
}

impl From<WaiverDocument> for Waiver {
    fn from(document: WaiverDocument) -> Self {
        Self { id: document.id, digest: document.digest, standing: document.standing.into() }
    }
}

/// Whether a waiver may be believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum WaiverStandingDocument {
    /// Its signature is that of a key that is trusted to approve.
    Signed {
        /// The key's id.
        key: String,
        /// Whose key it is, by the trust store.
        approver: String,
        /// What was signed.
        terms: TermsDocument,
    },
    /// It lifts nothing.
    Refused {
        /// Why.
        reason: String,
    },
}

impl From<&WaiverStanding> for WaiverStandingDocument {
    fn from(value: &WaiverStanding) -> Self {
        match value {
            WaiverStanding::Signed { key, approver, terms } => {
                Self::Signed { key: key.clone(), approver: approver.clone(), terms: terms.into() }
            }
            WaiverStanding::Refused { reason } => Self::Refused { reason: reason.clone() },
        }
    }
}

impl From<WaiverStandingDocument> for WaiverStanding {
    fn from(document: WaiverStandingDocument) -> Self {
        match document {
            WaiverStandingDocument::Signed { key, approver, terms } => {
                Self::Signed { key, approver, terms: terms.into() }
            }
            WaiverStandingDocument::Refused { reason } => Self::Refused { reason },
        }
    }
}
