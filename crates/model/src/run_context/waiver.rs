//! A person's decision that one named thing does not block for a limited time (design, "Lock").

use serde::{Deserialize, Serialize};

use crate::id::Digest;
use crate::time::Timestamp;

/// A waiver that was found, valid or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Waiver {
    /// Id of the waiver; the file name if the file is not a valid waiver.
    pub id: String,
    /// SHA-256 of the waiver's file. None: the file could not be read.
    pub digest: Option<Digest>,
    /// Whether the waiver is trusted.
    pub standing: WaiverStanding,
}

/// Whether a waiver is trusted. The judge compares its period of validity with the start of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum WaiverStanding {
    /// Signed with a key that is trusted to approve.
    Signed {
        /// Id of the key.
        key: String,
        /// Owner of the key, according to the trust store.
        approver: String,
        /// Signed terms of the waiver.
        terms: WaiverTerms,
    },
    /// The waiver is refused and lifts nothing.
    Refused {
        /// Reason for the refusal.
        reason: String,
    },
}

/// Terms of a waiver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaiverTerms {
    /// Step, rule, file or weakening that is waived.
    pub scope: WaiverScope,
    /// Reason for the waiver, in the words of the person who gave it.
    pub reason: String,
    /// Name that the person gave.
    pub person: String,
    /// Start of the waiver's validity: the time at which it was given.
    pub given: Timestamp,
    /// End of the waiver's validity, exclusive.
    pub until: Timestamp,
}

/// Scope of a waiver. Nothing is lifted that the scope does not name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum WaiverScope {
    /// Everything that blocks in one step.
    Action {
        /// Id of the task. None: the step of every task.
        task: Option<String>,
        /// Id or name of the step.
        action: String,
    },
    /// Findings of one rule of a tool.
    Rule {
        /// Name of the tool whose findings are waived.
        tool: String,
        /// Rule or code, as the tool spells it.
        rule: String,
    },
    /// Drift of one protected file, and the suppressions in it.
    File {
        /// The file, relative to the workspace.
        path: String,
    },
    /// One weakened requirement of the specification.
    Weakening {
        /// Name of the check, tool or key whose requirement became weaker.
        subject: String,
    },
}

impl WaiverScope {
    /// Returns a short description of the scope.
    pub fn said(&self) -> String {
        match self {
            Self::Action { task: None, action } => format!("the step {action}"),
            Self::Action { task: Some(task), action } => format!("the step {action} of {task}"),
            Self::Rule { tool, rule } => format!("findings of {tool}:{rule}"),
            Self::File { path } => format!("changes of {path}"),
            Self::Weakening { subject } => format!("the weaker specification of {subject}"),
        }
    }
}

impl Waiver {
    /// Returns the terms of the waiver if it is trusted.
    pub fn terms(&self) -> Option<&WaiverTerms> {
        match &self.standing {
            WaiverStanding::Signed { terms, .. } => Some(terms),
            WaiverStanding::Refused { .. } => None,
        }
    }
}

/// Use of a waiver in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaiverUse {
    /// The waiver.
    pub waiver: Waiver,
    /// State of the waiver in the run.
    pub state: WaiverState,
    /// Descriptions of everything that the waiver was applied to, in plan order.
    pub applied_to: Vec<String>,
}

document_words! {
    /// State of a waiver in one run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum WaiverState {
        /// The waiver kept something from blocking.
        Applied = "applied",
        /// The waiver is valid, but nothing in its scope blocked.
        Unused = "unused",
        /// The run began before the waiver was given.
        NotYet = "not-yet",
        /// The waiver had already ended when the run began.
        Expired = "expired",
        /// The waiver is not trusted.
        Refused = "refused",
    }
}

impl WaiverUse {
    /// Returns a sentence for readers of the verdict.
    pub fn sentence(&self) -> String {
        let id = &self.waiver.id;
        let terms = match &self.waiver.standing {
            WaiverStanding::Refused { reason } => return format!("the waiver {id} is refused: {reason}"),
            WaiverStanding::Signed { terms, .. } => terms,
        };
        let WaiverTerms { scope, reason, person, given, until } = terms;
        match self.state {
            WaiverState::Applied => {
                let what = self.applied_to.join(", ");
                format!("WAIVED {what}: by {person} until {until} ({id}): {reason}")
            }
            WaiverState::Unused => {
                format!("the waiver {id} for {} is not used: nothing that it names blocked", scope.said())
            }
            WaiverState::NotYet => format!("the waiver {id} for {} holds only from {given} on", scope.said()),
            WaiverState::Expired => format!("the waiver {id} for {} ended at {until}", scope.said()),
            WaiverState::Refused => format!("the waiver {id} is refused"),
        }
    }
}
