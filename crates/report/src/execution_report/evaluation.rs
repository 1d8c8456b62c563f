//! Results beyond single actions: conditions and completion.

use referee_model::plan::{Completion, EvidenceKind};
use referee_model::verdict::{CompletionEvaluation, Decision, Verdict};
use serde::Serialize;

use referee_model::number::Percent;

use super::condition::{self, FailureConditions, SuccessConditions};

/// Results of the conditions over actions; never better than the decision.
#[document]
pub(super) struct ValidationCriteria {
    /// Conditions that must be true for the task to pass.
    success_conditions: SuccessConditions,
    /// Conditions that must not be true for the task to pass.
    failure_conditions: FailureConditions,
    /// Conditions on the output and exit code of the last step that runs a command, one for each expectation.
    expected_output: SuccessConditions,
    /// `PASSED` for a pass with no condition against it, `BLOCKED` for a blocked run, otherwise `FAILED`.
    overall_result: OverallResult,
    /// Conditions that keep the run from passing, in words; where there are none, the first reason of the decision.
    reason: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum OverallResult {
    Passed,
    Failed,
    Blocked,
}

/// Whether the task is complete, and by which measure.
#[document(nulls)]
pub(super) struct CompletionCriteria {
    /// Whether the specification demands that every step pass, or fail without blocking.
    all_steps_must_pass: bool,
    /// Minimum pass rate of the steps in percent, which applies where not all of them must pass.
    #[cfg_attr(feature = "schema", schemars(with = "Percent"))]
    minimum_pass_rate: f64,
    /// Steps that succeeded or failed without blocking, in percent of those that ran. Null: none ran.
    actual_pass_rate: Option<Percent>,
    /// Passed tests in percent of those that ran. Null: none is known to have run.
    test_pass_rate: Option<Percent>,
    /// Kinds of evidence that the specification requires, and which of them exist.
    required_evidence: RequiredEvidence,
    /// Whether only a judged run may change the status of the task.
    task_status_lock: bool,
    /// `COMPLETE` where nothing keeps the task from being done, otherwise `INCOMPLETE`.
    completion_status: CompletionStatus,
    /// Why the task is complete, or the first thing that keeps it from being so.
    reason: String,
}

#[document]
struct RequiredEvidence {
    /// Kinds of evidence that the specification requires.
    required: Vec<EvidenceKind>,
    /// Kinds of evidence that the run collected, required or not.
    collected: Vec<EvidenceKind>,
    /// Required kinds that the run should have collected and did not.
    missing: Vec<EvidenceKind>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum CompletionStatus {
    Complete,
    Incomplete,
}

impl ValidationCriteria {
    pub(super) fn new(verdict: &Verdict) -> Self {
        let against = condition::against(&verdict.criteria);
        Self {
            success_conditions: SuccessConditions::new(&verdict.criteria.success),
            failure_conditions: FailureConditions::new(&verdict.criteria.failure),
            expected_output: SuccessConditions::new(&verdict.criteria.expected_output),
            overall_result: match verdict.decision {
                Decision::Pass if against.is_empty() => OverallResult::Passed,
                Decision::Pass | Decision::Fail => OverallResult::Failed,
                Decision::Blocked => OverallResult::Blocked,
            },
            reason: if against.is_empty() {
                verdict.reasons.first().cloned().unwrap_or_default()
            } else {
                against.join("; ")
            },
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
