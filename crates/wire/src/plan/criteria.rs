//! Conditions, completion and debt, in documents.

use referee_model::condition::{self, Condition};
use referee_model::plan::{Completion, Criteria, DebtPolicy, DebtRouting, EvidenceKind, ExpectedOutput};
use referee_model::severity::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CriteriaDocument {
    /// Each must be met.
    success_conditions: Vec<ConditionDocument>,
    /// None may be triggered.
    failure_conditions: Vec<ConditionDocument>,
    /// What the last step that runs a command must have printed and exited with. Null: anything.
    expected_output: Option<ExpectedOutputDocument>,
}

/// A condition over the actions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ConditionDocument {
    /// As it is written.
    condition: String,
    /// What it is for, in the author's words.
    description: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExpectedOutputDocument {
    /// Texts that must occur in its standard output.
    stdout_contains: Vec<String>,
    /// Whether its standard error must be empty, or must not be. Null: either.
    stderr_empty: Option<bool>,
    /// Its exit code. Null: any.
    exit_code: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CompletionDocument {
    /// Whether every step must pass, or fail without blocking.
    all_steps_must_pass: bool,
    /// Least pass rate of the steps where not all must pass, in percent.
    #[schemars(range(min = 0, max = 100))]
    minimum_pass_rate: f64,
    /// Kinds of evidence that must have been collected.
    #[schemars(with = "Vec<form::EvidenceKind>")]
    required_evidence: Vec<EvidenceKind>,
    /// Whether the task's status may only be changed by a judged run.
    task_status_lock: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DebtDocument {
    /// Whether debt is kept at all.
    enabled: bool,
    /// How items find their place.
    #[schemars(with = "form::DebtRouting")]
    routing_strategy: DebtRouting,
    /// Most items in the sprint.
    sprint_tasks_max_items: u32,
    /// Most critical items in the sprint.
    sprint_tasks_max_critical: u32,
    /// Severities that leave items.
    #[schemars(with = "Vec<form::Severity>")]
    severity_levels: Vec<Severity>,
}

impl From<&Criteria> for CriteriaDocument {
    fn from(criteria: &Criteria) -> Self {
        let output = |output: &ExpectedOutput| ExpectedOutputDocument {
            stdout_contains: output.stdout_contains.clone(),
            stderr_empty: output.stderr_empty,
            exit_code: output.exit_code,
        };
        Self {
            success_conditions: criteria.success.iter().map(ConditionDocument::from).collect(),
            failure_conditions: criteria.failure.iter().map(ConditionDocument::from).collect(),
            expected_output: criteria.expected_output.as_ref().map(output),
        }
    }
}

impl From<&Condition> for ConditionDocument {
    fn from(condition: &Condition) -> Self {
        Self { condition: condition.text.clone(), description: condition.description.clone() }
    }
}

impl From<&Completion> for CompletionDocument {
    fn from(completion: &Completion) -> Self {
        Self {
            all_steps_must_pass: completion.all_steps_must_pass,
            minimum_pass_rate: completion.minimum_pass_rate,
            required_evidence: completion.required_evidence.clone(),
            task_status_lock: completion.task_status_lock,
        }
    }
}

impl From<&DebtPolicy> for DebtDocument {
    fn from(debt: &DebtPolicy) -> Self {
        Self {
            enabled: debt.enabled,
            routing_strategy: debt.routing,
            sprint_tasks_max_items: debt.sprint_items_max,
            sprint_tasks_max_critical: debt.sprint_critical_max,
            severity_levels: debt.severities.clone(),
        }
    }
}

impl TryFrom<CriteriaDocument> for Criteria {
    type Error = String;

    fn try_from(document: CriteriaDocument) -> Result<Self, String> {
        let conditions = |listed: Vec<ConditionDocument>| listed.into_iter().map(Condition::try_from).collect();
        let output = |output: ExpectedOutputDocument| ExpectedOutput {
            stdout_contains: output.stdout_contains,
            stderr_empty: output.stderr_empty,
            exit_code: output.exit_code,
        };
        let success: Result<_, String> = conditions(document.success_conditions);
        Ok(Self {
            success: success?,
            failure: conditions(document.failure_conditions)?,
            expected_output: document.expected_output.map(output),
        })
    }
}

impl TryFrom<ConditionDocument> for Condition {
    type Error = String;

    fn try_from(document: ConditionDocument) -> Result<Self, String> {
        let expression = condition::parse(&document.condition)
            .map_err(|error| format!("`{}` is no condition: {error}", document.condition))?;
        Ok(Self { text: document.condition, description: document.description, expression })
    }
}

impl From<CompletionDocument> for Completion {
    fn from(document: CompletionDocument) -> Self {
        Self {
            all_steps_must_pass: document.all_steps_must_pass,
            minimum_pass_rate: document.minimum_pass_rate,
            required_evidence: document.required_evidence,
            task_status_lock: document.task_status_lock,
        }
    }
}

impl From<DebtDocument> for DebtPolicy {
    fn from(document: DebtDocument) -> Self {
        Self {
            enabled: document.enabled,
            routing: document.routing_strategy,
            sprint_items_max: document.sprint_tasks_max_items,
            sprint_critical_max: document.sprint_tasks_max_critical,
            severities: document.severity_levels,
        }
    }
}
