//! A plan becomes its document.

use referee_model::incident::evidence::EvidenceRow;
use referee_model::incident::remediation::{
    Hypothesis, PlannerWord, RemediationAction, RemediationPlan, VerificationOrigin,
};
use referee_model::test_file::is_of_tests;

use super::{
    ActionDocument, CardDocument, CauseDocument, EvidenceQualityDocument, EvidenceRowDocument, ExecutionDocument,
    HypothesisDocument, HypothesisEvidenceDocument, LoopPolicyDocument, PlannerDocument, RemediationPlanDocument,
    SupportDocument, VerificationDocument,
};

/// Returns a plan as its document.
pub fn document(plan: &RemediationPlan) -> RemediationPlanDocument {
    let minutes = u32::try_from(plan.actions.len()).unwrap_or(u32::MAX).saturating_mul(MINUTES_AN_ACTION);
    let risk = plan.actions.iter().map(|action| action.risk).max().map_or("low", |risk| risk.as_str());
    RemediationPlanDocument {
        incident_id: plan.incident.clone(),
        generated_at: plan.generated_at,
        revision: plan.revision,
        summary: plan.summary.clone(),
        evidence: plan.evidence.iter().enumerate().map(|(place, row)| evidence_row(place, row)).collect(),
        evidence_quality: EvidenceQualityDocument {
            total_count: plan.quality.total,
            signal_count: plan.quality.signals,
            strong_signal_count: plan.quality.strong,
            weak_signal_count: plan.quality.weak,
            has_failure_signal: plan.quality.strong > 0,
            score: plan.quality.score,
            assessment: plan.quality.assessment.as_str().to_owned(),
            strongest_evidence_ids: rows(&plan.quality.strongest),
        },
        confidence_score: plan.confidence,
        root_cause_hypotheses: numbered(&plan.hypotheses, hypothesis),
        hypothesis_evidence_map: numbered(&plan.hypotheses, |id, hypothesis| HypothesisEvidenceDocument {
            hypothesis_id: id,
            evidence_ids: rows(&hypothesis.evidence),
        }),
        cause_analysis: numbered(&plan.hypotheses, |id, hypothesis| cause(id, hypothesis, &plan.evidence)),
        unknowns: plan.unknowns.clone(),
        actions: plan.actions.iter().map(action_row).collect(),
        verification_commands: plan.verification.iter().map(|verification| verification.command.clone()).collect(),
        verification: plan.verification.iter().map(VerificationDocument::from).collect(),
        done_criteria: plan.done_criteria.clone(),
        rollback: plan.rollback.clone(),
        risk_summary: plan.risk_summary.clone(),
        card_summary: CardDocument {
            plan: plan.summary.clone(),
            first_step: plan.actions.first().map(|action| action.title.clone()).unwrap_or_default(),
            eta_minutes: minutes,
            risk: risk.to_owned(),
            approval: if plan.confidence < SURE { "required" } else { "optional" }.to_owned(),
        },
        planner: planner(&plan.planner),
        execution: execution(plan),
        policy: LoopPolicyDocument { scope: scope(plan), ..LoopPolicyDocument::default() },
        source_incident_path: format!("error_inbox/{}/incident.json", plan.incident),
    }
}

/// Minutes that an action is thought to take (seed 3).
const MINUTES_AN_ACTION: u32 = 20;

/// The confidence from which on the card says that an approval is optional (seed 3).
const SURE: f64 = 0.8;

fn scope(plan: &RemediationPlan) -> Vec<String> {
    let mut paths: Vec<String> = plan.actions.iter().flat_map(|action| action.target_paths.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn rows(places: &[usize]) -> Vec<String> {
    places.iter().map(|place| format!("E{place}")).collect()
}

fn numbered<T>(hypotheses: &[Hypothesis], made: impl Fn(String, &Hypothesis) -> T) -> Vec<T> {
    hypotheses.iter().enumerate().map(|(place, one)| made(format!("H{}", place + 1), one)).collect()
}

fn evidence_row(place: usize, row: &EvidenceRow) -> EvidenceRowDocument {
    EvidenceRowDocument {
        id: format!("E{}", place + 1),
        source: row.source.as_str().to_owned(),
        path: row.path.clone(),
        kind: row.kind.as_str().to_owned(),
        excerpt: row.excerpt.clone(),
    }
}

fn hypothesis(id: String, hypothesis: &Hypothesis) -> HypothesisDocument {
    HypothesisDocument {
        id,
        confidence: hypothesis.confidence.as_str().to_owned(),
        reason: hypothesis.reason.clone(),
        evidence_ids: rows(&hypothesis.evidence),
    }
}

fn cause(id: String, hypothesis: &Hypothesis, evidence: &[EvidenceRow]) -> CauseDocument {
    let support = |place: &usize| {
        let row = evidence.get(place.checked_sub(1)?)?;
        let (path, kind) = (row.path.clone(), row.kind.as_str().to_owned());
        Some(SupportDocument { id: format!("E{place}"), path, kind, excerpt: row.excerpt.clone() })
    };
    CauseDocument {
        hypothesis_id: id,
        reason: hypothesis.reason.clone(),
        confidence: hypothesis.confidence.as_str().to_owned(),
        support_strength: hypothesis.support.as_str().to_owned(),
        evidence_ids: rows(&hypothesis.evidence),
        supporting_evidence: hypothesis.evidence.iter().filter_map(support).take(3).collect(),
        gaps: hypothesis.gaps.clone(),
    }
}

fn action_row(action: &RemediationAction) -> ActionDocument {
    ActionDocument {
        id: action.id.clone(),
        title: action.title.clone(),
        priority: format!("P{}", action.priority),
        risk: action.risk.as_str().to_owned(),
        target_paths: action.target_paths.clone(),
        verification: action.verification.clone(),
    }
}

fn planner(word: &PlannerWord) -> PlannerDocument {
    match word {
        PlannerWord::Rules { fallback_reason } => PlannerDocument {
            mode: "heuristic".to_owned(),
            fallback_reason: fallback_reason.clone(),
            ..PlannerDocument::default()
        },
        PlannerWord::Program { command, model } => PlannerDocument {
            mode: "ai".to_owned(),
            provider: command.join(" "),
            model: model.clone(),
            fallback_reason: None,
        },
    }
}

fn execution(plan: &RemediationPlan) -> ExecutionDocument {
    let is_own = |origin: &VerificationOrigin| *origin == VerificationOrigin::Planner;
    let own = plan.verification.iter().filter(|verification| is_own(&verification.origin)).count();
    // Nobody is confined to tests.
    let mut paths = plan.actions.iter().flat_map(|action| &action.target_paths);
    let bounds = if paths.any(|path| !is_of_tests(path)) {
        "Change nothing outside the target paths"
    } else {
        "No target path is known that is none of tests: change as little as possible, and neither tests nor checks to make them pass"
    };
    let mut notes = vec![bounds.to_owned()];
    if plan.verification.is_empty() {
        notes.push("There is nothing to verify with: the loop does not begin before there is".to_owned());
    }
    if own > 0 {
        notes.push(format!(
            "Of the verification commands {own} are the planner's own: they run only where a person approved of them"
        ));
    }
    ExecutionDocument {
        requires_approval: plan.requires_approval,
        executor: String::new(),
        intent: "repair".to_owned(),
        notes,
    }
}
