//! Conditions, in documents.

use referee_model::condition::{self, Condition};
use referee_model::plan::{Criteria, ExpectedOutput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CriteriaDocument {
    /// Each must be met.
    success_conditions: Vec<ConditionDocument>,
    /// None may be triggered.
    failure_conditions: Vec<ConditionDocument>,
    /// What the last step that runs a command must have printed and exited with. Null: anything.
    expected_output: Option<ExpectedOutput>,
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

impl From<&Criteria> for CriteriaDocument {
    fn from(criteria: &Criteria) -> Self {
        Self {
            success_conditions: criteria.success.iter().map(ConditionDocument::from).collect(),
            failure_conditions: criteria.failure.iter().map(ConditionDocument::from).collect(),
            expected_output: criteria.expected_output.clone(),
        }
    }
}

impl From<&Condition> for ConditionDocument {
    fn from(condition: &Condition) -> Self {
        Self { condition: condition.text.clone(), description: condition.description.clone() }
    }
}

impl TryFrom<CriteriaDocument> for Criteria {
    type Error = String;

    fn try_from(document: CriteriaDocument) -> Result<Self, String> {
        let conditions = |listed: Vec<ConditionDocument>| listed.into_iter().map(Condition::try_from).collect();
        let success: Result<_, String> = conditions(document.success_conditions);
        Ok(Self {
            success: success?,
            failure: conditions(document.failure_conditions)?,
            expected_output: document.expected_output,
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
