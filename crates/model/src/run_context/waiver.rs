//! A person's word that one named thing shall not block for a while (design, "Lock").

use serde::{Deserialize, Serialize};

use crate::id::Digest;
use crate::time::Timestamp;

/// A waiver that was found, believed or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Waiver {
    /// Its id; of what is no waiver the name of its file.
    pub id: String,
    /// SHA-256 of its file. None: it could not be read.
    pub digest: Option<Digest>,
    /// Whether it may be believed.
    pub standing: WaiverStanding,
}

/// Whether a waiver may be believed. Its time is held against the run's start by the judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum WaiverStanding {
    /// Its signature is that of a key that is trusted to approve.
    Signed {
        /// The key's id.
        key: String,
        /// Whose key it is, by the trust store.
        approver: String,
        /// What was signed.
        terms: WaiverTerms,
    },
    /// It lifts nothing.
    Refused {
        /// Why.
        reason: String,
    },
}

/// What a waiver says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaiverTerms {
    /// Step, rule, file or weakening that is waived.
    pub scope: WaiverScope,
    /// Why the waiver was given, in the words of the person who gave it.
    pub reason: String,
    /// Who gave it, as the waiver says.
    pub person: String,
    /// When it was given: it holds from then on.
    pub given: Timestamp,
    /// When it ends: it no longer holds then.
    pub until: Timestamp,
}

/// What a waiver lifts. Nothing is lifted that is not named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum WaiverScope {
    /// What blocks of one step, by id or name.
    Action {
        /// The task. None: in every task.
        task: Option<String>,
        /// Id or name of the step.
        action: String,
    },
    /// The findings of one rule of a tool.
    Rule {
        /// Name of the tool whose findings are waived.
        tool: String,
        /// Rule or code, as the tool names it.
        rule: String,
    },
    /// The drift of one protected file, and the suppressions in it.
    File {
        /// The file, relative to the workspace.
        path: String,
    },
    /// One way in which the specification asks for less.
    Weakening {
        /// Name of the check, tool or key that asks for less.
        subject: String,
    },
}

impl WaiverScope {
    /// Says what it lifts, in a few words.
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
    /// Returns what it says, where that may be believed.
    pub fn terms(&self) -> Option<&WaiverTerms> {
        match &self.standing {
            WaiverStanding::Signed { terms, .. } => Some(terms),
            WaiverStanding::Refused { .. } => None,
        }
    }
}

/// What became of a waiver in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaiverUse {
    /// The waiver.
    pub waiver: Waiver,
    /// What became of it.
    pub state: WaiverState,
    /// What it was applied to, in plan order; for a person.
    pub applied_to: Vec<String>,
}

/// What became of a waiver in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaiverState {
    /// Something does not block because of it.
    Applied,
    /// It holds, and nothing blocked that it names.
    Unused,
    /// The run began before it was given.
    NotYet,
    /// The run began when it had ended.
    Expired,
    /// It is not believed.
    Refused,
}

impl WaiverState {
    /// Returns the word, as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Unused => "unused",
            Self::NotYet => "not-yet",
            Self::Expired => "expired",
            Self::Refused => "refused",
        }
    }
}

impl WaiverUse {
    /// Says what a reader of the verdict must know of it, in one sentence.
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
