//! Waivers that a run found, in documents.

use referee_model::circumstances::waiver::{Waiver, WaiverScope, WaiverStanding};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// A waiver that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WaiverDocument {
    /// Its id.
    id: String,
    /// What it lifts.
    scope: WaiverScopeDocument,
    /// Why.
    reason: String,
    /// Who gave it, as the waiver says.
    person: String,
    /// When it was given.
    #[schemars(with = "form::Time")]
    given: Timestamp,
    /// Until when it holds.
    #[schemars(with = "form::Time")]
    until: Timestamp,
    /// SHA-256 of the signed document.
    #[schemars(with = "form::Sha256")]
    digest: String,
    /// Whether it may be believed.
    standing: WaiverStandingDocument,
}

impl From<&Waiver> for WaiverDocument {
    fn from(value: &Waiver) -> Self {
        Self {
            id: value.id.clone(),
            scope: (&value.scope).into(),
            reason: value.reason.clone(),
            person: value.person.clone(),
            given: value.given,
            until: value.until,
            digest: value.digest.clone(),
            standing: (&value.standing).into(),
        }
    }
}

impl From<WaiverDocument> for Waiver {
    fn from(document: WaiverDocument) -> Self {
        Self {
            id: document.id,
            scope: document.scope.into(),
            reason: document.reason,
            person: document.person,
            given: document.given,
            until: document.until,
            digest: document.digest,
            standing: document.standing.into(),
        }
    }
}

/// What a waiver lifts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum WaiverScopeDocument {
    /// What blocks of one action, by id or name.
    Action {
        /// The task. Null: in every task.
        task: Option<String>,
        /// Its id or name.
        action: String,
    },
    /// The findings of one rule of a tool.
    Rule {
        /// The tool.
        tool: String,
        /// The rule or code.
        rule: String,
    },
    /// The drift of one protected file, and the suppressions in it.
    File {
        /// The file, relative to the workspace.
        path: String,
    },
    /// One way in which the specification asks for less.
    Weakening {
        /// What it is about.
        subject: String,
    },
}

impl From<&WaiverScope> for WaiverScopeDocument {
    fn from(value: &WaiverScope) -> Self {
        match value {
            WaiverScope::Action { task, action } => Self::Action { task: task.clone(), action: action.clone() },
            WaiverScope::Rule { tool, rule } => Self::Rule { tool: tool.clone(), rule: rule.clone() },
            WaiverScope::File { path } => Self::File { path: path.clone() },
            WaiverScope::Weakening { subject } => Self::Weakening { subject: subject.clone() },
        }
    }
}

impl From<WaiverScopeDocument> for WaiverScope {
    fn from(document: WaiverScopeDocument) -> Self {
        match document {
            WaiverScopeDocument::Action { task, action } => Self::Action { task, action },
            WaiverScopeDocument::Rule { tool, rule } => Self::Rule { tool, rule },
            WaiverScopeDocument::File { path } => Self::File { path },
            WaiverScopeDocument::Weakening { subject } => Self::Weakening { subject },
        }
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
            WaiverStanding::Signed { key, approver } => Self::Signed { key: key.clone(), approver: approver.clone() },
            WaiverStanding::Refused { reason } => Self::Refused { reason: reason.clone() },
        }
    }
}

impl From<WaiverStandingDocument> for WaiverStanding {
    fn from(document: WaiverStandingDocument) -> Self {
        match document {
            WaiverStandingDocument::Signed { key, approver } => Self::Signed { key, approver },
            WaiverStandingDocument::Refused { reason } => Self::Refused { reason },
        }
    }
}
