//! Why an action or a task came out as it did, beside what its report says: what `referee explain` answers with. Numbers
//! are never repeated in here; they stand in the report, so that the two cannot contradict each other.

use serde::Serialize;

use crate::id::ActionId;
use crate::outcome::Rule;
use crate::plan::Role;
use crate::verdict::Truth;

/// Why one action came out as it did, and what that means for its task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionExplanation {
    /// The action.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// The role of a command, and how it was told. None: it is no command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<RoleTold>,
    /// Whose output was read, and whether what was read could convict. None: it prints nothing that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// What decided. None: it never ran, or what came of it does not count.
    #[serde(skip)]
    pub rule: Option<Rule>,
    /// What the policy made of findings, a sentence a step. Empty: there were none to weigh.
    pub policy: Vec<String>,
    /// Why it never ran. None: it ran.
    #[serde(skip)]
    pub skipped: Option<String>,
    /// What it means for the task, a sentence each.
    pub task: Vec<String>,
    /// Conditions of the task that speak of it.
    pub conditions: Vec<ConditionTold>,
    /// What to do next. None: nothing, as far as this action is concerned.
    pub next: Option<String>,
}

/// The role of a command, and how it was told (ruling 9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleTold {
    /// The role.
    pub role: Role,
    /// How it was told.
    pub because: String,
    /// Where the declared role is not that of the tool: a sentence that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<String>,
}

/// A condition of the task, and what it came to (ruling 14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConditionTold {
    /// What kind of condition.
    pub kind: ConditionKind,
    /// As it is written.
    pub condition: String,
    /// What it comes to.
    pub truth: Truth,
    /// Whether it stands against a pass.
    pub against: bool,
    /// Why it comes to this.
    pub reason: String,
}

/// Kinds of conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ConditionKind {
    /// It must be met.
    Success,
    /// It must not be.
    Failure,
    /// What the last command must have printed and exited with.
    ExpectedOutput,
}

impl ConditionKind {
    /// Returns the kind as people call it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success condition",
            Self::Failure => "failure condition",
            Self::ExpectedOutput => "expected output",
        }
    }
}

/// Why a task came out as it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskExplanation {
    /// Every action in plan order, with what it counts for.
    pub actions: Vec<ActionStanding>,
    /// Conditions and expected outputs, in order.
    pub conditions: Vec<ConditionTold>,
    /// Whether the task is complete, and why.
    pub completion: String,
}

/// What one action counts for in its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionStanding {
    /// The action.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Its name.
    pub name: String,
    /// What it counts for.
    pub stand: Stand,
    /// What decided. None: it never ran.
    pub rule: Option<Rule>,
    /// Why, in a sentence.
    pub reason: String,
}

/// What an action counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stand {
    /// It stands against a pass.
    Against,
    /// It did not succeed, and counts as passed: policy allows it, or it is expected.
    Allowed,
    /// It succeeded.
    For,
    /// It does not count: cleanup that failed, or an action that a reduced run left out.
    NotCounted,
}

impl Stand {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Against => "against",
            Self::Allowed => "allowed",
            Self::For => "for",
            Self::NotCounted => "not-counted",
        }
    }
}
