//! The plan of an incident for display, and its approval.

use referee_engine::incident::detail::{IncidentFile, file};
use referee_engine::incident::{Part, Stored};
use referee_model::document::from_bytes;
use referee_model::id::Digest;
use referee_model::incident::approval::{Approval, ApprovalStanding};
use referee_model::incident::remediation::{Cause, Hypothesis, PLAN, RemediationPlan, Verification};

use super::harmless;
use super::moment::Moment;

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) document: RemediationPlan,
    /// SHA-256 of the plan's bytes, which an approval on this page refers to.
    pub(super) digest: Digest,
    pub(super) generated: Moment,
    /// The commands that verify the repair.
    pub(super) checks: Vec<Check>,
    pub(super) causes: Vec<Cause>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Check {
    /// 0-based index among the plan's verification commands.
    pub(super) place: usize,
    pub(super) command: String,
    pub(super) origin: String,
    /// Whether it is the planner's own command, which runs only after approval.
    pub(super) is_own: bool,
}

impl Plan {
    /// Parses the plan among an incident's files. `None`: there is no plan.
    pub(super) fn read(files: &[IncidentFile]) -> Option<Result<Self, String>> {
        let bytes = file(files, Part::Plan, PLAN)?;
        Some(harmless::document::<RemediationPlan>(bytes).map(|document| Self::of(document, bytes)))
    }

    fn of(document: RemediationPlan, bytes: &[u8]) -> Self {
        let verifications = document.verifications();
        Self {
            digest: Digest::of(bytes),
            generated: Moment(document.generated_at),
            checks: verifications.iter().enumerate().map(|(place, one)| Check::of(place, one)).collect(),
            causes: causes(&document),
            document,
        }
    }

    /// Returns whether the plan has commands of the planner's own.
    pub(super) fn has_own(&self) -> bool {
        self.checks.iter().any(|check| check.is_own)
    }

    /// Returns the score of the evidence, with two decimals.
    pub(super) fn score(&self) -> String {
        format!("{:.2}", self.document.evidence_quality.score)
    }

    /// Returns the confidence, with two decimals.
    pub(super) fn confidence(&self) -> String {
        format!("{:.2}", self.document.confidence_score)
    }
}

impl Check {
    fn of(place: usize, verification: &Verification) -> Self {
        let is_own = matches!(verification, Verification::Planner { .. });
        let origin = match verification {
            Verification::Check { action, .. } => format!("check {action} of the specification"),
            Verification::Captured { .. } => "the command that failed".to_owned(),
            Verification::Planner { .. } => "the planner\u{2019}s own".to_owned(),
        };
        Self { place, command: verification.command().clone(), origin, is_own }
    }
}

/// Returns the hypotheses with their evidence; if a plan of another program lacks that, only the hypotheses.
fn causes(document: &RemediationPlan) -> Vec<Cause> {
    if !document.cause_analysis.is_empty() {
        return document.cause_analysis.clone();
    }
    let cause = |hypothesis: &Hypothesis| Cause {
        hypothesis_id: hypothesis.id.clone(),
        reason: hypothesis.reason.clone(),
        confidence: hypothesis.confidence.clone(),
        support_strength: String::new(),
        evidence_ids: hypothesis.evidence_ids.clone(),
        supporting_evidence: Vec::new(),
        gaps: Vec::new(),
    };
    document.root_cause_hypotheses.iter().map(cause).collect()
}

/// Returns the planner's own commands whose boxes were checked, by their indices, as in the plan.
pub(super) fn ticked<'place>(
    files: &[IncidentFile],
    places: impl Iterator<Item = &'place str>,
) -> Result<Vec<String>, String> {
    let bytes = file(files, Part::Plan, PLAN).ok_or("there is no plan")?;
    let plan = from_bytes::<RemediationPlan>(PLAN, bytes).map_err(|error| error.to_string())?;
    let own = plan.verifications();
    let command = |place: &str| {
        let found = place.parse::<usize>().ok().and_then(|place| own.get(place));
        let found = found.filter(|verification| matches!(verification, Verification::Planner { .. }));
        found.map(|verification| verification.command().clone()).ok_or("the plan has no such command")
    };
    Ok(places.map(command).collect::<Result<_, _>>()?)
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// There is no approval, and there was none.
    None,
    /// There is a valid approval.
    Given {
        person: String,
        at: Moment,
        /// Owner of the key. `None`: approved at a terminal, without a key.
        approver: Option<String>,
        note: String,
        /// Commands of the planner's own that were approved, too.
        commands: Vec<String>,
    },
    /// There is an approval that is not valid, with the reason.
    Void(String),
}

impl Word {
    /// Creates the state of a plan's approval. `is_changed`: another plan was approved.
    pub(super) fn of(stored: &Stored, standing: Result<Approval, String>, is_changed: bool) -> Self {
        match standing {
            Ok(approval) => Self::Given {
                person: harmless::text(&approval.terms.person),
                at: Moment(approval.terms.approved_at),
                approver: match approval.standing {
                    ApprovalStanding::Signed { approver, .. } => Some(harmless::text(&approver)),
                    ApprovalStanding::SelfAsserted => None,
                },
                note: harmless::text(&approval.terms.note),
                commands: approval.terms.commands.iter().map(|command| harmless::text(command)).collect(),
            },
            Err(why) if is_changed || stored.incident.approved_at.is_some() => Self::Void(harmless::text(&why)),
            Err(_) => Self::None,
        }
    }
}
