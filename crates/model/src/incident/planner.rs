//! What a planner program is asked, and what it may answer: JSON on its standard input, JSON on its standard output (seed 3).
//!
//! It may answer with the draft as it would have it, or with the keys alone that it changes. What it cannot change (facts,
//! times, who planned) is passed over.

use crate::incident::id::IncidentId;
use crate::incident::remediation::{Confidence, RemediationPlan, Verification};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::incident::IncidentDocument;

const VERSION: &str = "1.0.0";

/// What a planner is asked.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee question to a planner", deny_unknown_fields))]
pub struct PlannerQuestion<'question> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    planner_version: &'static str,
    /// The incident, as `incident.json` has it.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, Value>"))]
    incident: &'question IncidentDocument,
    /// What was judged of the run that failed, as its directory has it. Null: nothing.
    diagnostics: &'question Value,
    /// What it may verify with. Any other command needs a person's approval of its own.
    checks: Vec<Verification>,
    /// The plan that the rules made, with all evidence.
    plan: &'question RemediationPlan,
}

/// Makes the question.
pub fn question<'question>(
    incident: &'question IncidentDocument,
    diagnostics: &'question Value,
    checks: Vec<Verification>,
    plan: &'question RemediationPlan,
) -> PlannerQuestion<'question> {
    PlannerQuestion { planner_version: VERSION, incident, diagnostics, checks, plan }
}

/// What a planner may answer. Whatever is left out stays as the rules have it; keys that are not named here are passed over.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee answer of a planner"))]
pub struct PlannerAnswer {
    /// Whose plan it is. Another incident's is refused.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub incident_id: Option<IncidentId>,
    /// The problem in a sentence.
    #[serde(default)]
    pub summary: Option<String>,
    /// From 0 to 1. The evidence bounds it.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub confidence_score: Option<f64>,
    /// The model that it used.
    #[serde(default)]
    pub model: Option<String>,
    /// Rows of evidence. Those of the draft stay as they are; others are taken as inferences, as far as there is room.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub evidence: Vec<AnswerRow>,
    /// What may have caused it.
    #[serde(default)]
    pub root_cause_hypotheses: Option<Vec<AnswerHypothesis>>,
    /// Open questions about the cause. Left out: those of the draft.
    #[serde(default)]
    pub unknowns: Option<Vec<String>>,
    /// Actions in the order to take them. Left out: those of the draft.
    #[serde(default)]
    pub actions: Option<Vec<AnswerAction>>,
    /// What is run: command lines, or ids of checks. What failed is run, whatever stands here.
    #[serde(default)]
    pub verification_commands: Option<Vec<String>>,
    /// Conditions under which the incident is resolved. Left out: those of the draft.
    #[serde(default)]
    pub done_criteria: Option<Vec<String>>,
    /// Steps that undo the repair. Left out: those of the draft.
    #[serde(default)]
    pub rollback: Option<Vec<String>>,
    /// Risks of the repair, in prose. Left out: those of the draft.
    #[serde(default)]
    pub risk_summary: Option<String>,
}

/// A row of evidence of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerRow {
    /// What hypotheses cite it by.
    pub id: String,
    /// Text of the row.
    pub excerpt: String,
}

/// A hypothesis of an answer. Its id follows from its place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerHypothesis {
    /// Confidence in the hypothesis: low, medium or high.
    pub confidence: Level,
    /// The cause, in a sentence.
    pub reason: String,
    /// The rows that speak for it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub evidence_ids: Vec<String>,
    /// What is missing to be sure.
    #[serde(default)]
    pub gaps: Vec<String>,
}

/// An action of an answer. Its id follows from its place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerAction {
    /// What is to be done, in one line.
    pub title: String,
    /// Priority `P0` to `P9`; `P0` is the most urgent.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^P[0-9]$")))]
    pub priority: String,
    /// Risk that the action breaks something else.
    pub risk: Level,
    /// Files and directories that it is about, relative to the workspace.
    #[serde(default)]
    pub target_paths: Vec<String>,
    /// What shows that it worked: of the verification commands.
    #[serde(default)]
    pub verification: Vec<String>,
}

impl AnswerAction {
    /// Returns how urgent it is, 0 to 9.
    pub fn urgency(&self) -> u8 {
        self.priority.strip_prefix('P').and_then(|digits| digits.parse().ok()).unwrap_or(9)
    }
}

/// How sure, or how great a risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it")]
pub enum Level {
    Low,
    Medium,
    High,
}

impl From<Level> for Confidence {
    fn from(level: Level) -> Self {
        match level {
            Level::Low => Self::Low,
            Level::Medium => Self::Medium,
            Level::High => Self::High,
        }
    }
}
