//! `plan.json`: what is to be done about an incident (seed 3). Its bytes are what an approval binds.

use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{Verification, VerificationOrigin};
use referee_model::limit;
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError};
use crate::form;
use crate::incident::seconds;

mod laid_out;
mod text;

pub use self::laid_out::document;
pub use self::text::markdown;

/// The plan, for programs.
pub const PLAN: &str = "plan.json";
/// The plan, for people.
pub const PLAN_TEXT: &str = "plan.md";

/// A remediation plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Referee remediation plan")]
pub struct RemediationPlanDocument {
    /// Whose plan it is.
    #[schemars(with = "String")]
    pub incident_id: IncidentId,
    /// When it was made.
    #[serde(with = "seconds")]
    #[schemars(with = "form::Seconds")]
    pub generated_at: Timestamp,
    /// Which plan of this incident it is, from 1.
    #[serde(default = "first")]
    pub revision: u32,
    /// The problem in a sentence.
    pub summary: String,
    /// What is known.
    pub evidence: Vec<EvidenceRowDocument>,
    /// How far that carries.
    pub evidence_quality: EvidenceQualityDocument,
    /// From 0 to 1, in hundredths.
    #[serde(default)]
    pub confidence_score: f64,
    /// What may have caused it.
    pub root_cause_hypotheses: Vec<HypothesisDocument>,
    /// Which rows speak for which hypothesis.
    pub hypothesis_evidence_map: Vec<HypothesisEvidenceDocument>,
    /// The hypotheses with what supports them and what is missing.
    pub cause_analysis: Vec<CauseDocument>,
    /// What is not known.
    pub unknowns: Vec<String>,
    /// What to do, in this order.
    pub actions: Vec<ActionDocument>,
    /// What shows that it is done, as a person reads it.
    pub verification_commands: Vec<String>,
    /// Where each of these is from, in the same order. A command that is not in here is treated as a planner's own.
    #[serde(default)]
    pub verification: Vec<VerificationDocument>,
    /// When it is done.
    pub done_criteria: Vec<String>,
    /// How to undo it.
    #[serde(default)]
    pub rollback: Vec<String>,
    /// What could go wrong.
    #[serde(default)]
    pub risk_summary: String,
    /// The plan on a card.
    #[serde(default)]
    pub card_summary: CardDocument,
    /// Who made it.
    #[serde(default)]
    pub planner: PlannerDocument,
    /// How it is to be carried out.
    #[serde(default)]
    pub execution: ExecutionDocument,
    /// What the loop may spend on it.
    #[serde(default)]
    pub policy: LoopPolicyDocument,
    /// The incident that it was made from, relative to the root.
    #[serde(default)]
    pub source_incident_path: String,
}

/// A row of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRowDocument {
    /// `E` and its place in the list, from 1.
    pub id: String,
    /// `incident`, `context`, `log_tail`, `diagnostics` or `ai`.
    pub source: String,
    /// The file, and behind a colon the key in it.
    pub path: String,
    /// What kind of row it is.
    pub kind: String,
    /// What it says.
    pub excerpt: String,
}

/// How far evidence carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the seed's names say what they count")]
pub struct EvidenceQualityDocument {
    pub total_count: usize,
    pub signal_count: usize,
    pub strong_signal_count: usize,
    pub weak_signal_count: usize,
    pub has_failure_signal: bool,
    pub score: f64,
    pub assessment: String,
    pub strongest_evidence_ids: Vec<String>,
}

/// What may have caused it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HypothesisDocument {
    /// `H` and its place in the list, from 1.
    pub id: String,
    /// `low`, `medium` or `high`.
    pub confidence: String,
    /// The cause, in a sentence.
    pub reason: String,
    /// The rows that speak for it.
    pub evidence_ids: Vec<String>,
}

/// Which rows speak for a hypothesis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HypothesisEvidenceDocument {
    /// The hypothesis.
    pub hypothesis_id: String,
    /// The rows.
    pub evidence_ids: Vec<String>,
}

/// A hypothesis with what supports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CauseDocument {
    /// The hypothesis.
    pub hypothesis_id: String,
    /// The cause, in a sentence.
    pub reason: String,
    /// `low`, `medium` or `high`.
    pub confidence: String,
    /// `weak`, `medium` or `strong`.
    pub support_strength: String,
    /// The rows that speak for it.
    pub evidence_ids: Vec<String>,
    /// Three of them at most, as they are.
    pub supporting_evidence: Vec<SupportDocument>,
    /// What is missing to be sure: three at most.
    pub gaps: Vec<String>,
}

/// A row of evidence, without where it is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupportDocument {
    /// The row.
    pub id: String,
    /// The file, and behind a colon the key in it.
    pub path: String,
    /// What kind of row it is.
    pub kind: String,
    /// What it says.
    pub excerpt: String,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionDocument {
    /// `A` and a number; `A1b` stands between `A1` and `A2` where somebody must sign in.
    pub id: String,
    /// What.
    pub title: String,
    /// `P0` is most urgent.
    pub priority: String,
    /// `low`, `medium` or `high`.
    pub risk: String,
    /// Files and folders that it is about, relative to the workspace.
    pub target_paths: Vec<String>,
    /// What shows that it worked.
    pub verification: Vec<String>,
}

/// Where a verification command is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "origin", rename_all = "snake_case")]
pub enum VerificationDocument {
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
        /// Its words.
        argv: Vec<String>,
    },
    /// A planner's own.
    Planner {
        /// A line for the shell.
        command: String,
    },
}

/// The plan on a card.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CardDocument {
    /// The plan in a sentence.
    pub plan: String,
    /// Its first step.
    pub first_step: String,
    /// Minutes: 20 an action.
    pub eta_minutes: u32,
    /// Its risk in a word.
    pub risk: String,
    /// `required` below a confidence of 0.8, else `optional`.
    pub approval: String,
}

/// Who made a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlannerDocument {
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExecutionDocument {
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LoopPolicyDocument {
    /// Turns.
    pub max_loops: u32,
    /// Minutes.
    pub max_runtime_minutes: u64,
    /// Turns in a row with the same first failure.
    pub same_error_limit: u32,
    /// Turns in a row without progress.
    pub no_progress_limit: u32,
    /// The only paths that it may commit.
    pub scope: Vec<String>,
}

impl Default for LoopPolicyDocument {
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

impl VerificationDocument {
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

impl From<&Verification> for VerificationDocument {
    fn from(verification: &Verification) -> Self {
        let command = verification.command.clone();
        match &verification.origin {
            VerificationOrigin::Check(action) => Self::Check { command, action: action.clone() },
            VerificationOrigin::Captured(argv) => Self::Captured { command, argv: argv.clone() },
            VerificationOrigin::Planner => Self::Planner { command },
        }
    }
}

impl From<VerificationDocument> for Verification {
    fn from(document: VerificationDocument) -> Self {
        let (command, origin) = match document {
            VerificationDocument::Check { command, action } => (command, VerificationOrigin::Check(action)),
            VerificationDocument::Captured { command, argv } => (command, VerificationOrigin::Captured(argv)),
            VerificationDocument::Planner { command } => (command, VerificationOrigin::Planner),
        };
        Self { command, origin }
    }
}

impl RemediationPlanDocument {
    /// Returns the verification commands with where each is from. One that says nothing of it is a planner's own.
    pub fn verifications(&self) -> Vec<Verification> {
        let of = |(place, command): (usize, &String)| {
            // Two checks may have the same command: each is found at its own place first.
            let at_place = self.verification.get(place).into_iter();
            let found = at_place.chain(&self.verification).find(|one| one.command() == command).cloned();
            found.map_or_else(
                || Verification { command: command.clone(), origin: VerificationOrigin::Planner },
                Verification::from,
            )
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

/// Lays a plan out.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn render(plan: &RemediationPlanDocument) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(plan)
}

/// Reads a plan, of ours or of another program that keeps to the contract.
///
/// # Errors
/// Fails for bytes that are no plan.
pub fn read(bytes: &[u8]) -> Result<RemediationPlanDocument, DocumentError> {
    serde_json::from_slice(bytes).map_err(|source| DocumentError::Shape { document: PLAN, source })
}

/// Returns the name that an earlier plan of an incident is kept under.
pub fn earlier(revision: u32) -> String {
    format!("plan_{revision}.json")
}
