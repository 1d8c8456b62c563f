//! What a waiver lifts, in documents.

use referee_model::circumstances::waiver::WaiverScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
