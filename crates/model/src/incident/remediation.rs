//! `plan.json`: what is to be done about an incident, the remediation plan (seed 3). Its bytes are what an approval binds. Other
//! programs write plans too: words that they may spell otherwise are texts.

use serde::{Deserialize, Serialize};

use crate::incident::evidence::{EvidenceQuality, EvidenceRow};
use crate::incident::id::IncidentId;
use crate::incident::seconds;
use crate::limit;
use crate::time::Timestamp;

/// The plan, for programs.
pub const PLAN: &str = "plan.json";
/// The plan, for people.
pub const PLAN_TEXT: &str = "plan.md";

/// Returns the name that an earlier plan of an incident is kept under.
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
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// When the plan was made, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub generated_at: Timestamp,
    /// Which plan of this incident it is, from 1.
    #[serde(default = "first")]
    pub revision: u32,
    /// The problem in a sentence.
    pub summary: String,
    /// Rows of evidence that the hypotheses cite.
    pub evidence: Vec<EvidenceRow>,
    /// Grade of the evidence, with its reasons.
    pub evidence_quality: EvidenceQuality,
    /// From 0 to 1, in hundredths.
    #[serde(default)]
    pub confidence_score: f64,
    /// What may have caused it.
    pub root_cause_hypotheses: Vec<Hypothesis>,
    /// Which rows speak for which hypothesis.
    pub hypothesis_evidence_map: Vec<HypothesisEvidence>,
    /// The hypotheses with what supports them and what is missing.
    pub cause_analysis: Vec<Cause>,
    /// Open questions about the cause.
    pub unknowns: Vec<String>,
    /// What to do, in this order.
    pub actions: Vec<RemediationAction>,
    /// What shows that it is done, as a person reads it.
    pub verification_commands: Vec<String>,
    /// Where each of these is from, in the same order. A command that is not in here is treated as a planner's own.
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
    /// The plan on a card.
    #[serde(default)]
    pub card_summary: Card,
    /// Planner that made the plan: the rules, or a program.
    #[serde(default)]
    pub planner: Planner,
    /// How it is to be carried out.
    #[serde(default)]
    pub execution: Execution,
    /// What the loop may spend on it.
    #[serde(default)]
    pub policy: LoopPolicy,
    /// The incident that it was made from, relative to the root.
    #[serde(default)]
    pub source_incident_path: String,
}

/// What may have caused it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "HypothesisDocument"))]
pub struct Hypothesis {
    /// `H` and its place in the list, from 1.
    pub id: String,
    /// Confidence in the hypothesis: `low`, `medium` or `high`.
    pub confidence: String,
    /// The cause, in a sentence.
    pub reason: String,
    /// The rows that speak for it.
    pub evidence_ids: Vec<String>,
}

/// Which rows speak for a hypothesis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "HypothesisEvidenceDocument"))]
pub struct HypothesisEvidence {
    /// Id of the hypothesis in `root_cause_hypotheses`.
    pub hypothesis_id: String,
    /// Ids of the rows of `evidence` that support the hypothesis.
    pub evidence_ids: Vec<String>,
}

/// A hypothesis with what supports it.
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
    /// The rows that speak for it.
    pub evidence_ids: Vec<String>,
    /// Three of them at most, as they are.
    pub supporting_evidence: Vec<Support>,
    /// What is missing to be sure: three at most.
    pub gaps: Vec<String>,
}

/// A row of evidence, without where it is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SupportDocument"))]
pub struct Support {
    /// Id of the row in `evidence`.
    pub id: String,
    /// The file, and behind a colon the key in it.
    pub path: String,
    /// What kind of row it is.
    pub kind: String,
    /// Text of the row, redacted and bounded.
    pub excerpt: String,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ActionDocument"))]
pub struct RemediationAction {
    /// `A` and a number; `A1b` stands between `A1` and `A2` where somebody must sign in.
    pub id: String,
    /// What is to be done, in one line.
    pub title: String,
    /// Priority `P0` to `P9`; `P0` is the most urgent.
    pub priority: String,
    /// Risk that the action breaks something else: `low`, `medium` or `high`.
    pub risk: String,
    /// Files and directories that it is about, relative to the workspace.
    pub target_paths: Vec<String>,
    /// What shows that it worked.
    pub verification: Vec<String>,
}

/// Where a verification command is from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VerificationDocument"))]
#[serde(tag = "origin", rename_all = "snake_case")]
pub enum Verification {
    /// A check of the specification.
    Check {
        /// As a person reads it.
        command: String,
        /// The action of the specification.
        action: String,
    },
    /// The command that failed.
    Captured {
        /// As a person reads it.
        command: String,
        /// Program and arguments of the command, one element each.
        argv: Vec<String>,
    },
    /// A planner's own.
    Planner {
        /// A line for the shell.
        command: String,
    },
}

/// The plan on a card.
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
    /// Its risk in a word.
    pub risk: String,
    /// `required` below a confidence of 0.8, else `optional`.
    pub approval: String,
}

/// Who made a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannerDocument"))]
#[serde(default)]
pub struct Planner {
    /// `heuristic`: rules; `ai`: a program of the user's.
    pub mode: String,
    /// The program's command. Empty: rules.
    pub provider: String,
    /// The model that it says it used.
    pub model: Option<String>,
    /// Why rules made it, where a program was to.
    pub fallback_reason: Option<String>,
}

/// How a plan is to be carried out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExecutionDocument"))]
#[serde(default)]
pub struct Execution {
    /// Whether a person must approve of it first.
    pub requires_approval: bool,
    /// Who is to carry it out. Empty: nobody yet.
    pub executor: String,
    /// What is meant by it.
    pub intent: String,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// What a loop may spend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LoopPolicyDocument"))]
#[serde(default)]
pub struct LoopPolicy {
    /// Maximum number of turns that the repair loop takes.
    pub max_loops: u32,
    /// Maximum duration of the repair loop, in minutes.
    pub max_runtime_minutes: u64,
    /// Turns in a row with the same first failure.
    pub same_error_limit: u32,
    /// Turns in a row without progress.
    pub no_progress_limit: u32,
    /// The only paths that it may commit.
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
    /// Returns the command, as a person reads it.
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
    /// Returns the verification commands with where each is from. One that says nothing of it is a planner's own.
    pub fn verifications(&self) -> Vec<Verification> {
        let of = |(place, command): (usize, &String)| {
            // Two checks may have the same command: each is found at its own place first.
            let at_place = self.verification.get(place).into_iter();
            let found = at_place.chain(&self.verification).find(|one| one.command() == command).cloned();
            found.unwrap_or_else(|| Verification::Planner { command: command.clone() })
        };
        self.verification_commands.iter().enumerate().map(of).collect()
    }

    /// Returns the paths that its actions are about, each once, in order.
    pub fn target_paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.actions.iter().flat_map(|action| action.target_paths.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

/// How sure a hypothesis is, and how great a risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confidence {
    /// Hardly.
    Low,
    /// Somewhat.
    Medium,
    /// Much.
    High,
}

impl Confidence {
    /// Returns it as plans spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Reads it as plans spell it.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Low, Self::Medium, Self::High].into_iter().find(|level| level.as_str() == text)
    }
}
