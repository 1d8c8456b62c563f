//! Question to a planner program and its answer: JSON on its standard input and standard output (seed 3).
//!
//! A planner may answer with the complete revised draft, or only with the keys that it changes. Keys that it
//! may not change (facts, times, the planner) are ignored.

use crate::incident::id::IncidentId;
use crate::incident::remediation::{Confidence, RemediationPlan, Verification};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::incident::IncidentDocument;

const VERSION: &str = "1.0.0";

/// Question to a planner.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee question to a planner", deny_unknown_fields))]
pub struct PlannerQuestion<'question> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    planner_version: &'static str,
    /// Incident, as in `incident.json`.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, Value>"))]
    incident: &'question IncidentDocument,
    /// Judged diagnostics of the failed run, as stored in the incident's directory. Null: there are none.
    diagnostics: &'question Value,
    /// Checks that the planner may use for verification. Any other command needs separate approval by a person.
    checks: Vec<Verification>,
    /// Plan made by the rules, with all evidence.
    plan: &'question RemediationPlan,
}

/// Creates the question to a planner.
pub fn question<'question>(
    incident: &'question IncidentDocument,
    diagnostics: &'question Value,
    checks: Vec<Verification>,
    plan: &'question RemediationPlan,
) -> PlannerQuestion<'question> {
    PlannerQuestion { planner_version: VERSION, incident, diagnostics, checks, plan }
}

/// Answer of a planner. Keys that are left out keep the values of the draft; unknown keys are ignored.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee answer of a planner"))]
#[serde(default)]
pub struct PlannerAnswer {
    /// Id of the incident that the plan is for. An answer for another incident is refused.
    pub incident_id: Option<IncidentId>,
    /// Description of the problem in one sentence.
    pub summary: Option<String>,
    /// Confidence in the plan, from 0 to 1. The quality of the evidence limits it.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub confidence_score: Option<f64>,
    /// Name of the model that the planner used.
    pub model: Option<String>,
    /// Rows of evidence. Those of the draft stay unchanged; others are added as inferences while there is room.
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub evidence: Vec<AnswerRow>,
    /// Hypotheses about the cause. Left out: those of the draft.
    pub root_cause_hypotheses: Option<Vec<AnswerHypothesis>>,
    /// Open questions about the cause. Left out: those of the draft.
    pub unknowns: Option<Vec<String>>,
    /// Actions in the order to take them. Left out: those of the draft.
    pub actions: Option<Vec<AnswerAction>>,
    /// Verification commands: command lines, or ids of checks. Failed checks and commands always run, even if
    /// not listed.
    pub verification_commands: Option<Vec<String>>,
    /// Conditions under which the incident is resolved. Left out: those of the draft.
    pub done_criteria: Option<Vec<String>>,
    /// Steps that undo the repair. Left out: those of the draft.
    pub rollback: Option<Vec<String>>,
    /// Risks of the repair, in prose. Left out: those of the draft.
    pub risk_summary: Option<String>,
}

/// Row of evidence in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerRow {
    /// Id by which hypotheses cite the row.
    pub id: String,
    /// Text of the row.
    pub excerpt: String,
}

/// Hypothesis in an answer. Its id follows from its position.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerHypothesis {
    /// Confidence in the hypothesis: low, medium or high.
    pub confidence: Confidence,
    /// The cause, in a sentence.
    pub reason: String,
    /// Ids of the rows of evidence that support the hypothesis.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub evidence_ids: Vec<String>,
    /// Information that is missing for certainty.
    #[serde(default)]
    pub gaps: Vec<String>,
}

/// Action in an answer. Its id follows from its position.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerAction {
    /// What is to be done, in one line.
    pub title: String,
    /// Priority `P0` to `P9`; `P0` is the most urgent.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^P[0-9]$")))]
    pub priority: String,
    /// Risk that the action breaks something else.
    pub risk: Confidence,
    /// Files and directories that the action concerns, relative to the workspace.
    #[serde(default)]
    pub target_paths: Vec<String>,
    /// Verification commands that show whether the action worked.
    #[serde(default)]
    pub verification: Vec<String>,
}

impl AnswerAction {
    /// Returns the number in the priority, 0 to 9; 0 is the most urgent.
    pub fn urgency(&self) -> u8 {
        self.priority.strip_prefix('P').and_then(|digits| digits.parse().ok()).unwrap_or(9)
    }
}
