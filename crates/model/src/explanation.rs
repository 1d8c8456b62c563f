//! Explanations of results, as `referee explain` prints them in addition to the report. Numbers of the report are
//! not repeated here, so that the two cannot contradict each other.

use serde::Serialize;

use crate::id::ActionId;
use crate::outcome::Rule;
use crate::plan::Role;
use crate::verdict::Truth;

/// Explanation of an action's result and its effect on the task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionExplanation {
    /// Id of the action.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Role of the command and how it was inferred. None: the action is not a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<RoleTold>,
    /// The reader of the output, and whether its findings could fail the action. None: the action has no output
    /// that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// The rule that decided. None: the action did not run, or its result does not count.
    #[serde(skip)]
    pub rule: Option<Rule>,
    /// Steps by which the policy weighed the findings, one sentence each. Empty: there were no findings.
    pub policy: Vec<String>,
    /// Reason why it did not run. None: it ran.
    #[serde(skip)]
    pub skipped: Option<String>,
    /// Effects on the task, one sentence each.
    pub task: Vec<String>,
    /// Conditions of the task that refer to the action.
    pub conditions: Vec<ConditionTold>,
    /// Next step for the user. None: nothing to do for this action.
    pub next: Option<String>,
}

/// The role of a command and how it was inferred (ruling 9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleTold {
    /// The role.
    pub role: Role,
    /// How the role was inferred.
    pub because: String,
    /// A sentence saying that the declared role differs from the tool's role, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<String>,
}

/// A condition of the task and its result (ruling 14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConditionTold {
    /// Kind of the condition.
    pub kind: ConditionKind,
    /// Source text of the condition.
    pub condition: String,
    /// Result of the condition.
    pub truth: Truth,
    /// Whether the result prevents a pass.
    pub against: bool,
    /// Reason of the result.
    pub reason: String,
}

words! {
    /// Kind of condition.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub enum ConditionKind {
        /// A condition that must be met.
        Success = "success condition",
        /// A condition that must not be met.
        Failure = "failure condition",
        /// Expected output and exit code of the last command.
        ExpectedOutput = "expected output",
    }
}

/// Explanation of a task's result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskExplanation {
    /// Every action in plan order, with its effect on the task.
    pub actions: Vec<ActionStanding>,
    /// Conditions and expected outputs, in order.
    pub conditions: Vec<ConditionTold>,
    /// Whether the task is complete, and the reason.
    pub completion: String,
}

/// The effect of one action on its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionStanding {
    /// Id of the action.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Name of the action.
    pub name: String,
    /// Effect on the task.
    pub stand: Stand,
    /// The rule that decided. None: the action did not run.
    pub rule: Option<Rule>,
    /// Reason, in one sentence.
    pub reason: String,
}

document_words! {
    /// Effect of an action on its task.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    pub enum Stand {
        /// Prevents a pass.
        Against = "against",
        /// Did not succeed and counts as passed: allowed by policy, or expected.
        Allowed = "allowed",
        /// Succeeded.
        For = "for",
        /// Does not count: cleanup that failed, or an action left out of a reduced run.
        NotCounted = "not-counted",
    }
}
