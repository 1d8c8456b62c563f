//! What is to be done about an incident: the remediation plan (seed 3).

use crate::incident::evidence::{EvidenceQuality, EvidenceRow, Strength};
use crate::incident::id::IncidentId;
use crate::time::Timestamp;

/// A remediation plan.
#[derive(Debug, Clone, PartialEq)]
pub struct RemediationPlan {
    /// Whose plan it is.
    pub incident: IncidentId,
    /// Which plan of this incident it is, from 1. Budgets count per revision (ruling 24).
    pub revision: u32,
    /// When it was made.
    pub generated_at: Timestamp,
    /// The problem in a sentence.
    pub summary: String,
    /// What is known: 12 rows at most.
    pub evidence: Vec<EvidenceRow>,
    /// How far that carries.
    pub quality: EvidenceQuality,
    /// From 0 to 1, in hundredths.
    pub confidence: f64,
    /// What may have caused it. Never empty.
    pub hypotheses: Vec<Hypothesis>,
    /// What is not known.
    pub unknowns: Vec<String>,
    /// What to do, in this order.
    pub actions: Vec<RemediationAction>,
    /// What shows that it is done.
    pub verification: Vec<Verification>,
    /// When it is done, in sentences.
    pub done_criteria: Vec<String>,
    /// How to undo it, in sentences.
    pub rollback: Vec<String>,
    /// What could go wrong, in a sentence.
    pub risk_summary: String,
    /// Whether a person must approve of it before the loop may work at it, whatever else holds.
    pub requires_approval: bool,
    /// Who made it.
    pub planner: PlannerWord,
}

/// What may have caused an incident. Its id is `H` and its place, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// How sure it is.
    pub confidence: Confidence,
    /// The cause, in a sentence.
    pub reason: String,
    /// The rows of evidence that speak for it, as places from 1.
    pub evidence: Vec<usize>,
    /// How strongly they do.
    pub support: Strength,
    /// What is missing to be sure: three at most.
    pub gaps: Vec<String>,
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

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemediationAction {
    /// `A` and a number; `A1b` stands between `A1` and `A2` where somebody must sign in (seed 3).
    pub id: String,
    /// What.
    pub title: String,
    /// How urgent: 0 is most urgent, written `P0`.
    pub priority: u8,
    /// What it may break.
    pub risk: Confidence,
    /// Files and folders that it is about, relative to the workspace, with forward slashes. A commit holds no other.
    pub target_paths: Vec<String>,
    /// What shows that it worked: command lines that stand among the plan's verification commands.
    pub verification: Vec<String>,
}

/// A command that shows whether an incident is over.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Verification {
    /// As a person reads it.
    pub command: String,
    /// Where it is from.
    pub origin: VerificationOrigin,
}

/// Where a verification command is from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VerificationOrigin {
    /// A check of the specification, by the id of its action. What runs is what the specification says.
    Check(String),
    /// The command that failed, as it was captured: its words.
    Captured(Vec<String>),
    /// A planner's own: it runs only where a person approved of a plan that has it. A line for the shell.
    Planner,
}

/// Who made a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannerWord {
    /// Rules, from what was judged.
    Rules {
        /// Why not the program that was to make it. None: none was to.
        fallback_reason: Option<String>,
    },
    /// A program of the user's.
    Program {
        /// Its command.
        command: Vec<String>,
        /// The model that it says it used.
        model: Option<String>,
    },
}
