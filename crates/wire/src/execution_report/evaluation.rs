//! What was evaluated beyond single actions: conditions and completion.

use referee_model::plan::{Completion, EvidenceKind};
use referee_model::verdict::{CompletionEvaluation, Decision, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::form;
use crate::number::{Count, Percent};

/// Conditions over actions. The short form has none, so what is left is the decision.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(super) struct ValidationCriteria {
    success_conditions: SuccessConditions,
    failure_conditions: FailureConditions,
    overall_result: OverallResult,
    reason: String,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct SuccessConditions {
    total: Count,
    met: Count,
    failed: Count,
    details: Vec<Condition>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct FailureConditions {
    total: Count,
    triggered: Count,
    details: Vec<Condition>,
}

/// A condition; no specification that can be read holds one.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
enum Condition {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum OverallResult {
    Passed,
    Failed,
    Blocked,
}

/// Whether the task is complete, and by what measure.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(super) struct CompletionCriteria {
    all_steps_must_pass: bool,
    /// In percent.
    #[schemars(with = "Percent")]
    minimum_pass_rate: f64,
    /// Steps that succeeded or failed without blocking, in percent of those that ran. Null: none ran.
    actual_pass_rate: Option<Percent>,
    /// Passed tests in percent of those that ran. Null: none is known to have run.
    test_pass_rate: Option<Percent>,
    required_evidence: RequiredEvidence,
    task_status_lock: bool,
    completion_status: CompletionStatus,
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RequiredEvidence {
    #[schemars(with = "Vec<form::EvidenceKind>")]
    required: Vec<EvidenceKind>,
    #[schemars(with = "Vec<form::EvidenceKind>")]
    collected: Vec<EvidenceKind>,
    #[schemars(with = "Vec<form::EvidenceKind>")]
    missing: Vec<EvidenceKind>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum CompletionStatus {
    Complete,
    Incomplete,
}

impl ValidationCriteria {
    pub(super) fn new(verdict: &Verdict) -> Self {
        Self {
            success_conditions: SuccessConditions::default(),
            failure_conditions: FailureConditions::default(),
            overall_result: match verdict.decision {
                Decision::Pass => OverallResult::Passed,
                Decision::Fail => OverallResult::Failed,
                Decision::Blocked => OverallResult::Blocked,
            },
            reason: verdict.reasons.first().cloned().unwrap_or_default(),
        }
    }
}

impl CompletionCriteria {
    pub(super) fn new(asked: &Completion, found: &CompletionEvaluation) -> Self {
        Self {
            all_steps_must_pass: asked.all_steps_must_pass,
            minimum_pass_rate: asked.minimum_pass_rate,
            actual_pass_rate: found.pass_rate.map(Percent::from),
            test_pass_rate: found.test_pass_rate.map(Percent::from),
            required_evidence: RequiredEvidence {
                required: asked.required_evidence.clone(),
                collected: found.evidence_collected.clone(),
                missing: found.evidence_missing.clone(),
            },
            task_status_lock: asked.task_status_lock,
            completion_status: if found.complete { CompletionStatus::Complete } else { CompletionStatus::Incomplete },
            reason: found.reason.clone(),
        }
    }
}
