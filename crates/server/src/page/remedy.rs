//! An incident's plan as the page shows it, and whose word it has.

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
    /// SHA-256 of its bytes: what an approval from this page is about.
    pub(super) digest: Digest,
    pub(super) generated: Moment,
    /// What shows that it worked.
    pub(super) checks: Vec<Check>,
    pub(super) causes: Vec<Cause>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Check {
    /// Its place among the plan's commands, from 0.
    pub(super) place: usize,
    pub(super) command: String,
    pub(super) origin: String,
    /// Whether it is a planner's own, which runs only where a person approves of it.
    pub(super) is_own: bool,
}

impl Plan {
    /// Reads the plan among an incident's files. None: it has none. Why it cannot be read is the error.
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

    /// Whether any command is a planner's own.
    pub(super) fn has_own(&self) -> bool {
        self.checks.iter().any(|check| check.is_own)
    }

    /// The score of its evidence, in hundredths.
    pub(super) fn score(&self) -> String {
        format!("{:.2}", self.document.evidence_quality.score)
    }

    /// How sure it is, in hundredths.
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

/// The hypotheses with what supports them; of a plan of another program that has none of that, the hypotheses alone.
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

/// Returns a planner's own commands that boxes were ticked for, by their places, as the plan has them.
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
    /// Nobody's yet, and nobody was to give it.
    None,
    /// Somebody's, and it counts.
    Given {
        person: String,
        at: Moment,
        /// Whose key it is. None: it was typed at a terminal, without one.
        approver: Option<String>,
        note: String,
        /// Commands of a planner's own that were approved of too.
        commands: Vec<String>,
    },
    /// There was one that does not count, and why.
    Void(String),
}

impl Word {
    /// Reads what was found about the approval of a plan. `is_changed`: another one was approved.
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
