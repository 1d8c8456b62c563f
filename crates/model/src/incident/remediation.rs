//! `plan.json`: the remediation plan of an incident (seed 3). An approval binds its bytes. Other programs write
//! plans too, so words that they may spell differently are texts.

use serde::{Deserialize, Serialize};

use crate::incident::evidence::{EvidenceQuality, EvidenceRow};
use crate::incident::id::IncidentId;
use crate::incident::seconds;
use crate::limit;
use crate::time::Timestamp;

/// File name of the plan.
pub const PLAN: &str = "plan.json";
/// File name of the plan as Markdown, for people.
pub const PLAN_TEXT: &str = "plan.md";

/// Returns the file name under which an earlier plan of an incident is kept.
pub fn earlier(revision: u32) -> String {
    format!("plan_{revision}.json")
}

/// A remediation plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RemediationPlanDocument", title = "Referee remediation plan")
)]
pub struct RemediationPlan {
    /// Id of the incident that the plan is for.
    pub incident_id: IncidentId,
    /// When the plan was made, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub generated_at: Timestamp,
    /// Number of the plan among the plans of this incident, from 1.
    #[serde(default = "first")]
    pub revision: u32,
    /// Description of the problem in one sentence.
    pub summary: String,
    /// Rows of evidence that the hypotheses cite.
    pub evidence: Vec<EvidenceRow>,
    /// Grade of the evidence, with its reasons.
    pub evidence_quality: EvidenceQuality,
    /// Confidence in the plan, from 0 to 1, rounded to hundredths.
    #[serde(default)]
    pub confidence_score: f64,
    /// Hypotheses about the cause.
    pub root_cause_hypotheses: Vec<Hypothesis>,
    /// Rows of evidence that support each hypothesis.
    pub hypothesis_evidence_map: Vec<HypothesisEvidence>,
    /// The hypotheses with what supports them and what is missing.
    pub cause_analysis: Vec<Cause>,
    /// Open questions about the cause.
    pub unknowns: Vec<String>,
    /// Actions, in the order to take them.
    pub actions: Vec<RemediationAction>,
    /// Commands that verify the repair, as people read them.
    pub verification_commands: Vec<String>,
    /// Origin of each verification command, in the same order. A command that is missing here counts as the
    /// planner's own.
    #[serde(default)]
    pub verification: Vec<Verification>,
    /// Conditions under which the incident is resolved.
    pub done_criteria: Vec<String>,
    /// Steps that undo the repair.
    #[serde(default)]
    pub rollback: Vec<String>,
    /// Risks of the repair, in prose.
    #[serde(default)]
    pub risk_summary: String,
    /// Short summary of the plan.
    #[serde(default)]
    pub card_summary: Card,
    /// Planner that made the plan: the rules, or a program.
    #[serde(default)]
    pub planner: Planner,
    /// How the plan is to be carried out.
    #[serde(default)]
    pub execution: Execution,
    /// Limits of the repair loop.
    #[serde(default)]
    pub policy: LoopPolicy,
    /// Path of the incident that the plan was made from, relative to the incident root.
    #[serde(default)]
    pub source_incident_path: String,
}

/// Hypothesis about the cause of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "HypothesisDocument"))]
pub struct Hypothesis {
    /// Id of the hypothesis: `H` and its position in the list, from 1.
    pub id: String,
    /// Confidence in the hypothesis: `low`, `medium` or `high`.
    pub confidence: String,
    /// The cause, in a sentence.
    pub reason: String,
    /// Ids of the rows of evidence that support the hypothesis.
    pub evidence_ids: Vec<String>,
}

/// Rows of evidence that support a hypothesis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "HypothesisEvidenceDocument"))]
pub struct HypothesisEvidence {
    /// Id of the hypothesis in `root_cause_hypotheses`.
    pub hypothesis_id: String,
    /// Ids of the rows of `evidence` that support the hypothesis.
    pub evidence_ids: Vec<String>,
}

/// Hypothesis with its supporting evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CauseDocument"))]
pub struct Cause {
    /// Id of the hypothesis in `root_cause_hypotheses`.
    pub hypothesis_id: String,
    /// The cause, in a sentence.
    pub reason: String,
    /// Confidence in the hypothesis: `low`, `medium` or `high`.
    pub confidence: String,
    /// How well the evidence supports it: `weak`, `medium` or `strong`.
    pub support_strength: String,
    /// Ids of the rows of evidence that support the hypothesis.
    pub evidence_ids: Vec<String>,
    /// Copies of the supporting rows, at most three.
    pub supporting_evidence: Vec<Support>,
    /// Information that is missing for certainty, at most three items.
    pub gaps: Vec<String>,
}

/// Row of evidence, without its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SupportDocument"))]
pub struct Support {
    /// Id of the row in `evidence`.
    pub id: String,
    /// Path of the file; for a value in the file, followed by a colon and the key.
    pub path: String,
    /// Kind of the row, such as `log_signal` or `diagnostic`.
    pub kind: String,
    /// Text of the row, redacted and bounded.
    pub excerpt: String,
}

/// Action of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ActionDocument"))]
pub struct RemediationAction {
    /// Id of the action: `A` and a number. `A1b`, between `A1` and `A2`, asks a person to sign in.
    pub id: String,
    /// What is to be done, in one line.
    pub title: String,
    /// Priority `P0` to `P9`; `P0` is the most urgent.
    pub priority: String,
    /// Risk that the action breaks something else: `low`, `medium` or `high`.
    pub risk: String,
    /// Files and directories that the action concerns, relative to the workspace.
    pub target_paths: Vec<String>,
    /// Verification commands that show whether the action worked.
    pub verification: Vec<String>,
}

/// Origin of a verification command.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VerificationDocument"))]
#[serde(tag = "origin", rename_all = "snake_case")]
pub enum Verification {
    /// A check of the specification.
    Check {
        /// Command as people read it.
        command: String,
        /// Id of the specification's action.
        action: String,
    },
    /// The command that failed.
    Captured {
        /// Command as people read it.
        command: String,
        /// Program and arguments of the command, one element each.
        argv: Vec<String>,
    },
    /// A command of the planner's own.
    Planner {
        /// Command line for the shell.
        command: String,
    },
}

/// Short summary of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CardDocument"))]
#[serde(default)]
pub struct Card {
    /// The plan in a sentence.
    pub plan: String,
    /// Title of the first action.
    pub first_step: String,
    /// Estimated duration in minutes: 20 for each action.
    pub eta_minutes: u32,
    /// Overall risk of the plan.
    pub risk: String,
    /// Whether approval is needed: `required` below a confidence of 0.8, otherwise `optional`.
    pub approval: String,
}

/// Planner that made a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannerDocument"))]
#[serde(default)]
pub struct Planner {
    /// Kind of planner: `heuristic` for the rules, `ai` for a program of the user's.
    pub mode: String,
    /// Command of the planner program. Empty: the rules made the plan.
    pub provider: String,
    /// Model that the planner program reports. Null: none was reported.
    pub model: Option<String>,
    /// Why the rules made the plan although a planner program is configured. Null: they did not have to.
    pub fallback_reason: Option<String>,
}

/// How a plan is to be carried out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExecutionDocument"))]
#[serde(default)]
pub struct Execution {
    /// Whether a person must approve the plan first.
    pub requires_approval: bool,
    /// Name of the executor. Empty: none is assigned yet.
    pub executor: String,
    /// Intent of the execution.
    pub intent: String,
    /// Further notes for the executor.
    pub notes: Vec<String>,
}

/// Limits of a repair loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LoopPolicyDocument"))]
#[serde(default)]
pub struct LoopPolicy {
    /// Maximum number of turns that the repair loop takes.
    pub max_loops: u32,
    /// Maximum duration of the repair loop, in minutes.
    pub max_runtime_minutes: u64,
    /// Maximum number of consecutive turns with the same first failure.
    pub same_error_limit: u32,
    /// Maximum number of consecutive turns without progress.
    pub no_progress_limit: u32,
    /// Paths that the loop may commit. No other path is committed.
    pub scope: Vec<String>,
}

impl Default for LoopPolicy {
    fn default() -> Self {
        Self {
            max_loops: limit::LOOPS,
            max_runtime_minutes: limit::LOOP_MS / 60_000,
            same_error_limit: limit::SAME_ERRORS,
            no_progress_limit: limit::RUNS_WITHOUT_PROGRESS,
            scope: Vec::new(),
        }
    }
}

impl Verification {
    /// Returns the command as people read it.
    pub fn command(&self) -> &String {
        match self {
            Self::Check { command, .. } | Self::Captured { command, .. } | Self::Planner { command } => command,
        }
    }
}

fn first() -> u32 {
    1
}

impl RemediationPlan {
    /// Returns the verification commands with their origins. A command without a recorded origin is the
    /// planner's own.
    pub fn verifications(&self) -> Vec<Verification> {
        let of = |(place, command): (usize, &String)| {
            // Two checks may have the same command, so the same position is tried first.
            let at_place = self.verification.get(place).into_iter();
            let found = at_place.chain(&self.verification).find(|one| one.command() == command).cloned();
            found.unwrap_or_else(|| Verification::Planner { command: command.clone() })
        };
        self.verification_commands.iter().enumerate().map(of).collect()
    }

    /// Returns the paths that the actions concern, each once, in order.
    pub fn target_paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.actions.iter().flat_map(|action| action.target_paths.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

document_words! {
    /// Level of confidence or risk.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Level"))]
    #[expect(missing_docs, reason = "the words say it")]
    pub enum Confidence {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}
